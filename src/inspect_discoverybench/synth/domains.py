"""The domains of a set, and where they come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset.paths import absolute
from inspect_discoverybench.dataset.synth_folder import slug_of
from inspect_discoverybench.errors.exceptions import InvalidArgument, ReplyRejected
from inspect_discoverybench.errors.invalid_values import require_positive
from inspect_discoverybench.replies import Reply
from inspect_discoverybench.synth.author import Author
from inspect_discoverybench.synth.set_folder import Domain, SetFolder
from inspect_discoverybench.synth.tree import Tree

REAL_DOMAINS = ("sociology", "biology", "humanities", "economics", "engineering", "meta-science")
"""The domains of DB-REAL, which DB-SYNTH does not cover (paper §4.2)."""


class Domains(Reply):
    """The domains that the author proposes."""

    domains: tuple[Domain, ...]


@dataclass(frozen=True)
class DomainSource:
    """A number of domains, names of domains, or hand-written trees.

    Attributes:
        count: Number of domains.
        names: Names that the user or the trees give; empty if the author proposes them.
        trees: Trees that the user gave; empty if the author grows them.
    """

    count: int
    names: tuple[str, ...] = ()
    trees: tuple[Tree, ...] = ()

    @classmethod
    def of(cls, domains: int | str | list[str], trees: str | None) -> "DomainSource":
        """Read the arguments of the task.

        Raises:
            InvalidArgument: An argument is invalid, or a domain is given twice.
            InvalidTree: A tree is invalid.
        """
        given: tuple[Tree, ...] = ()
        if trees is not None:
            location = absolute(Path(str(trees)))
            given = tuple(map(Tree.read, sorted(location.glob("*.json")) if location.is_dir() else [location]))
            if not given:
                raise InvalidArgument(f"trees={trees} has no JSON file. Pass a tree or a folder of trees.")
            names = tuple(tree.domain for tree in given)
        elif isinstance(domains, int | float):
            require_positive("domains", domains)
            return cls(int(domains))
        else:
            names = tuple([domains] if isinstance(domains, str) else map(str, domains))
        if repeated := _repeated(names):
            raise InvalidArgument(
                f"The domain {repeated!r} is given twice, or does not have 3 to 60 letters. Use different names."
            )
        return cls(len(names), names, given)

    async def domain(self, number: int, folder: SetFolder, author: Author, seed: int) -> Domain:
        """The domain of this number. The first call asks the author for all domains, unless the user named them.

        Raises:
            AuthorFailed: The author gave no valid reply.
        """
        if self.names:
            return Domain(name=self.names[number])
        domains = folder.domains()
        if len(domains) < self.count:
            domains = [*domains, *await self._propose(domains, author, seed)]
            folder.keep_domains(domains)
        return domains[number]

    async def _propose(self, kept: Sequence[Domain], author: Author, seed: int) -> Sequence[Domain]:
        """The missing domains of the set."""
        missing = self.count - len(kept)
        avoided = [*REAL_DOMAINS, *(domain.name for domain in kept)]

        async def check(reply: Domains) -> Sequence[Domain]:
            fresh = reply.domains[:missing]
            if len(fresh) < missing:
                raise ReplyRejected(f"there are {len(fresh)} domains, expected {missing}.")
            if repeated := _repeated([*avoided, *(domain.name for domain in fresh)]):
                raise ReplyRejected(
                    f"the domain {repeated} is there twice or to be avoided, or does not have 3 to 60 letters."
                )
            return fresh

        return await author.ask("domains", {"count": missing, "avoid": avoided, "seed": seed}, Domains, check)

    @property
    def checksum(self) -> str | None:
        """SHA-256 of the hand-written trees; None if there are none."""
        trees = "\n".join(sorted(tree.model_dump_json() for tree in self.trees))
        return sha256(trees.encode()).hexdigest() if trees else None

    def samples(self) -> list[Sample]:
        """One sample per domain."""
        return [
            Sample(id=name, input=f"Generate the tasks of {name}.", metadata={"number": number})
            for number, name in enumerate(self.names or [f"domain {n}" for n in range(1, self.count + 1)])
        ]


def _repeated(names: Sequence[str]) -> str | None:
    """The first name that is too short or too long, or whose folder another name has; None if there is none."""
    slugs = [*map(slug_of, names)]
    pairs = zip(names, slugs, strict=True)
    return next((name for name, slug in pairs if not 3 <= len(slug) <= 60 or slugs.count(slug) > 1), None)
