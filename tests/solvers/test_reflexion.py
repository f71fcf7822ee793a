"""Reflexion: what the model learns from the judge, and the state in which each trial starts."""

import json
from collections.abc import Callable

import pytest
from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.event import InfoEvent
from inspect_ai.log import EvalSample
from inspect_ai.scorer import includes

from inspect_discoverybench import demo
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.solvers.reflexion import ReflexionState, reflexion
from tests.endpoint import Answer, Request, question, slots
from tests.scorer.judging import InProcessJudge
from tests.solvers.scripted import (
    Script,
    Turn,
    calls,
    costly,
    observations,
    offered,
    play,
    play_all,
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

SALMON = submit(hypothesis="In Norway, salmon shrink by 3 %.", workflow="1. guess")
SECRET = "XYLOPHONE"


SEEN = python("print('seen' in globals())\nseen = 1")
"""Prints whether the session has run this code before."""

TRIAL: list[Turn] = [SEEN, SALMON, "REFLECTION"]
"""A trial that does not find the gold hypothesis, and a reflection on it."""


def judge(request: Request) -> str:
    """A judge that says a secret in every reply. HMS is 0.25 for the salmon, and 0.5 for any other hypothesis.

    The contexts match, F1 of the variables is 0.5, and B scores 0.5.

    Except for extractions, one reply has the keys of all questions.
    """
    if question(request) == "extract":
        return json.dumps({"hypothesis": [{"context": SECRET}]})
    predicted = slots(request)["HypoB"]
    reply = {
        "sizeA": 2,
        "sizeB": 2,
        "intersection": 1,
        "answer": "B" if "salmon" in predicted else "A",
        "explanation": SECRET,
    }
    return json.dumps(reply)


def record(sample: EvalSample) -> ReflexionState:
    return sample.store_as(ReflexionState)


def play_with_judge(script: Script, answer: Callable[[Request], Answer], trials: int = 3) -> EvalSample:
    """Run a script with a judge that answers as a function says."""
    grader = InProcessJudge(answer)
    return play(script, reflexion(trials), model_roles={"grader": grader.model})


def scores(sample: EvalSample) -> list[float | None]:
    """HMS of each trial."""
    return [trial.hms for trial in record(sample).trials]


def test_each_trial_is_recorded_and_has_a_new_conversation_and_session() -> None:
    sample = play([*TRIAL, SEEN, SALMON, "ANOTHER REFLECTION", *TRIAL], reflexion())
    assert spans(sample) == [
        "trial 1",
        "oracle 1",
        "reflection 1",
        "trial 2",
        "oracle 2",
        "reflection 2",
        "trial 3",
        "oracle 3",
    ]
    state = record(sample)
    assert state.oracle  # the log says that the agent saw scores
    for trial in state.trials:
        assert trial.hms == 0
        assert trial.submission
        assert "salmon" in trial.submission.hypothesis
    reflections = [trial.reflection for trial in state.trials]
    assert reflections == ["REFLECTION", "ANOTHER REFLECTION", None]

    # The request for the program begins a trial. Only this request offers the tool `python` alone.
    first, second, third = [call.input for call in calls(sample) if offered(call) == ["python"]]
    first_system_prompt, task = first
    for conversation in (second, third):
        system_prompt, request = conversation
        assert system_prompt.text == first_system_prompt.text
        assert request.text.startswith(task.text)
    assert "Trial 1, score 0.00:\nREFLECTION" in second[-1].text
    assert "ANOTHER REFLECTION" in third[-1].text

    # The sample has the conversation of the last trial. No variable of an earlier trial is left.
    assert observations(sample) == ["False"]


def test_in_text_an_answer_before_the_code_of_a_later_trial_is_sent_back() -> None:
    answer = '{"hypothesis": "In Norway, salmon shrink by 3 %."}'
    code = "```python\nprint(7)\n```"
    sample = play([code, answer, "REFLECTION", answer, code, answer], reflexion(trials=2, actions="text"))
    last_messages = [call.input[-1].text for call in calls(sample)]
    # The fifth request follows the first answer of the second trial.
    assert "You have not run any code yet" in last_messages[4]
    assert [trial.hms for trial in record(sample).trials] == [0, 0]


LOOK = "import os; print(os.getcwd(), sorted(os.listdir()), len(open('data.csv').read()) > 1000)\n"
"""Prints the working folder, its files, and whether the data file is complete."""


def looking_twice(damage: str) -> Script:
    """A script of two trials that look at their files. The first one then runs code that does damage."""
    return [python(LOOK + damage), SALMON, "REFLECTION", python(LOOK), SALMON]


@pytest.mark.usefixtures("engine")
def test_a_later_trial_has_the_original_data() -> None:
    scripts = {
        "data deleted": looking_twice("os.remove('data.csv')"),
        "everything killed": looking_twice("import signal; os.kill(-1, signal.SIGKILL)"),
    }
    samples = play_all(scripts, reflexion(trials=2), demo(sandbox="docker"))
    for sample in samples.values():
        assert len(record(sample).trials) == 2
        # The sample has the conversation of the second trial.
        assert observations(sample) == ["/workspace/trial-2 ['data.csv'] True"]

    # What the first trial saw is at the end of its second request.
    _, second_request, *_ = calls(samples["data deleted"])
    assert second_request.input[-1].text == "/workspace ['data.csv'] True"


@pytest.mark.usefixtures("engine")
def test_there_are_no_more_trials_if_the_copies_of_the_data_have_changed() -> None:
    script = looking_twice("import glob; [open(path, 'w').close() for path in glob.glob('/tmp/*/data/data.csv')]")
    [sample] = play_all({"copies overwritten": script}, reflexion(trials=2), demo(sandbox="docker")).values()
    [trial] = record(sample).trials
    assert trial.submission == submission(sample)
    notes = [str(event.data) for event in sample.events if isinstance(event, InfoEvent)]
    assert "There are no more trials: data.csv changed before the trial" in notes


def test_the_model_sees_only_the_score_of_the_judge() -> None:
    """No request has the gold hypothesis, or any other part of the judge's prompts and replies."""
    sample = play_with_judge(TRIAL * 3, judge)
    assert str(sample.target).startswith(GOLD)
    for call in calls(sample):
        seen = "".join(message.model_dump_json() for message in call.input)
        assert "hydration_percent" in seen  # a column, in the task text
        for word in (SECRET, GOLD, "sizeA", "explanation", "HypoA", "gold", "matched"):
            assert word not in seen
    assert scores(sample) == [0.25, 0.25, 0.25]
    reflections = [call for call in calls(sample) if call.tool_choice == "none"]
    request = Prompt.load("solvers/reflexion_reflect").render(trial="1", trials="3", hms="0.25")
    assert reflections[0].input[-1].text == request


def test_a_solved_task_needs_one_trial() -> None:
    gold = str(demo().dataset[0].target)
    sample = play([python("1"), submit(hypothesis=gold)], reflexion())
    assert spans(sample) == ["trial 1", "oracle 1"]
    assert score(sample) == 1.0


def test_the_last_trial_is_scored_and_the_best_is_recorded() -> None:
    better = submit(hypothesis="In bakeries, volume rises.")
    script: Script = [python("1"), better, "I will try something else.", python("1"), SALMON]
    sample = play_with_judge(script, judge, trials=2)
    assert scores(sample) == [0.5, 0.25]
    assert score(sample) == 0.25
    assert record(sample).best_hms == 0.5


def test_an_interrupted_trial_keeps_the_previous_submission() -> None:
    # The call after the reflection, the second trial's program, costs more than the sample may.
    script: Script = [python("1"), SALMON, "REFLECTION", costly(python("1"))]
    sample = play(script, reflexion(), token_limit="output:500")
    assert sample.limit
    [trial] = record(sample).trials
    assert trial.submission == submission(sample)
    assert reason(sample) is None  # not `no_response`: the submission was judged


def error_of(task: Task) -> str:
    """Why the agent cannot run a task."""
    [log] = inspect_eval(task, model=scripted(TRIAL), solver=reflexion(), limit=1)
    assert log.error
    return log.error.message


def test_the_oracle_requires_the_hms_scorer_and_a_gold_hypothesis() -> None:
    task = task_with(demo(), scorer=includes())
    assert "no score has the key hms: ['I']. Score with discoverybench/hms." in error_of(task)
    task = demo()
    task.dataset[0].target = ""
    assert "reflexion needs a gold hypothesis for its oracle, but demo/" in error_of(task)


def test_the_trials_end_if_the_judge_gives_no_score() -> None:
    sample = play_with_judge(TRIAL, lambda _: "I cannot say.")
    assert scores(sample) == [None]
    assert record(sample).best_hms is None
    assert reason(sample) == "grader_failed"
