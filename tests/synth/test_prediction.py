"""The scorer `prediction`: fresh rows, formalisation, and what happens to code that misbehaves."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.scorer import Score
from inspect_ai.solver import SolverSpec
from inspect_ai.tool import ToolChoice, ToolInfo

from inspect_discoverybench import custom, demo
from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.synth.prediction import prediction
from tests.synth.authoring import BASELINE, generate, output_of, scripted_author

GOLD = SolverSpec("discoverybench/gold")
LEXICAL = "discoverybench/lexical"
Reply = Mapping[str, Any] | str


def formaliser(*replies: Reply) -> Model:
    """A formaliser that gives these replies to each sample in turn, repeating the last one.

    Its `requests` are the messages of every call.
    """
    requests: list[Sequence[ChatMessage]] = []

    def output(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        requests.append(list(messages))
        sent_back = sum(message.role == "assistant" for message in messages)
        reply = replies[min(sent_back, len(replies) - 1)]
        return output_of(reply if isinstance(reply, str) else json.dumps(reply))

    model = get_model("mockllm/formaliser", custom_outputs=output, memoize=False)
    model.requests = requests  # type: ignore[attr-defined]
    return model


def function(code: str, **fields: Any) -> Reply:
    return {"computable": True, "reason": "", "level_stated": True, "code": code, **fields}


def returning(expression: str, **fields: Any) -> Reply:
    return function(f"def predict(frame):\n    return {expression}\n", **fields)


NOT_COMPUTABLE = {"computable": False, "reason": "It names no relationship.", "level_stated": False, "code": ""}


@pytest.fixture(scope="module")
def boats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set with one task: 5 + 2 * sail_area - hull_drag."""
    out = tmp_path_factory.mktemp("sets") / "boats"
    assert generate(out, scripted_author(), height=1).status == "success"
    return out


def run(path: Path, model: Model | str, sandbox: str = "local", **options: Any) -> EvalLog:
    [log] = inspect_eval(
        custom(path=str(path), prediction=True, sandbox=sandbox),
        model="none",
        solver=GOLD,
        model_roles={"grader": LEXICAL, "formaliser": model},
        **options,
    )
    assert log.status == "success", log.error
    return log


def scores_of(log: EvalLog) -> dict[str, Score]:
    [sample] = log.samples or []
    assert sample.error is None
    assert sample.scores
    return sample.scores


def prediction_of(log: EvalLog) -> Score:
    scores = scores_of(log)
    value = scores["HMS"].value
    assert isinstance(value, dict)
    assert value["hms"] == 1.0
    return scores["prediction"]


@pytest.mark.parametrize(
    ("reply", "low", "high"),
    [
        (returning("5 + 2 * frame['sail_area'] - frame['hull_drag']"), 1.0, 1.0),
        (returning("2 * frame['sail_area'] - frame['hull_drag']", level_stated=False), 0.999, 1.0),
        (returning("2 * frame['sail_area'] - frame['hull_drag'] - 40"), 0.0, 0.0),
        (returning("2 * frame['sail_area']", level_stated=False), 0.9, 0.98),
        (returning("frame['flag_size']"), 0.0, 0.0),
        (returning("17"), 0.0, 0.01),
        (function("import numpy as np\nimport pandas\ndef predict(f):\n    return np.zeros(len(f)) + 25"), 0.0, 0.1),
    ],
)
@pytest.mark.usefixtures("sweep")
def test_skill_is_between_the_best_constant_and_the_gold_expression(
    reply: Reply, low: float, high: float, boats: Path
) -> None:
    assert low <= prediction_of(run(boats, formaliser(reply))).as_float() <= high


@pytest.mark.usefixtures("sweep")
def test_gold_hypotheses_in_words_predict_every_task(tmp_path: Path) -> None:
    """The baseline reads the gold expressions back from their words."""
    out = tmp_path / "set"
    generate(out, BASELINE, domains=["night markets"], height=3, rows=300)
    log = run(out, BASELINE)
    assert log.samples
    assert len(log.samples) >= 10
    values = {str(sample.id): (sample.scores or {})["prediction"].as_float() for sample in log.samples}
    assert min(values.values()) >= 0.95, values


def test_the_formaliser_sees_the_hypothesis_the_goal_and_the_columns_alone(boats: Path) -> None:
    model = formaliser(returning("1"))
    [sample] = run(boats, model).samples or []
    [[system, user]] = model.requests  # type: ignore[attr-defined]
    assert system.role == "system"
    values = json.JSONDecoder().raw_decode(user.text.partition("```json")[2].lstrip())[0]
    assert set(values) == {"hypothesis", "goal", "target", "columns"}
    assert (values["hypothesis"], values["goal"]) == (sample.target, sample.metadata["goal"])
    assert values["target"] == {"name": "top_speed", "description": "The top_speed"}
    names = {"sail_area", "hull_drag", "flag_size", "cabin_height"}
    assert {column["name"] for column in values["columns"]} == names
    assert all(set(column) == {"name", "description"} for column in values["columns"])


def test_a_hypothesis_without_a_computable_claim_scores_zero(boats: Path) -> None:
    score = prediction_of(run(boats, formaliser(NOT_COMPUTABLE)))
    assert score.value == 0
    assert "no computable claim (It names no relationship.)" in str(score.explanation)


INVALID = {
    "syntax": ("def predict(frame):\n    return (", "not valid Python"),
    "no function": ("x = 1", "needs one function predict"),
    "error": ("def predict(frame):\n    return frame['nothing']", "KeyError"),
    "length": ("def predict(frame):\n    return [1, 2]", "returned 2 values"),
    "not finite": ("def predict(frame):\n    return frame['flag_size'] * np.inf", "not finite"),
    "text": ("def predict(frame):\n    return ['fast'] * len(frame)", "returned text for top_speed"),
    "file": ("def predict(frame):\n    return pd.read_csv('data.csv')['top_speed']", "attribute read_csv"),
    "open": ("def predict(frame):\n    return open('data.csv')", "name open is not available"),
    "module": ("import os\ndef predict(frame):\n    return os.getcwd()", "module os is not available"),
    "underscore": ("def predict(frame):\n    return frame.__class__", "attribute __class__ is not available"),
    "numpy file": ("def predict(frame):\n    return np.recfromcsv('data.csv')", "predict failed"),
    "numpy open": ("def predict(frame):\n    return np.rec.fromfile('data.csv')", "attribute fromfile"),
    "pandas file": ("def predict(frame):\n    frame.to_csv('owned')\n    return frame['flag_size']", "predict failed"),
    "import": ("def predict(frame):\n    from math import floor\n    import json\n    return 1", "module json"),
    "large": ("def predict(frame):\n    return np.ones(10 ** 10)", "MemoryError"),
    "stubborn": (
        "def predict(frame):\n    try:\n        while True: pass\n    except:\n        while True: pass",
        "predict failed",
    ),
    "recursion": ("def predict(frame):\n    return predict(frame)", "RecursionError"),
    "exit": ("def predict(frame):\n    raise SystemExit", "NameError"),
    "deep": ("def predict(frame):\n    return " + "-" * 9000 + "1", "the code is not valid Python"),
}


@pytest.mark.parametrize("name", INVALID)
@pytest.mark.usefixtures("sweep")
def test_invalid_and_hostile_code_is_sent_back(name: str, boats: Path, tmp_path: Path) -> None:
    code, reason = INVALID[name]
    # Valid code runs after some of these, which could have damaged the sandbox; it would take a second after each.
    is_repaired = name in {"pandas file", "large", "stubborn"}
    valid = returning("5 + 2 * frame['sail_area'] - frame['hull_drag']")
    model = formaliser(function(code), valid if is_repaired else NOT_COMPUTABLE)
    assert prediction_of(run(boats, model)).value == (1.0 if is_repaired else 0)
    [_, second] = model.requests  # type: ignore[attr-defined]
    assert reason in second[-1].text
    assert not list(tmp_path.rglob("owned"))


def test_modules_that_numpy_loads_on_first_use_are_available(boats: Path) -> None:
    code = "def predict(f):\n    np.rec, np.ma, np.polynomial\n    return 5 + 2 * f['sail_area'] - f['hull_drag']"
    assert prediction_of(run(boats, formaliser(function(code)))).value == 1.0


def test_code_is_sent_back_three_times(boats: Path) -> None:
    model = formaliser("not JSON")
    score = prediction_of(run(boats, model))
    assert score.value == 0
    assert "no valid reply to 'formalise' after 4 attempts" in str(score.explanation)
    assert len(model.requests) == 4  # type: ignore[attr-defined]


def test_forged_output_is_nothing_but_predictions(boats: Path) -> None:
    """What the function prints is discarded, and it has no way to the real output."""
    forged = "print('{\"values\": [1]}')"
    code = f"def predict(frame):\n    {forged}\n    return 5 + 2 * frame['sail_area'] - frame['hull_drag']"
    assert prediction_of(run(boats, formaliser(function(code)))).value == 1.0


@pytest.mark.usefixtures("sweep")
def test_an_endless_loop_ends_and_the_next_sample_runs(tmp_path: Path) -> None:
    domains = {"domains": [{"name": name, "description": "Boats."} for name in ("sailing", "rowing")]}
    out = tmp_path / "set"
    generate(out, scripted_author(domains=domains), domains=2, height=1)
    loop = "def predict(frame):\n    while True:\n        pass\n"
    model = formaliser(function(loop), NOT_COMPUTABLE)
    log = run(out, model, max_samples=1)
    assert log.samples
    assert [(sample.scores or {})["prediction"].value for sample in log.samples] == [0, 0]
    sent_back = [messages[-1].text for messages in model.requests if len(messages) > 2]  # type: ignore[attr-defined]
    assert "did not end in 3 s of CPU time" in sent_back[0]


def test_a_failing_provider_leaves_hms(boats: Path) -> None:
    def fail(*_: Any) -> ModelOutput:
        raise RuntimeError("the provider is down")

    log = run(boats, get_model("mockllm/formaliser", custom_outputs=fail, memoize=False))
    score = prediction_of(log)
    assert score.as_float() != score.as_float()
    assert "the provider is down" in str(score.explanation)


def test_the_evaluated_model_is_the_default_formaliser(tmp_path: Path) -> None:
    [log] = inspect_eval(demo(prediction=True), model=BASELINE, limit=1)
    assert log.status == "success", log.error
    score = scores_of(log)["prediction"]
    assert score.as_float() >= 0.95
    assert (score.metadata or {})["formaliser"] == BASELINE
    assert log.results
    assert [result.name for result in log.results.scores if result.scorer == "prediction"] == ["prediction"]


def test_it_is_off_by_default(boats: Path) -> None:
    [log] = inspect_eval(
        custom(path=str(boats), sandbox="local"), model="none", solver=GOLD, model_roles={"grader": LEXICAL}
    )
    assert set(scores_of(log)) == {"HMS"}


def test_a_log_cannot_be_scored_without_a_sandbox(boats: Path) -> None:
    log = run(boats, formaliser(returning("1")))
    with pytest.raises(Exception, match="runs code in the sandbox of the sample") as raised:
        inspect_score(log, prediction(str(boats)))
    assert "-T prediction=true" in str(raised.value)


def test_other_studies_are_refused() -> None:
    example = Path(__file__).parents[2] / "examples" / "lighthouses"
    with pytest.raises(InvalidArgument, match="has no semantic trees"):
        custom(path=str(example), prediction=True, sandbox="local")


@pytest.mark.usefixtures("engine")
def test_predictions_run_in_a_container(boats: Path) -> None:
    attempt = function("def predict(frame):\n    return frame.to_csv('owned')")
    model = formaliser(attempt, returning("5 + 2 * frame['sail_area'] - frame['hull_drag']"))
    assert prediction_of(run(boats, model, sandbox="docker")).value == 1.0
    assert len(model.requests) == 2  # type: ignore[attr-defined]


def test_a_submission_is_needed(boats: Path) -> None:
    [log] = inspect_eval(
        custom(path=str(boats), prediction=True, sandbox="local"),
        model="mockllm/model",
        model_roles={"grader": LEXICAL},
        message_limit=2,
    )
    score = scores_of(log)["prediction"]
    assert (score.value, score.reason) == (0, "no_response")
