"""Reflexion: what the model learns from the judge, and the state in which each trial starts."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset
from inspect_ai.event import InfoEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage
from inspect_ai.scorer import includes

from inspect_discoverybench import demo
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.session.session import SessionState
from inspect_discoverybench.solvers.reflexion import ReflexionState, reflexion
from tests.endpoint import Answer, Request, question, slots, truthful
from tests.scorer.judging import InProcessJudge
from tests.solvers.scripted import (
    Script,
    Turn,
    calls,
    costly,
    finished,
    observations,
    offered,
    play,
    python,
    reason,
    score,
    scripted,
    spans,
    submission,
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


def play_with_judge(script: Script, answer: Callable[[Request], Answer], trials: int = 3) -> EvalSample:
    """Run a script with a judge that answers as a function says."""
    judge = InProcessJudge(answer)
    return play(script, reflexion(trials), model_roles={"grader": judge.model})


def scores(sample: EvalSample) -> list[float | None]:
    """HMS of each trial."""
    return [trial.hms for trial in record(sample).trials]


def test_each_trial_is_recorded_and_has_a_new_conversation() -> None:
    sample = play(wrong, reflexion())
    turns = ["trial 1", "oracle 1", "reflection 1", "trial 2", "oracle 2", "reflection 2", "trial 3", "oracle 3"]
    assert spans(sample) == turns
    assert scores(sample) == [0.0, 0.0, 0.0]
    state = record(sample)
    assert state.oracle
    for trial in state.trials:
        assert trial.submission
        assert "salmon" in trial.submission.hypothesis
    assert [bool(trial.reflection) for trial in state.trials] == [True, True, False]

    first, second, third = [call.input for call in calls(sample) if offered(call) == ["python"]]
    assert [message.text for message in second[:2]] == [message.text for message in first]
    assert "REFLECTION: That was trial 1" in second[2].text
    assert "REFLECTION: That was trial 2" in third[2].text
    assert len(third) == 3


def test_each_trial_has_a_new_session_with_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    # The file is read in several parts.
    monkeypatch.setattr("inspect_discoverybench.solvers.reflexion.PART_BYTES", 1000)
    sample = play(wrong, reflexion(trials=2))
    session = sample.store_as(SessionState)
    assert session.cells == 2
    assert session.restarts == 0
    files = demo().dataset[0].files
    assert files
    data = Path(files["data.csv"]).read_text("utf-8")
    assert observations(sample) == [f"1 {len(data)}"]


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


def notes(sample: EvalSample) -> str:
    """What the transcript says beside calls."""
    events = [event for event in sample.events if isinstance(event, InfoEvent)]
    return "\n".join(str(event.data) for event in events)


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
    samples = []
    for name in SPOILS:
        changes = {"id": name, "input": f"{first.input}\nSpoil by: {name}"}
        samples.append(first.model_copy(update=changes))
    task = task_with(task, dataset=MemoryDataset(samples))
    [log] = inspect_eval(task, model=scripted(spoiler), solver=reflexion(trials=2))
    for sample in finished(log).samples or []:
        assert sample.error is None
        trials = record(sample).trials
        [seen] = observations(sample)
        if sample.id == "follow":
            obstacle = "There are no more trials: data.csv changed while the folder was prepared"
            assert obstacle in notes(sample)
            assert [trial.submission for trial in trials] == [submission(sample)]
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
        seen = "".join(message.model_dump_json() for message in call.input)
        assert "hydration_percent" in seen
        for word in (secret, GOLD, "sizeA", "explanation", "HypoA", "gold", "matched"):
            assert word not in seen
    # HMS = context 1 × variables 0.5 × relationship 0.5: the number, and it alone.
    assert scores(sample) == [0.25, 0.25, 0.25]
    first, second = [call.input[-1].text for call in calls(sample) if call.tool_choice == "none"]
    prompt = Prompt.load("solvers/reflexion_reflect")
    assert first == prompt.render(trial="1", trials="3", hms="0.25")
    assert second == prompt.render(trial="2", trials="3", hms="0.25")


def test_a_solved_task_needs_one_trial() -> None:
    gold = str(demo().dataset[0].target)
    answer = submit(hypothesis=gold, workflow="w")
    sample = play([python("1"), answer], reflexion())
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
    assert scores(sample) == [0.5, 0.0]
    assert score(sample) == 0
    assert record(sample).best_hms == 0.5


def test_an_interrupted_trial_keeps_the_previous_submission() -> None:
    # The call after the reflection, the second trial's program, costs more than the sample may.
    answer = submit(hypothesis="In Norway, salmon shrink by 3 %.", workflow="1. guess")
    script: Script = [python("1"), answer, "REFLECTION", costly(python("1"))]
    sample = play(script, reflexion(), token_limit="output:500")
    assert sample.limit
    [trial] = record(sample).trials
    assert trial.submission == submission(sample)
    assert reason(sample) is None


def error_of(task: Task) -> str:
    """Why the agent cannot run a task."""
    [log] = inspect_eval(task, model=scripted(wrong), solver=reflexion(), limit=1)
    assert log.error
    return log.error.message


def test_the_oracle_requires_the_hms_scorer() -> None:
    task = task_with(demo(), scorer=includes())
    assert "no score has the key hms: ['I']. Score with discoverybench/hms." in error_of(task)


def test_the_oracle_requires_a_gold_hypothesis() -> None:
    task = demo()
    task.dataset[0].target = ""
    assert "reflexion needs a gold hypothesis for its oracle, but demo/" in error_of(task)


def test_the_trials_end_if_the_judge_gives_no_score() -> None:
    sample = play_with_judge(wrong, lambda _: "I cannot say.")
    assert scores(sample) == [None]
    assert record(sample).best_hms is None
    assert reason(sample) == "grader_failed"
