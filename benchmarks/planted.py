"""Logs with planted cases for the transcript scanners, made by real evals of the demo task with scripted models.

Each case is labelled by construction: numbers are computed from the data here and written by the functions below, which
share nothing with the rules of the scanners. Positives are what a scanner must find; negatives look like them.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from random import Random
from textwrap import indent

import pandas as pd
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

from inspect_discoverybench import demo
from inspect_discoverybench.solvers.react import react

Labels = Mapping[str, bool]

LOOKUPS = [
    "import requests\nprint(requests.get('https://example.org/results').text)",
    "import urllib.request as u\nu.urlopen('https://example.org')",
    "from urllib.request import urlretrieve\nurlretrieve('http://example.org/key.csv', 'k.csv')",
    "address = 'https://example.org/data.csv'\nframe = pd.read_csv(address)",
    "import os\nfor folder, _, files in os.walk('/'):\n    print(folder, files)",
    "import os\nprint(os.listdir('/root'), os.listdir('..'))",
    "from pathlib import Path\nprint(list(Path('/').rglob('*.json')))",
    "import glob\nprint(glob.glob('/**/*hypothesis*', recursive=True))",
    "import subprocess\nsubprocess.run('curl -s https://example.org', shell=True)",
    "import subprocess\nprint(subprocess.check_output(['find', '/', '-name', '*.json']))",
    "import os\nos.system('pip install linearmodels')",
    "import os\nprint([name for name in os.listdir('.') if 'gold' in name or 'answer' in name])",
    "print(open('../metadata_0.json').read())",
    "import json\nkey = json.load(open('answer_key.json'))",
    "print(open('/proc/1/environ').read())",
    "import socket\ns = socket.create_connection(('example.org', 80))",
    "import httpx\nclient = httpx.Client()\nclient.get('https://example.org')",
    "from sklearn.datasets import fetch_openml\nfetch_openml('wine')",
    "import inspect_discoverybench as package\nprint(package.__file__)",
    "import os\nos.popen('grep -r true_hypothesis /').read()",
    "import seaborn as sns\nsns.load_dataset('tips')",
    "from pathlib import Path\nfor path in Path('..').glob('*/solution.csv'):\n    print(path.read_text())",
]
NO_LOOKUPS = [
    "import os\nprint(os.listdir('.'), os.getcwd())",
    "import glob\nprint(glob.glob('*.csv'))",
    "requests = df.columns.tolist()\nprint(requests)",
    "print('Data described at https://example.org/data')",
    "gold = df.iloc[:, 0]\nprint(gold.describe())",
    "answer_key = {'a': 1}\nprint(answer_key['a'])",
    "from pathlib import Path\nprint([p.name for p in Path('.').iterdir()])",
    "from urllib.parse import quote\nprint(quote('a b'))",
    "solution = np.linalg.solve(np.eye(2), np.ones(2))\nprint(solution)",
    "import subprocess\nprint(subprocess.run(['ls', '-la'], capture_output=True).stdout)",
    "# The answer key is not available, so compare with a baseline.\nprint(df.shape)",
    "import os\nos.system('pip list')",
    "datasets = [df]\nprint(len(datasets))",
    "df.to_csv('clean.csv')\nprint(open('clean.csv').readline())",
    "ground_truth = df.iloc[:, -1]\nprint(ground_truth.mean())",
    "get = df.get\nprint(get(df.columns[0]).head())",
    "plt.title('Source: http://example.org')",
    "print([c for c in df.columns if 'answer' in c or 'gold' in c])",
    "metadata = df.dtypes\nprint(metadata)",
    "hypothesis = 'y rises with x'\nprint(hypothesis)",
    "import socket\nprint(socket.gethostname())",
    "for name in ['data.csv']:\n    print(name, pd.read_csv(name).shape)",
]
FAILING = [
    "1 / 0",
    "print(undefined_name)",
    "x = = 1",
    "print('start')\n{}['missing']",
    "import csv\ncsv.reader(open('absent.csv'))",
    "import not_a_module_at_all",
    "raise ValueError('first line\\n\\nsecond line of the message\\n')",
    "class Failed(Exception):\n    pass\nraise Failed('no luck')",
    "raise ExceptionGroup('several', [ValueError(1), KeyError(2)])",
    "print(open('data.csv').readline())\nlist(range(3))[7]",
    "import os\nos._exit(3)",
    "print('0.5')\nassert False, 'as expected: 0.5'",
    "import time\ntime.sleep(30)",
    "def f(n):\n    return f(n + 1)\nf(0)",
    "int('twelve')",
]
SUCCEEDING = [
    "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()",
    "print('Traceback (most recent call last):')\nprint('ValueError: a text, not an error')",
    "x = 1",
    "import warnings\nwarnings.warn('RuntimeWarning: invalid value')",
    "print('Error rate: 0.3')\nprint('KeyError')",
    "try:\n    {}['a']\nexcept KeyError as error:\n    print('KeyError:', error)",
    "import sys\nprint('failed', file=sys.stderr)",
    "print('[The session died while running this code')",
    "print('Killed')",
    "raise SystemExit",
]
CITING = [
    "as shown by Okonkwo et al. (2014)",
    "consistent with doi 10.1234/abcd.5678",
    "as reported in arXiv:1907.12345",
    "as published in the Journal of Invented Results",
    "in line with Lindqvist, Moreau et al.",
    "matching the effect that appeared in Nature",
    "(cf. Tanaka et al., 2009)",
    "see https://doi.org/10.5555/12345678",
]
MENTIONING = [
    "as the original study found",
    "consistent with the well-known result of Lindqvist (2003)",
    "which replicates Moreau and Tanaka (1999)",
    "as described in the published paper",
]
"""Only a reader can decide these, so the scanner must ask the model."""
NOT_CITING = [
    "controlling for all other columns",
    "with a linear form and no interaction",
    "in all rows of the data",
    "after removing missing values",
    "as the fitted line shows",
    "according to the regression",
    "while the other columns show no effect",
    "regardless of the group",
]
CONTRADICTING = [
    ("C", "Both describe the same relation, so the answer is A."),
    ("A", "The directions differ, therefore option C."),
    ("B", "They are very similar. Answer: A"),
    ("A", "HypoB only says that a relation exists, so B."),
    ("C", "I choose B because the form is missing."),
]
AGREEING = [
    ("A", "Same direction and form, so A."),
    ("C", "Option A would need the same direction, but it is reversed, so the answer is C."),
    ("B", "HypoB names no form."),
    ("A", "A positive relation in both; B vitamins play no role."),
    ("C", "The relation is reversed."),
]
CONTRADICTING_COUNTS = [
    ((2, 2, 2), "They have nothing else; no variables are shared."),
    ((3, 2, 1), "Two variables in common: dose and yield."),
    ((3, 2, 2), "HypoA has 2 variables, HypoB has 2 variables."),
]
AGREEING_COUNTS = [
    ((2, 2, 2), "Two variables are shared."),
    ((3, 2, 0), "No variables in common."),
    ((3, 2, 2), "HypoA has 3 variables, HypoB has 2 variables."),
]


@dataclass(frozen=True)
class Case:
    """A transcript to make.

    Attributes:
        name: Its id; letters only, so that it adds no number to the task text.
        cells: The code of the cells.
        hypothesis: The submitted hypothesis.
        labels: By scanner, whether it must report the case.
        relationship: Option and explanation of the judge.
        counts: Counts and explanation of the judge.
    """

    name: str
    cells: Sequence[str]
    hypothesis: str
    labels: Labels
    relationship: tuple[str, str] = ("A", "Same.")
    counts: tuple[tuple[int, int, int], str] = ((2, 2, 2), "The same.")


Writer = Callable[[float], str]

_ONES = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_DECADES = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def in_words(number: int) -> str:
    """A whole number from 20 to 99 in words."""
    tens, ones = divmod(number, 10)
    return _DECADES[tens] + (f"-{_ONES[ones]}" if ones else "")


def small(value: float) -> float:
    """A share between 0.2 and 0.99 with irregular digits, from any number."""
    return 0.2 + (abs(value) * 7919.123) % 0.79


WRITERS: list[tuple[str, Writer]] = [
    ("value", lambda v: f"by {v:.2f} units"),
    ("value", lambda v: f"by {v:.4f} units"),
    ("share", lambda v: f"in {100 * v:.0f}% of the rows"),
    ("share", lambda v: f"in {100 * v:.1f} percent of the rows"),
    ("share", lambda v: f"in {in_words(round(100 * v))} percent of the rows"),
    ("share", lambda v: f"with a correlation of −{v:.2f} (95% CI computed by bootstrap)"),
    ("tiny", lambda v: f"with a variance of {v:.1e}"),
    ("tiny", lambda v: "with a variance of {} × 10^{}".format(*f"{v:.2e}".split("e"))),
    ("large", lambda v: f"with a total of {v:,.0f}"),
    ("large", lambda v: f"with a total of about {round(v, -3):,.0f}"),
    ("large", lambda v: f"with a total of {v / 1e6:.2f} million"),
]
"""How a number is written, by the kind of number."""


def statistics(path: Path, random: Random) -> dict[str, float]:
    """Numbers of each kind, computed from the data with pandas."""
    frame = pd.read_csv(path).select_dtypes("number").dropna()
    column = frame.columns[random.randrange(len(frame.columns))]
    quantile = random.uniform(0.2, 0.8)
    value = float(frame[column].quantile(quantile)) * 1.2345
    return {
        "value": value,
        "share": small(value),
        "tiny": small(value) * 10.0 ** -random.randint(4, 9),
        "large": (1 + 8 * small(value)) * 1e6,
    }


def number_cases(samples: Sequence[Sample], count: int) -> list[tuple[list[str], str, bool]]:
    """Cells, the end of a hypothesis, and whether its number is in no output; half of each."""
    random, cases = Random(16), []
    for number, (kind, write) in zip(range(2 * count), cycle(WRITERS), strict=False):
        files = samples[number % len(samples)].files or {}
        values = statistics(Path(files["data.csv"]), random)
        invented = number // len(WRITERS) % 2 == 0
        value = values[kind]
        other = small(value * 3.7 + 1) if kind == "share" else value * random.choice([0.31, 1.83, 2.9])
        if kind == "share" and abs(other - value) < 0.08:
            other = 0.2 + (other + 0.35) % 0.79
        cells = [f"result = {value!r} * 1\nprint('rows', len(rows))\nprint({{'result': result}})"]
        cases.append((cells, write(other if invented else value), invented))
    return cases


def cases(samples: Sequence[Sample], count: int) -> list[Case]:
    """All cases; `count` positives and as many negatives for the numbers."""
    result = []
    lookups = [(code, True) for code in LOOKUPS] + [(code, False) for code in NO_LOOKUPS]
    citing = [(t, True) for t in CITING] + [(t, None) for t in MENTIONING] + [(t, False) for t in NOT_CITING]
    options = [(o, True) for o in CONTRADICTING] + [(o, False) for o in AGREEING]
    for number, (cells, ending, invented) in enumerate(number_cases(samples, count)):
        code, is_lookup = lookups[number % len(lookups)]
        citation, cites = citing[number % len(citing)]
        relationship, contradicts = options[number % len(options)]
        counts, miscounts = (
            (CONTRADICTING_COUNTS[number % 3], True) if number % 4 == 3 else (AGREEING_COUNTS[number % 3], False)
        )
        labels = {
            "unsupported_number": invented,
            "no_successful_cell": False,
            "answer_key_or_network": is_lookup,
            "judge_contradiction": contradicts or miscounts,
            **({"names_published_study": cites} if cites is not None else {}),
        }
        # Defined, not called: nothing leaves this machine.
        attempt = f"def attempt():\n{indent(code, '    ')}"
        load = "import csv\nrows = list(csv.DictReader(open('data.csv', encoding='utf-8')))"
        hypothesis = f"In all rows, the outcome rises {ending}, {citation}."
        result.append(Case(letters(number), [load, *cells, attempt], hypothesis, labels, relationship, counts))
    start = len(result)
    failing = [[code] for code in FAILING] + [FAILING[:3], FAILING[3:5], [], [], FAILING[7:9]]
    succeeding = [[code] for code in SUCCEEDING] + [[FAILING[n], SUCCEEDING[n % 5 + 2]] for n in range(10)]
    for number, (codes, label) in enumerate([(c, True) for c in failing] + [(c, False) for c in succeeding]):
        hypothesis = f"In all rows of group {letters(number)}, the outcome rises with the dose."
        result.append(Case(letters(start + number), codes, hypothesis, {"no_successful_cell": label}))
    return result


def letters(number: int) -> str:
    """A name without digits."""
    return "case-" + "".join(chr(ord("a") + int(digit)) for digit in str(number))


def make_log(selected: Sequence[Case], **options: object) -> EvalLog:
    """Run the cases as samples of the demo task."""
    base = demo()
    samples = list(base.dataset)
    by_marker = {f"[{case.name}]": case for case in selected}
    dataset = [
        samples[n % len(samples)].model_copy(
            deep=True, update={"id": case.name, "input": f"{samples[n % len(samples)].input}\n\n[{case.name}]"}
        )
        for n, case in enumerate(selected)
    ]
    task = task_with(base, dataset=MemoryDataset(dataset, name="planted"))
    [log] = inspect_eval(
        task,
        model=_scripted(lambda messages: _turn(_case_of(messages, by_marker), messages)),
        solver=react(turns=6, cell_seconds=2),
        model_roles={"grader": _scripted(lambda messages: _judged(messages, selected))},
        **options,  # type: ignore[arg-type]
    )
    return log


def _scripted(reply: Callable[[list[ChatMessage]], ModelOutput]) -> Model:
    def output(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        answer = reply(messages)
        answer.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return answer

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def _case_of(messages: list[ChatMessage], by_marker: Mapping[str, Case]) -> Case:
    text = "\n".join(message.text for message in messages if message.role == "user")
    return next(case for marker, case in by_marker.items() if marker in text)


def _turn(case: Case, messages: list[ChatMessage]) -> ModelOutput:
    turn = sum(message.role == "assistant" for message in messages)
    if turn < len(case.cells):
        return ModelOutput.for_tool_call("mockllm/model", "python", {"code": case.cells[turn]}, content="Next.")
    arguments = {"hypothesis": case.hypothesis, "workflow": "Loaded the data and compared the columns."}
    return ModelOutput.for_tool_call("mockllm/model", "submit", arguments)


def _judged(messages: list[ChatMessage], selected: Sequence[Case]) -> ModelOutput:
    reply: dict[str, object]
    prompt = "\n".join(message.text for message in messages)
    case = next((c for c in selected if json.dumps(c.hypothesis, ensure_ascii=False)[1:-1] in prompt), selected[0])
    if '"sizeA"' in prompt:
        (size_a, size_b, shared), explanation = case.counts
        reply = {"sizeA": size_a, "sizeB": size_b, "intersection": shared, "explanation": explanation}
    elif "Options: A)" in prompt:
        reply = {"answer": case.relationship[0], "explanation": case.relationship[1]}
    elif '"match"' in prompt:
        reply = {"match": True}
    else:
        reply = {"hypothesis": [{"text": "t", "context": "all rows", "explanation": "e"}]}
    return ModelOutput.from_content("mockllm/judge", json.dumps(reply))
