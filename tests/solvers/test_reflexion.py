"""Reflexion: what the model learns from the judge, and the state in which each trial starts."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset
from inspect_ai.event import InfoEvent, ModelEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage
from inspect_ai.scorer import includes

from inspect_discoverybench import demo
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.session.session import SessionState
from inspect_discoverybench.solvers.reflexion import ReflexionState, reflexion
from inspect_discoverybench.submission.submission import Submission, SubmissionState
from tests.endpoint import Answer, Request, question, slots, truthful
from tests.scorer.judging import InProcessJudge
from tests.solvers.scripted import (
    Script,
    Turn,
    calls,
    finished,
    observations,
    play,
    python,
    reason,
    score,
    scripted,
    spans,
    submit,
)

GOLD = "Among the test loaves, proofing hours and hydration interact"
"""How the gold hypothesis of the first demo task begins."""


def wrong(messages: list[ChatMessage], must: str) -> Turn:
    """An agent that never finds the gold hypothesis and reflects on the score."""
    if must == "python":
        return python("seen = globals().get('seen', 0) + 1\nprint(seen, len(open('data.csv').read()))")
    if must == "submit":
        return submit(hypothesis="In Norway, salmon shrink by 3 %.", workflow="1. guess")
    return "REFLECTION: " + messages[-1].text.splitlines()[0]


def record(sample: EvalSample) -> ReflexionState:
    return sample.store_as(ReflexionState)


def offered(call: ModelEvent) -> list[str]:
    """Names of the tools that a model call offered."""
    return [tool.name for tool in call.tools]


def play_with_judge(script: Script, answer: Callable[[Request], Answer], trials: int = 3) -> EvalSample:
    """Run a script with a judge that answers as a function says."""
    return play(script, reflexion(trials), model_roles={"grader": InProcessJudge(answer).model})


def test_each_trial_is_recorded_and_has_a_new_conversation_and_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspect_discoverybench.solvers.reflexion.PART_BYTES", 1000)
    sample = play(wrong, reflexion())
    turns = ["trial 1", "oracle 1", "reflection 1", "trial 2", "oracle 2", "reflection 2", "trial 3", "oracle 3"]
    assert spans(sample) == turns
    state = record(sample)
    assert [trial.hms for trial in state.trials] == [0.0, 0.0, 0.0]
    assert [bool(trial.reflection) for trial in state.trials] == [True, True, False]
    assert all(trial.submission and "salmon" in trial.submission.hypothesis for trial in state.trials)
    assert state.oracle
    first, second, third = [call.input for call in calls(sample) if offered(call) == ["python"]]
    assert [message.role for message in third] == ["system", "user", "user"]
    assert [message.text for message in second[:2]] == [message.text for message in first]
    assert "REFLECTION: That was trial 1" in second[2].text
    assert "REFLECTION: That was trial 2" in third[2].text
    session = sample.store_as(SessionState)
    assert (session.cells, session.restarts) == (3, 0)
    [data] = (demo().dataset[0].files or {}).values()
    assert observations(sample) == [f"1 {len(Path(data).read_text('utf-8'))}"]


OVERWRITE = """
while True:
    try:
        open('/workspace/trial-2/data.csv', 'w').close()
    except OSError:
        pass
"""
SPOILS = {
    "delete": "import os; os.remove('data.csv')",
    "kill": "import os, signal; os.kill(-1, signal.SIGKILL)",
    "follow": f"import subprocess; _ = subprocess.Popen(['python', '-c', {OVERWRITE!r}], start_new_session=True)",
}
"""What the first trial does to its container, by name."""


@pytest.mark.usefixtures("engine")
def test_a_trial_has_the_original_data_whatever_earlier_ones_did() -> None:
    look = "import os; print(os.getcwd(), sorted(os.listdir()), len(open('data.csv').read()) > 1000)\n"

    def spoiler(messages: list[ChatMessage], must: str) -> Turn:
        if must != "python":
            return wrong(messages, must)
        texts = "\n".join(message.text for message in messages)
        if "REFLECTION" in texts:  # only later trials have a message with reflections
            return python(look)
        name = next(name for name in SPOILS if f"Spoil by: {name}" in texts)
        return python(look + SPOILS[name])

    task = demo(sandbox="docker")
    first = task.dataset[0]
    samples = [first.model_copy(update={"id": name, "input": f"{first.input}\nSpoil by: {name}"}) for name in SPOILS]
    task = task_with(task, dataset=MemoryDataset(samples))
    [log] = inspect_eval(task, model=scripted(spoiler), solver=reflexion(trials=2))
    for sample in finished(log).samples or []:
        assert sample.error is None
        trials = record(sample).trials
        [seen] = observations(sample)
        if sample.id == "follow":
            obstacle = "There are no more trials: data.csv changed while the folder was prepared"
            assert len(trials) == 1
            assert any(obstacle in str(event.data) for event in sample.events if isinstance(event, InfoEvent))
            assert trials[0].submission == sample.store_as(SubmissionState).submission
        else:
            assert len(trials) == 2, sample.id
            assert seen == "/workspace/trial-2 ['.session-2', 'data.csv'] True", sample.id


def test_the_model_sees_only_the_score_of_the_judge() -> None:
    """The judge says a secret in every reply; the gold texts are looked for too."""
    secret = "XYLOPHONE"

    def judge(request: Request) -> str:
        values = slots(request)
        match question(request):
            case "extract":
                whole = {"text": values["hypothesis"], "context": f"{secret} context", "explanation": secret}
                return json.dumps({"hypothesis": [whole]})
            case "variables":
                return json.dumps({"sizeA": 2, "sizeB": 2, "intersection": 1, "explanation": secret})
            case "relationship":
                return json.dumps({"answer": "B", "explanation": secret})
        return json.dumps({"match": True, "explanation": secret})

    sample = play_with_judge(wrong, judge)
    gold = str(sample.target)
    assert gold.startswith(GOLD)
    for call in calls(sample):
        heard = json.dumps([message.model_dump(mode="json") for message in call.input])
        assert "hydration_percent" in heard
        for word in (secret, GOLD, "sizeA", "explanation", "HypoA", "gold", "matched"):
            assert word not in heard
    # HMS = context 1 × variables 0.5 × relationship 0.5: the number, and it alone.
    assert [trial.hms for trial in record(sample).trials] == [0.25, 0.25, 0.25]
    reflections = [call.input[-1].text for call in calls(sample) if call.tool_choice == "none"]
    assert reflections == [
        Prompt.load("solvers/reflexion_reflect").render(trial=str(n), trials="3", hms="0.25") for n in (1, 2)
    ]


def test_a_solved_task_needs_one_trial() -> None:
    gold = submit(hypothesis=str(demo().dataset[0].target), workflow="w")
    sample = play([python("1"), gold], reflexion())
    assert spans(sample) == ["trial 1", "oracle 1"]
    assert score(sample) == 1.0


def test_the_last_trial_is_scored_and_the_best_is_recorded() -> None:
    def judge(request: Request) -> str:
        match question(request):
            case "variables" if "salmon" not in slots(request)["HypoB"]:
                return json.dumps({"sizeA": 2, "sizeB": 2, "intersection": 1, "explanation": "half"})
            case "relationship":
                return json.dumps({"answer": "A", "explanation": ""})
            case "match":
                return json.dumps({"match": True})
        return truthful(request)

    better = submit(hypothesis="In bakeries, volume rises.", workflow="w")
    worse = submit(hypothesis="In Norway, salmon shrink by 3 %.", workflow="w")
    script: Script = [python("1"), better, "I will try something else.", python("1"), worse]
    sample = play_with_judge(script, judge, trials=2)
    assert [trial.hms for trial in record(sample).trials] == [0.5, 0.0]
    assert score(sample) == 0
    assert record(sample).best_hms == 0.5


def test_an_interrupted_trial_keeps_the_previous_submission() -> None:
    # The call after the reflection, the second trial's program, costs more than the sample may.
    sample = play(wrong, reflexion(), expensive=3, token_limit="output:500")
    assert sample.limit
    [trial] = record(sample).trials
    assert trial.submission == Submission.model_validate(sample.store["SubmissionState:submission"])
    assert reason(sample) is None


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (task_with(demo(), scorer=includes()), "no score has the key hms: ['I']. Score with discoverybench/hms."),
        (
            task_with(demo(), dataset=[demo().dataset[0].model_copy(update={"target": ""})]),
            "reflexion needs a gold hypothesis for its oracle, but demo/",
        ),
    ],
    ids=["another scorer", "no gold hypothesis"],
)
def test_the_oracle_requires_the_hms_scorer_and_a_gold_hypothesis(task: Task, message: str) -> None:
    [log] = inspect_eval(task, model=scripted(wrong), solver=reflexion(), limit=1)
    assert log.error
    assert message in log.error.message


def test_the_trials_end_if_the_judge_gives_no_score() -> None:
    sample = play_with_judge(wrong, lambda _: "I cannot say.")
    assert [trial.hms for trial in record(sample).trials] == [None]
    assert record(sample).best_hms is None
    assert reason(sample) == "grader_failed"
