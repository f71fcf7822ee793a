"""An agent by its name: what Inspect's `--solver` takes, as an argument of a task."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from inspect_ai.agent import Agent, as_solver, is_agent
from inspect_ai.solver import Solver
from inspect_ai.util import registry_create, registry_info

from inspect_discoverybench.errors.exceptions import InvalidArgument
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
        file, separator, agent = name.rpartition("@")
        path = Path(file if separator else name)
        if path.suffix != ".py":
            return None
        if not path.is_file():
            raise InvalidArgument(
                f"The agent's file '{path}' does not exist. Check the spelling, pass an absolute path, or run the "
                "command in the folder of the first run."
            )
        return cls(path, agent if separator else None)

    @property
    def digest(self) -> str:
        """SHA-256 of its content."""
        return sha256(self.path.read_bytes()).hexdigest()

    def create(self, args: Mapping[str, Any]) -> Solver | Agent:
        """Create its agent."""
        module = self._load()
        factories = _factories(module)
        if self.agent is None and len(factories) == 1:
            [factory] = factories.values()
        elif self.agent in factories:
            factory = factories[self.agent]
        else:
            names = ", ".join(factories) or "none"
            expected = self.agent or "a single one"
            raise InvalidArgument(f"{self.path} has the agents {names}, not {expected}. Name one: {self.path}@NAME.")
        agent: Solver | Agent = factory(**args)
        return agent

    def _load(self) -> ModuleType:
        # Inspect's own loader is private. No other module has this name, and it changes with the content.
        name = f"agent_file_{self.digest[:12]}_{self.path.stem}"
        spec = spec_from_file_location(name, self.path)
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
        InvalidArgument: There is no such agent or file.
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
    raise InvalidArgument(f"{name} was not found in the registry. Check the spelling, or name a file: FILE.py@NAME.")


def _factories(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The solvers and agents that a module defines, by name."""
    factories = {}
    for name, value in vars(module).items():
        is_defined_here = getattr(value, "__module__", None) == module.__name__
        if is_defined_here and _kind(value) in ("solver", "agent"):
            factories[name] = value
    return factories


def _kind(value: Any) -> str | None:
    """The kind of a registered object."""
    try:
        return registry_info(value).type
    except ValueError:
        return None
