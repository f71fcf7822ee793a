"""The domains of a set, and where they come from."""

from collections import Counter
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
        if trees is None and isinstance(domains, int | float):
            require_positive("domains", domains)
            return cls(int(domains))

        handwritten = () if trees is None else _read_trees(str(trees))
        if handwritten:
            names = [tree.domain for tree in handwritten]
        elif isinstance(domains, list):
            names = [str(name) for name in domains]
        else:
            names = [str(domains)]
        unusable = _unusable(names)
        if unusable is not None:
            raise InvalidArgument(
                f"The domain {unusable!r} is given twice, or does not have 3 to 60 letters. Use different names."
            )
        return cls(len(names), tuple(names), handwritten)

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
            new = reply.domains[:missing]
            if len(new) < missing:
                raise ReplyRejected(f"there are {len(new)} domains, expected {missing}.")
            unusable = _unusable([*avoided, *(domain.name for domain in new)])
            if unusable is not None:
                raise ReplyRejected(
                    f"the domain {unusable} is there twice or to be avoided, or does not have 3 to 60 letters."
                )
            return new

        return await author.ask("domains", {"count": missing, "avoid": avoided, "seed": seed}, Domains, check)

    @property
    def checksum(self) -> str | None:
        """SHA-256 of the hand-written trees; None if there are none."""
        if not self.trees:
            return None
        texts = sorted(tree.model_dump_json() for tree in self.trees)
        return sha256("\n".join(texts).encode()).hexdigest()

    def samples(self) -> list[Sample]:
        """One sample per domain."""
        names = self.names or [f"domain {number}" for number in range(1, self.count + 1)]
        return [
            Sample(id=name, input=f"Generate the tasks of {name}.", metadata={"number": number})
            for number, name in enumerate(names)
        ]


def _read_trees(path: str) -> tuple[Tree, ...]:
    """Read a tree, or all trees in a folder."""
    location = absolute(Path(path))
    files = sorted(location.glob("*.json")) if location.is_dir() else [location]
    if not files:
        raise InvalidArgument(f"trees={path} has no JSON file. Pass a tree or a folder of trees.")
    return tuple(Tree.read(file) for file in files)


def _unusable(names: Sequence[str]) -> str | None:
    """The first name that is too short or too long, or whose folder another name has; None if there is none."""
    uses = Counter(slug_of(name) for name in names)
    for name in names:
        slug = slug_of(name)
        if not 3 <= len(slug) <= 60 or uses[slug] > 1:
            return name
    return None
