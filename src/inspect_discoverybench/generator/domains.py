"""The domains of a set, and where they come from."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.dataset import Sample
from inspect_ai.model import Model

from inspect_discoverybench.dataset.absolute_path import absolute_path
from inspect_discoverybench.dataset.synth_folder import slug_of
from inspect_discoverybench.errors.exceptions import InvalidArgument, ReplyRejected
from inspect_discoverybench.errors.invalid_values import require_positive
from inspect_discoverybench.generator.conversation import ask
from inspect_discoverybench.generator.set_folder import Domain, Domains, SetFolder
from inspect_discoverybench.generator.tree import Tree

REAL_DOMAINS = ("sociology", "biology", "humanities", "economics", "engineering", "meta-science")
"""The domains of DB-REAL, which DB-SYNTH does not cover (paper §4.2)."""


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
            DataError: A tree is invalid.
        """
        if trees is not None:
            handwritten = _read_trees(str(trees))  # Inspect's command line reads a folder name such as 0 as a number
            return cls._named([tree.domain for tree in handwritten], handwritten)
        if isinstance(domains, list):
            # Inspect's command line reads a name such as 1984 as a number.
            return cls._named([str(name) for name in domains])
        if isinstance(domains, str):
            return cls._named([domains])
        require_positive("domains", domains)
        return cls(domains)

    @classmethod
    def _named(cls, names: Sequence[str], trees: tuple[Tree, ...] = ()) -> "DomainSource":
        problem = _problem_of_names(names)
        if problem is not None:
            raise InvalidArgument(f"{problem} Use different names.")
        return cls(len(names), tuple(names), trees)

    async def domain(self, number: int, folder: SetFolder, author: Model, seed: int) -> Domain:
        """Return one domain.

        If the source has no names, the first call for a set asks the author for all domains, and keeps them in the
        folder of the set. All further calls read them there, also when an interrupted set is continued.

        Args:
            number: Number of the domain in the set, starting at 0.
            folder: The folder of the set.
            author: The author.
            seed: Seed of the set.

        Raises:
            AuthorFailed: The author gave no valid reply.
        """
        if self.names:
            return Domain(name=self.names[number])
        proposal = folder.domains()
        if proposal is None:
            proposal = await self._propose(author, seed)
            folder.keep_domains(proposal)
        return proposal.domains[number]

    async def _propose(self, author: Model, seed: int) -> Domains:
        async def check(reply: Domains) -> Domains:
            if len(reply.domains) < self.count:
                raise ReplyRejected(f"expected {self.count} domains.")
            domains = reply.domains[: self.count]  # further domains are ignored
            names = [domain.name for domain in domains]
            problem = _problem_of_names(names, avoided=REAL_DOMAINS)
            if problem is not None:
                raise ReplyRejected(problem)
            return Domains(domains=domains)

        values = {
            "count": self.count,
            "avoid": REAL_DOMAINS,
            "seed": seed,  # sets with different seeds have different requests (see `ask`)
        }
        return await ask(author, "domains", values, Domains, check)

    def samples(self) -> list[Sample]:
        """One sample per domain."""
        samples = []
        for number in range(self.count):
            name = f"domain {number + 1}"
            if self.names:
                name = self.names[number]
            samples.append(Sample(id=name, input=f"Generate the tasks of {name}.", metadata={"number": number}))
        return samples


def _read_trees(path: str) -> tuple[Tree, ...]:
    """Read a tree, or all trees in a folder."""
    location = absolute_path(Path(path))
    files = [location]
    if location.is_dir():
        files = sorted(location.glob("*.json"))
    if not files:
        raise InvalidArgument(f"trees={path} has no JSON file. Pass a tree or a folder of trees.")
    return tuple(Tree.read(file) for file in files)


def _problem_of_names(names: Sequence[str], avoided: Collection[str] = ()) -> str | None:
    """What is wrong with the first name that cannot be used, as a sentence; None if all can be used.

    A name must have at most 60 characters, and its slug at least 3. No two names may have the same slug, because the
    folders of a domain are named after its slug, and no name may have the slug of one that is to be avoided.
    """
    slugs = [slug_of(name) for name in names]
    avoided_slugs = [slug_of(name) for name in avoided]
    for name, slug in zip(names, slugs, strict=True):
        if len(slug) < 3:
            return f"The domain {name!r} has fewer than 3 letters from a to z or digits."
        if len(name) > 60:
            return f"The domain {name!r} has more than 60 characters."
        if slug in avoided_slugs:
            return f"The domain {name!r} is to be avoided."
        if slugs.count(slug) > 1:
            return f"The domain {name!r} is given twice."
    return None
