"""The domains of a set, and where they come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset.studies import absolute
from inspect_discoverybench.errors import InvalidArgument, ReplyRejected, require_positive
from inspect_discoverybench.structured_reply import Reply
from inspect_discoverybench.synth.author import Author
from inspect_discoverybench.synth.set_folder import Domain, SetFolder
from inspect_discoverybench.synth.tree import Tree, slug_of
from inspect_discoverybench.text import fold

REAL_DOMAINS = ("sociology", "biology", "humanities", "economics", "engineering", "meta-science")
"""The domains of DB-REAL, which DB-SYNTH does not cover (paper §4.2)."""


class Domains(Reply):
    """The domains that the author proposes or describes."""

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

        Args:
            domains: A number, a name or several names.
            trees: A JSON file or a folder of them.

        Raises:
            InvalidArgument: An argument is invalid, or a domain is given twice.
            InvalidTree: A tree is invalid.
        """
        given: tuple[Tree, ...] = ()
        if trees is not None:
            given = tuple(map(Tree.read, _tree_files(trees)))
            names = tuple(tree.domain for tree in given)
        elif isinstance(domains, int):
            require_positive("domains", domains)
            return cls(domains)
        else:
            names = tuple([domains] if isinstance(domains, str) else map(str, domains))
        if repeated := _repeated(names):
            raise InvalidArgument(f"The domain {repeated!r} is given twice, or has no letters. Use different names.")
        return cls(len(names), names, given)

    async def domain(self, number: int, folder: SetFolder, author: Author) -> Domain:
        """The domain of this number. The first call asks the author for all domains of the set.

        Raises:
            AuthorFailed: The author gave no valid reply.
        """
        if self.trees:
            return Domain(name=self.trees[number].domain, description=self.trees[number].description)
        domains = folder.domains()
        if len(domains) < self.count:
            domains = (*domains, *await self._propose(domains, author))
            folder.keep_domains(domains)
        return domains[number]

    async def _propose(self, kept: Sequence[Domain], author: Author) -> Sequence[Domain]:
        """The missing domains of the set, which the author proposes, or describes if the user gave names."""
        missing = self.count - len(kept)
        earlier = [domain.name for domain in kept]

        async def check(reply: Domains) -> Sequence[Domain]:
            if len(reply.domains) != missing:
                raise ReplyRejected(f"there are {len(reply.domains)} domains, expected {missing}.")
            names = [*earlier, *(domain.name for domain in reply.domains)]
            if self.names and [*map(fold, names)] != [*map(fold, self.names)]:
                raise ReplyRejected(f"the names are {', '.join(names)}, expected {', '.join(self.names)}.")
            if repeated := _repeated(names):
                raise ReplyRejected(f"the domain {repeated} is there twice, or has no letters.")
            if real := [name for name in names if not self.names and fold(name) in REAL_DOMAINS]:
                raise ReplyRejected(f"the domain {real[0]} is one of DB-REAL.")
            return reply.domains

        if self.names:
            return await author.ask("describe", {"domains": self.names[len(kept) :]}, Domains, check)
        return await author.ask("domains", {"count": missing, "avoid": [*REAL_DOMAINS, *earlier]}, Domains, check)

    @property
    def checksum(self) -> str | None:
        """SHA-256 of the hand-written trees; None if there are none."""
        trees = "\n".join(sorted(tree.model_dump_json() for tree in self.trees))
        return sha256(trees.encode()).hexdigest() if trees else None

    def samples(self) -> list[Sample]:
        """One sample per domain."""
        ids = self.names or [f"domain {number + 1}" for number in range(self.count)]
        return [
            Sample(id=name, input=f"Generate the tasks of {name}.", metadata={"number": number})
            for number, name in enumerate(ids)
        ]


def _tree_files(path: str) -> list[Path]:
    location = absolute(Path(path))
    files = sorted(location.glob("*.json")) if location.is_dir() else [location]
    if not files:
        raise InvalidArgument(f"trees={path} has no JSON file. Pass a tree or a folder of trees.")
    return files


def _repeated(names: Sequence[str]) -> str | None:
    """The first name whose folder another name has, or that has no folder name; None if there is none."""
    slugs = [*map(slug_of, names)]
    return next((name for name, slug in zip(names, slugs, strict=True) if not slug or slugs.count(slug) > 1), None)
