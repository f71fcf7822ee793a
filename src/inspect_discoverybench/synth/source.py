"""Where the domains of a set come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset.studies import absolute
from inspect_discoverybench.errors import InvalidArgument, ReplyRejected, require_positive
from inspect_discoverybench.synth.author import Author
from inspect_discoverybench.synth.replies import Domain, Domains
from inspect_discoverybench.synth.set_folder import SetFolder
from inspect_discoverybench.synth.tree import Tree, slug_of
from inspect_discoverybench.text import fold

REAL_DOMAINS = ("sociology", "biology", "humanities", "economics", "engineering", "meta-science")
"""The domains of DB-REAL, which DB-SYNTH does not cover (paper §4.2)."""


@dataclass(frozen=True)
class DomainSource:
    """A number of domains, names of domains, or hand-written trees.

    Attributes:
        count: Number of domains.
        names: Names that the user gave; empty if the author proposes them.
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
        if trees is not None:
            given = tuple(map(Tree.read, _tree_files(trees)))
            _require_different([tree.domain for tree in given])
            return cls(len(given), trees=given)
        if isinstance(domains, int):
            require_positive("domains", domains)
            return cls(domains)
        names = tuple([domains] if isinstance(domains, str) else map(str, domains))
        _require_different(names)
        return cls(len(names), names=names)

    async def domain(self, number: int, folder: SetFolder, author: Author) -> Domain:
        """The domain of this number. The first call asks the author for all domains of the set.

        Raises:
            AuthorFailed: The author gave no valid reply.
        """
        if self.trees:
            return Domain(name=self.trees[number].domain, description=self.trees[number].description)
        return (await _proposed_domains(self, folder, author)).domains[number]

    @property
    def checksum(self) -> str | None:
        """SHA-256 of the hand-written trees; None if there are none."""
        trees = "\n".join(sorted(tree.model_dump_json() for tree in self.trees))
        return sha256(trees.encode()).hexdigest() if trees else None

    def samples(self) -> list[Sample]:
        """One sample per domain."""
        titles = [tree.domain for tree in self.trees] or list(self.names)
        ids = titles or [f"domain {number + 1}" for number in range(self.count)]
        return [
            Sample(id=name, input=f"Generate the tasks of {name}.", metadata={"number": number})
            for number, name in enumerate(ids)
        ]


async def _proposed_domains(source: DomainSource, folder: SetFolder, author: Author) -> Domains:
    """The domains of the set, which the author proposes or describes once.

    Raises:
        AuthorFailed: The author gave no valid reply.
    """
    domains = folder.domains()
    if domains is not None and len(domains.domains) >= source.count:
        return domains
    kept = domains.domains if domains else ()
    missing = source.count - len(kept)

    async def check(reply: Domains) -> Domains:
        if len(reply.domains) != missing:
            raise ReplyRejected(f"there are {len(reply.domains)} domains, expected {missing}.")
        _check_names([domain.name for domain in (*kept, *reply.domains)], source.names)
        return Domains(domains=(*kept, *reply.domains))

    if source.names:
        values: dict[str, object] = {"domains": source.names[len(kept) :]}
        domains = await author.ask("describe", values, Domains, check)
    else:
        values = {"count": missing, "avoid": [*REAL_DOMAINS, *_names(kept)]}
        domains = await author.ask("domains", values, Domains, check)
    folder.keep_domains(domains)
    return domains


def _check_names(names: Sequence[str], given: Sequence[str]) -> None:
    if given and [fold(name) for name in names] != [fold(name) for name in given]:
        raise ReplyRejected(f"the names are {', '.join(names)}, expected {', '.join(given)}.")
    slugs = [slug_of(name) for name in names]
    for name, slug in zip(names, slugs, strict=True):
        if slugs.count(slug) > 1 or not slug:
            raise ReplyRejected(f"the domain {name} is there twice, or has no letters.")
        if not given and fold(name) in REAL_DOMAINS:
            raise ReplyRejected(f"the domain {name} is one of DB-REAL.")


def _names(domains: Sequence[Domain]) -> list[str]:
    return [domain.name for domain in domains]


def _tree_files(path: str) -> list[Path]:
    location = absolute(Path(path))
    files = sorted(location.glob("*.json")) if location.is_dir() else [location]
    if not files:
        raise InvalidArgument(f"trees={path} has no JSON file. Pass a tree or a folder of trees.")
    return files


def _require_different(names: Sequence[str]) -> None:
    slugs = [slug_of(name) for name in names]
    for name, slug in zip(names, slugs, strict=True):
        if slugs.count(slug) > 1 or not slug:
            raise InvalidArgument(f"The domain {name!r} is given twice, or has no letters. Use different names.")
