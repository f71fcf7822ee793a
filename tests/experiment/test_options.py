"""The key `options`: arguments of Inspect's `eval_set`, checked before the run."""

import inspect
from pathlib import Path

import pytest
from inspect_ai import eval_set

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.experiment.options import OTHER_KEYS, eval_set_options
from inspect_discoverybench.experiment.yaml_file import YamlFile
from tests.command_line import completed, refused
from tests.experiment.experiments import logs

FILE = YamlFile(Path("small.yaml"), {}, None)


def test_every_argument_of_eval_set_is_an_option_or_is_set_in_another_way() -> None:
    # All other arguments may be None, the value that they get here. `kwargs` is no argument, but stands for others.
    not_none = {"kwargs", "score", "bundle_overwrite", "embed_viewer", "incomplete_action"}
    for name in inspect.signature(eval_set).parameters.keys() - not_none:
        if name in OTHER_KEYS:
            with pytest.raises(InvalidExperiment, match=r"use .* instead"):
                eval_set_options({name: None}, FILE)
        else:
            assert eval_set_options({name: None}, FILE) == {name: None}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("options.max_smaples=3", "options.max_smaples: eval_set has no such argument. Did you mean max_samples?"),
        ("options.limit=3", "options.limit: use limits.samples instead."),
        ("options.tags=[a]", "options.tags: use tags instead."),
        ("options.epochs_reducer=max", "options.epochs_reducer: HMS is always the mean of the epochs. Omit it;"),
        ("options.metadata.shard=3", "options.metadata: experiments record shard themselves. Use another name."),
        ("options.metadata.run=first", "options.metadata: experiments record run themselves. Use another name."),
        ("options.metadata.agent_sha256=x", "options.metadata: experiments record agent_sha256 themselves."),
        ("options.max_samples=many", "--set options.max_samples=many: options.max_samples: Input should be a valid"),
        # With 0, Inspect would wait forever.
        ("options.max_samples=0", "options.max_samples: Input should be greater than 0, got 0."),
        ("options.max_connections=0", "options.max_connections: Input should be greater than 0, got 0."),
        (
            "options.max_subprocesses=-1",
            "options.max_subprocesses: Input should be greater than or equal to 0, got -1.",
        ),
        ("models.0.config.max_connections=0", "models.0.config: max_connections must be a positive integer, got 0."),
        ("options.timeout=soon", "options.timeout: Input should be a valid integer, unable to parse string as an "),
    ],
)
def test_an_invalid_option_is_one_line_with_the_remedy(change: str, line: str) -> None:
    assert line in refused(f"run small.yaml --set {change}")
    assert not Path("logs").exists()


def test_max_subprocesses_may_be_0() -> None:
    """Inspect uses its default then. With 0 samples or connections, it would wait forever."""
    completed("run gold.yaml --set options.max_subprocesses=0")
    [log] = logs()
    assert log.status == "success"


def test_options_reach_the_run() -> None:
    options = "{sample_id: [demo/ferry-operations_0_0/0/3], turn_limit: 3, metadata: {team: lab}, attempt_timeout: 90}"
    # `limits.samples` of the file excludes `options.sample_id`.
    completed(f"run gold.yaml --set limits={{}} --set 'options={options}'")
    [log] = logs()
    assert [sample.id for sample in log.samples or []] == ["demo/ferry-operations_0_0/0/3"]
    assert log.eval.config.turn_limit == 3
    assert log.eval.model_generate_config.attempt_timeout == 90  # the judge inherits it from here
    metadata = log.eval.metadata or {}
    assert metadata["team"] == "lab"
    assert metadata["experiment"] == "small"
