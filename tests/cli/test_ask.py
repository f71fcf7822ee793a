"""`discoverybench ask`: what it prints is what the scorer would read."""

import shutil
from pathlib import Path

import pytest
from click.testing import Result

from tests.command_line import completed, discoverybench, failed, lab, refused
from tests.endpoint import Answer, Refused, Request, question, tool_call
from tests.experiment.experiments import logs

EXAMPLE = Path(__file__).parents[2] / "examples" / "lighthouses"
STUDY = EXAMPLE / "metadata_0.json"
GOLD_GOAL = "How does the number of visitors depend on the height of the tower, on islands and on the mainland?"
ASK = f"ask --metadata {STUDY} --sandbox local"
BASELINE = f"{ASK} --model discoverybench/baseline --solver codegen"


def asked(answer: Answer) -> Result:
    """The result for a model that always gives this answer, on a goal without a gold hypothesis."""
    with lab(lambda _: answer) as (model, _):
        return discoverybench(f"{ASK} --goal 'Why so tall?' --model {model} --solver no_data_guess")


def test_a_goal_with_a_gold_hypothesis_is_scored_with_the_requested_hints() -> None:
    """The goal is found whatever its case and the space around it."""
    goal = "' HOW DOES THE NUMBER OF VISITORS DEPEND ON THE HEIGHT OF THE TOWER, ON ISLANDS AND ON THE MAINLAND?\n'"
    hints = "--domain-knowledge"
    output = completed(f"{BASELINE} --grader discoverybench/lexical {hints} --goal {goal}")
    assert "Workflow: Rule-based baseline" in output
    assert "HMS " in output

    [log] = logs("logs-ask")
    arguments = log.eval.task_args
    assert arguments["domain_knowledge"] is True


def test_the_submitted_hypothesis_is_printed_without_escape_sequences() -> None:
    """A terminal would execute them."""
    answer = tool_call("submit", hypothesis="Visitors \x1b]52;c;Zm9v\x07rise.", workflow="w")
    result = asked(answer)
    assert result.exit_code == 0
    assert "Hypothesis: Visitors ]52;c;Zm9vrise." in result.output
    assert "HMS" not in result.output


def test_an_agent_that_submits_nothing_is_an_error() -> None:
    answer = tool_call("python", "Let me look at the data first.", code="1")
    result = asked(answer)
    assert result.exit_code == 1
    assert "Error: nothing was submitted" in result.output


def test_a_submitted_answer_is_printed_even_if_the_judge_fails() -> None:
    submitted = tool_call("submit", hypothesis="Visitors rise.", workflow="1. Fit a line.")
    denied = Refused("No access to this model.", status=403)
    with lab(lambda request: denied if question(request) else submitted) as (model, _):
        output = failed(f"{ASK} --goal '{GOLD_GOAL}' --model {model} --grader {model} --solver no_data_guess")
    assert "Hypothesis: Visitors rise.\n\nWorkflow: 1. Fit a line.\n" in output
    assert "No access to this model" in output
    assert "nothing was submitted" not in output


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("--goal '  '", "is empty or not one text"),
        ("--goal Why --solver genius", "--solver genius: discoverybench/genius was not found"),
        ("--goal Why --solver nowhere.py@mine", "The agent's file 'nowhere.py' does not exist"),
        ("--goal Why -S turns=0", "--solver codegen: codegen has no argument turns"),
        ("--goal Why -S turns", "-S turns: expected NAME=VALUE"),
        ("--goal Why -M 'a=[1'", "-M a:1: "),
        ("--goal Why --model openai/gpt-4o", "Unable to initialise OpenAI client: No OPENAI_API_KEY, "),
        ("--goal Why --model gpt-4o", "gpt-4o lacks its provider. Pass PROVIDER/MODEL, such as openai/gpt-4o."),
        ("--goal Why --token-limit many", "got 'many'"),
        ("--goal Why --cost-limit 1", "cost_limit requires cost data"),
        ("--goal Why --data visits.csv", "--data and --metadata exclude one another"),
    ],
)
def test_invalid_arguments_are_refused(options: str, reason: str) -> None:
    message = refused(f"{BASELINE} {options}")
    assert reason in message


def test_data_files_are_enough() -> None:
    """Two files with one name in different folders, and one with spaces in its name."""
    names = ["north/visits.csv", "south/visits.csv", "visits of 2024.csv"]
    for name in names:
        Path(name).parent.mkdir(exist_ok=True)
        shutil.copy(EXAMPLE / "visits.csv", name)
    first, second, third = [f"'{name}'" for name in names]

    requests: list[Request] = []

    def answer(request: Request) -> Answer:
        requests.append(request)
        if len(requests) == 1:
            return tool_call("python", code="import glob; sorted(glob.glob('**/*.csv', recursive=True))")
        return tool_call("submit", hypothesis="Visitors rise.", workflow="w")

    with lab(answer) as (model, _):
        # Inspect's own command line would split the goal at its comma.
        output = completed(
            f"ask --data {first} {second} {third} --goal 'Why, so tall?' --model {model} --sandbox local"
        )
    assert "Hypothesis: Visitors rise." in output
    assert "This answer is not scored" in output

    [log] = logs("logs-ask")
    assert log.eval.task_args["data"] == [str(Path(name).absolute()) for name in names]
    [sample] = log.samples or []
    task = str(sample.input)
    for name in names:
        assert name in task
        assert name in sample.metadata["data_checksums"]
    assert task.count("- tower_height_m\n") == 3  # the columns of each file are listed
    assert "metadata" not in task  # the agent cannot look for a file that does not exist
    [*_, listing] = requests[1]["messages"]
    assert str(names) in str(listing["content"])


def test_options_are_those_of_inspect_eval(monkeypatch: pytest.MonkeyPatch) -> None:
    """The arguments of agent and model, the base URL and the limits reach the agent and the log."""
    shutil.copy(EXAMPLE / "visits.csv", "visits.csv")
    options = "-S turns=2 -S actions=text -M 'default_headers={x-lab: yes we can}' --max-tokens 700 --message-limit 30"
    limits = "--token-limit 5k --time-limit 500 --working-limit 400 --log-dir elsewhere"
    with lab(lambda _: '{"hypothesis": "Visitors rise.", "workflow": "w"}') as (model, endpoint):
        monkeypatch.delenv("LAB_BASE_URL")  # so that the model is reached only by the option
        address = f"--model-base-url {endpoint.url}"
        completed(f"ask --data visits.csv --goal Why --model {model} --sandbox local {address} {options} {limits}")
    [request, *_] = endpoint.agent_requests()
    assert request["max_tokens"] == 700
    assert not request.get("tools")  # `actions=text`
    assert endpoint.headers[0]["x-lab"] == "yes we can"

    [log] = logs("elsewhere")
    assert log.eval.task_args["agent_args"] == {"turns": 2, "actions": "text"}
    config = log.eval.config
    assert (config.message_limit, config.time_limit, config.working_limit) == (30, 500, 400)
    assert config.token_limit == 5000


def test_the_log_is_not_among_those_of_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report of evaluations would count the goal as one of their samples."""
    monkeypatch.setenv("INSPECT_LOG_DIR", "evaluations")
    output = completed(f"{BASELINE} --grader discoverybench/lexical --goal '{GOLD_GOAL}'")
    [log] = logs("logs-ask")
    assert f"/{Path(log.location).name}\nTo read it, run: inspect view --log-dir logs-ask\n" in output
    assert not Path("evaluations").exists()


def test_the_command_says_what_it_waits_for() -> None:
    shutil.copy(EXAMPLE / "visits.csv", "visits.csv")
    result = discoverybench("ask --data visits.csv --goal Why --model discoverybench/baseline --sandbox local")
    assert "Loading the data, and Inspect with its plugins …\n" in result.stderr
    assert "discoverybench/react works on this machine with discoverybench/baseline …\n" in result.stderr
    assert "…" not in result.stdout


def test_a_judge_without_a_key_is_refused_before_anything_is_run() -> None:
    message = refused(f"{BASELINE} --goal '{GOLD_GOAL}'")
    assert "The judge openai/gpt-4o-2024-08-06 cannot be called" in message
    assert "OPENAI_API_KEY" in message
    assert not Path("logs-ask").exists()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("", "Name the data files, as --data FILE, or the metadata file of a study, as --metadata FILE."),
        ("visits.csv", "visits.csv: pass data files after --data."),
        ("--metadata visits.csv", "pass --data visits.csv"),
        ("--data nowhere.csv", "nowhere.csv' does not exist"),
        ("--data folder", "folder' is a folder. Name its data files"),
        ("--data empty.csv", "empty.csv' is empty"),
        ("--data visits.csv ./visits.csv", "is named twice"),
        ("--data visits.csv folder/metadata_0.json", "Pass it as --metadata"),
        ("--data folder/link.csv", "is a link to "),
        ("--data half.csv", "half.csv: line 3 has 1 values, expected 2"),
        ("--data damaged.dta", "damaged.dta cannot be read as a .dta file"),
        ("--data visits.csv --domain-knowledge", "no sample has this hint"),
    ],
)
def test_data_that_cannot_be_used_are_refused_with_the_reason(options: str, reason: str) -> None:
    shutil.copy(EXAMPLE / "visits.csv", "visits.csv")
    Path("empty.csv").touch()
    Path("half.csv").write_text("x,y\n1,2\n3\n", "utf-8")
    Path("damaged.dta").write_text("no table", "utf-8")
    folder = Path("folder")
    folder.mkdir()
    (folder / "metadata_0.json").write_text("{}", "utf-8")
    (folder / "link.csv").symlink_to(Path("visits.csv").absolute())
    message = refused(f"ask {options} --goal Why --model discoverybench/baseline --sandbox local")
    assert reason in message
