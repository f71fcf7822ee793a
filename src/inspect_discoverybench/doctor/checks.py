"""The checks of an installation. Each returns what it found, in one line, or raises an error with the remedy."""

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from shutil import which

from inspect_ai.model import GenerateConfig

from inspect_discoverybench.dataset import data_folder
from inspect_discoverybench.dataset.archive import DATA_DIR_VARIABLE
from inspect_discoverybench.doctor.versions import check_versions
from inspect_discoverybench.errors.exceptions import (
    DiscoveryBenchError,
    EngineFailed,
    EngineNotAsked,
    ModelFailed,
)
from inspect_discoverybench.errors.provider_failures import inspect_errors, model_errors, named_model
from inspect_discoverybench.replies import without_reasoning
from inspect_discoverybench.sandbox.engine import engine_version, image_exists
from inspect_discoverybench.sandbox.image import image
from inspect_discoverybench.sandbox.specification import IMAGE_VARIABLE
from inspect_discoverybench.session.tool import has_code_or_call, python

ACTION_PROMPT = (
    "Compute 6 * 7 with Python. Call the tool `python`, or if you cannot call tools, write the program into one block "
    "that begins with ```python. Do not answer before you have seen the output of the program."
)


@dataclass(frozen=True)
class Finding:
    """What a check found, in one line. If the check failed, the message ends with the remedy."""

    check: str
    ok: bool
    message: str


def run_checks(models: Sequence[str]) -> Iterator[Finding]:
    """Run all checks in order, those of models last. A failed check does not end the others."""
    checks: dict[str, Callable[[], str]] = {"versions": check_versions, "data": check_data, "docker": check_docker}
    for model in models:
        checks[model] = partial(check_model, model)

    for name, check in checks.items():
        try:
            yield Finding(name, ok=True, message=check())
        except DiscoveryBenchError as error:
            yield Finding(name, ok=False, message=error.message)


def check_data() -> str:
    """Check that the released data, if they are there, are complete and unchanged."""
    if not os.environ.get(DATA_DIR_VARIABLE) and not data_folder.cache_folder().exists():
        return "the released data are not downloaded; `real` and `synth` download them on first use"

    root = data_folder.local_root()
    data_folder.require_released(root)
    return f"the released data are complete and unchanged ({root})"


def check_docker() -> str:
    """Check that Docker responds, and whether it has the image of the sandbox. An engine over SSH is not asked."""
    remedy = "Install and start it, and allow this user to use it. `discoverybench/demo` does not need it."
    if which("docker") is None:
        raise DiscoveryBenchError(f"The command docker, which starts containers, is not on the PATH. {remedy}")
    try:
        engine = engine_version()
    except EngineNotAsked as error:
        return f"{error.message} To check it, run: docker version"
    except EngineFailed as error:
        raise DiscoveryBenchError(f"{error.message} {remedy}") from error

    name = os.environ.get(IMAGE_VARIABLE) or image()
    state = "has the image" if image_exists(name) else "has no image yet; the first run builds or pulls"
    return f"Docker {engine} {state} {name}"


def check_model(name: str) -> str:
    """Check that a model acts when it is asked to: it calls a tool, or it writes code or a call in its text."""
    with inspect_errors(DiscoveryBenchError, f"{name} cannot be called"):
        model = named_model(name, config=GenerateConfig(max_retries=1, timeout=600))
    try:
        with model_errors("The model", model):
            output = asyncio.run(model.generate(ACTION_PROMPT, tools=[python()]))
    except ModelFailed as error:
        raise DiscoveryBenchError(
            f"{error.failure} Check its key, its name and its base URL. If its server refuses tools, run: "
            f"discoverybench try --model {name} --actions text"
        ) from error

    if output.choices and output.message.tool_calls:
        way = "by tool calls"
    elif has_code_or_call(without_reasoning(output.completion)):
        way = "in text: it writes its code or calls there"
    else:
        raise DiscoveryBenchError(
            f"{name} neither calls a tool nor writes a block of code. Choose another model for agents."
        )
    return f"acts {way}. To try it with the agents, run: discoverybench try --model {name}"
