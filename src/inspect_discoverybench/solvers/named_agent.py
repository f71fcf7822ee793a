"""Creates the agent that the argument `agent` of a task names. The name is one that Inspect's `--solver` takes, too."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any, cast

from inspect_ai.agent import Agent, as_solver, is_agent
from inspect_ai.solver import Solver
from inspect_ai.util import registry_create, registry_info

from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, InvalidArgument
from inspect_discoverybench.errors.invalid_values import did_you_mean
from inspect_discoverybench.errors.provider_failures import one_sentence
from inspect_discoverybench.public_names import SOLVERS


@dataclass(frozen=True)
class AgentFile:
    """A Python file with an agent.

    Attributes:
        path: Its path.
        agent: Name of the agent in it; None for the only one.
    """

    path: Path
    agent: str | None

    @classmethod
    def of(cls, name: str) -> "AgentFile | None":
        """The file of an agent with a name such as `mine.py@head_first` or `mine.py`; None for a registry name."""
        file, agent = name, None
        if "@" in name:
            file, agent = name.rsplit("@", 1)
        path = Path(file)
        if path.suffix != ".py":
            return None
        if not path.is_file():
            raise InvalidArgument(
                f"The agent's file '{path}' does not exist. Check the spelling, pass an absolute path, or run the "
                "command in the folder of the first run."
            )
        return cls(path, agent)

    @property
    def digest(self) -> str:
        """SHA-256 of its content."""
        return sha256(self.path.read_bytes()).hexdigest()

    def create(self, args: Mapping[str, Any]) -> Solver | Agent:
        """Create its agent.

        Raises:
            InvalidArgument: The file cannot be run, it has no such agent, or the agent cannot be created with `args`.
        """
        with self._errors_of_code("Correct the file."):
            module = self._load()
        factory = self._factory(module)
        with self._errors_of_code("Correct the file or agent_args."):
            agent: Solver | Agent = factory(**args)
        return agent

    def _factory(self, module: ModuleType) -> Callable[..., Any]:
        """The function that creates the agent."""
        factories = _factories(module)
        if self.agent is None and len(factories) == 1:
            [factory] = factories.values()
            return factory
        if self.agent in factories:
            return factories[self.agent]
        if not factories:
            raise InvalidArgument(f"{self.path} has no agent. Decorate its function with @solver or @agent.")
        names = ", ".join(factories)
        if self.agent is None:
            raise InvalidArgument(f"{self.path} has several agents: {names}. Name one: {self.path}@NAME.")
        raise InvalidArgument(
            f"{self.path} has no agent {self.agent}. Its agents are {names}.{did_you_mean(self.agent, factories)}"
        )

    @contextmanager
    def _errors_of_code(self, remedy: str) -> Iterator[None]:
        """Convert an exception of the file's code into an error of one line, with the line number in the file."""
        try:
            yield
        except DiscoveryBenchError:  # its message is one line already, with a remedy
            raise
        except (Exception, SystemExit) as error:  # the code is the user's, and may raise anything
            frames = extract_tb(error.__traceback__)
            lines = [frame.lineno for frame in frames if Path(frame.filename) == self.path.absolute()]
            place = f"{self.path}:{lines[-1]}" if lines else str(self.path)
            kind = type(error).__name__
            reason = f"{kind}: {one_sentence(error)}" if str(error) else f"{kind}."
            raise InvalidArgument(f"{place}: {reason} {remedy}") from error

    def _load(self) -> ModuleType:
        # Inspect's own loader is private. The name of the module contains the digest of the file. So files of the same
        # name with different contents, such as two versions of one file, are different modules.
        name = f"agent_file_{self.digest[:12]}_{self.path.stem}"
        spec = spec_from_file_location(name, self.path.absolute())
        if spec is None or spec.loader is None:
            raise InvalidArgument(f"{self.path} is no Python file.")
        module = module_from_spec(spec)
        sys.modules[name] = module  # dataclasses and pickle look it up
        folder = str(self.path.resolve().parent)
        if folder not in sys.path:
            sys.path.insert(0, folder)  # the agent may import modules beside its file, even later
        spec.loader.exec_module(module)
        return module


def named_agent(name: str, args: Mapping[str, Any]) -> Solver:
    """Create an agent.

    Args:
        name: Name in Inspect's registry, such as `discoverybench/codegen`, or a file, such as `mine.py@head_first`.
        args: Its arguments.

    Raises:
        InvalidArgument: There is no such agent or file, or the agent cannot be created with `args`.
    """
    file = AgentFile.of(name)
    agent = _registered(name, args) if file is None else file.create(args)
    if is_agent(agent):
        return as_solver(agent)
    return cast(Solver, agent)


def _registered(name: str, args: Mapping[str, Any]) -> Any:
    if name in SOLVERS:  # `react` alone would be Inspect's agent, and that agent has no tools here
        raise InvalidArgument(
            f"{name} needs the name of its package, as in discoverybench/{name}. Agents of Inspect are inspect_ai/NAME."
        )
    for kind in ("solver", "agent"):
        try:
            return registry_create(kind, name, **args)
        except LookupError:
            continue
        except TypeError as error:
            raise InvalidArgument(f"{name}: {one_sentence(error)} Correct agent_args or the agent.") from error
    suggestion = did_you_mean(name, [f"discoverybench/{solver}" for solver in SOLVERS])
    raise InvalidArgument(
        f"{name} was not found in the registry. Check the spelling, or name a file: FILE.py@NAME.{suggestion}"
    )


def _factories(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The solvers and agents that a module defines, by name."""
    factories = {}
    for name, value in vars(module).items():
        is_defined_here = getattr(value, "__module__", None) == module.__name__
        if is_defined_here and _kind(value) in ("solver", "agent"):
            factories[name] = value
    return factories


def _kind(value: Any) -> str | None:
    """The kind of an object in Inspect's registry, such as `solver`; None if it is not registered."""
    try:
        return registry_info(value).type
    except ValueError:
        return None
