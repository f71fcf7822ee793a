"""`options`: every argument of `eval_set` that an experiment has no key for."""

import inspect
from pathlib import Path

import pytest
from inspect_ai import eval_set
from inspect_ai.log import EvalConfig
from inspect_ai.util import SandboxEnvironmentSpec

from inspect_discoverybench.errors import InvalidExperiment
from inspect_discoverybench.experiment.experiment_source import Source
from inspect_discoverybench.experiment.options import INSTEAD, eval_set_options
from tests.experiment.command import logs, run

SOURCE = Path("small.yaml")
POLICY = {"approvers": [{"name": "auto", "tools": "*"}]}


def options(**values: object) -> dict[str, object]:
    return eval_set_options(values, Source(SOURCE, {}))


@pytest.mark.parametrize(
    ("name", "value", "argument"),
    [
        ("fail_on_error", 0.5, 0.5),
        ("fail_on_error", False, False),
        ("sample_id", ["a", "b"], ["a", "b"]),
        ("approval", "policy.yaml", "policy.yaml"),
        ("approval", POLICY, EvalConfig.model_validate({"approval": POLICY}).approval),
        ("sandbox", "local", "local"),
        ("sandbox", "k8s:values.yaml", ("k8s", "values.yaml")),
        ("sandbox", {"type": "k8s", "config": "v.yaml"}, SandboxEnvironmentSpec("k8s", "v.yaml")),
        ("temperature", 0.5, 0.5),
    ],
)
def test_values_are_converted_to_arguments(name: str, value: object, argument: object) -> None:
    assert options(**{name: value}) == {name: argument}


def test_every_argument_of_eval_set_is_an_option_or_a_key() -> None:
    for name in inspect.signature(eval_set).parameters:
        if name in INSTEAD:
            with pytest.raises(InvalidExperiment, match=r"use .* instead"):
                options(**{name: None})
        elif name not in ("kwargs", "score", "bundle_overwrite", "embed_viewer", "incomplete_action"):
            assert options(**{name: None}) == {name: None}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("options.max_smaples=3", "options.max_smaples: eval_set has no such argument. Did you mean max_samples?"),
        ("options.limit=3", "options.limit: use limits.samples instead."),
        ("options.max_samples=many", "options.max_samples: Input should be a valid integer"),
    ],
)
def test_an_invalid_option_is_one_line_with_the_remedy(file: str, change: str, line: str) -> None:
    result = run(file, "--set", change)
    assert result.exit_code == 2, result.output
    assert line in result.output
    assert len(result.output.splitlines()) == 1
    assert not Path("logs").exists()


def test_options_reach_the_run(file: str) -> None:
    given = "{sample_id: [demo/ferry-operations_0_0/0/3], turn_limit: 3, metadata: {team: lab}, attempt_timeout: 90}"
    arguments = ["--set", "limits={}", "--set", f"options={given}", "--set", "solvers=[discoverybench/gold]"]
    result = run(file, *arguments, "--model", "discoverybench/baseline")
    assert result.exit_code == 0, result.output
    [log] = logs()
    assert [sample.id for sample in log.samples or []] == ["demo/ferry-operations_0_0/0/3"]
    assert log.eval.config.turn_limit == 3
    assert log.eval.model_generate_config.attempt_timeout == 90  # the judge inherits it from here
    assert log.eval.metadata
    assert (log.eval.metadata["team"], log.eval.metadata["experiment"]) == ("lab", "small")
