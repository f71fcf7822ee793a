"""Lookups: code that reaches for the network, or for files other than the data."""

import ast
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from inspect_discoverybench.scanners.shell import Command, commands, python_programs

NETWORK_MODULES = frozenset({
    "requests", "httpx", "aiohttp", "urllib3", "ftplib", "smtplib", "telnetlib", "paramiko", "gdown", "wget",
    "yfinance", "wbdata", "wbgapi", "openml", "kaggle", "pandas_datareader", "huggingface_hub", "datasets",
    "googlesearch", "duckduckgo_search", "wikipedia", "selenium", "boto3", "openai", "anthropic",
    "urllib.request", "http.client",
})  # fmt: skip
"""Modules whose functions call other machines."""

NETWORK_FUNCTIONS = frozenset({
    "urlopen", "urlretrieve", "create_connection", "getaddrinfo", "gethostbyname", "get_rdataset",
    "load_dataset", "fetch_openml", "fetch_california_housing", "fetch_20newsgroups", "fetch_covtype",
    "snapshot_download", "hf_hub_download",
})  # fmt: skip
"""Functions and methods that call other machines, whatever they are imported from."""

PACKAGE_MODULES = frozenset({"inspect_discoverybench", "discoverybench", "inspect_ai"})
"""Modules of the benchmark itself."""

_URL = re.compile(r"(?:https?|ftp|s3|gs)://\S", re.IGNORECASE)
_KEY = re.compile(
    r"answer[ _-]?keys?\b|(?:gold|true|target|reference)[ _-]?(?:hypothes|answer)|ground[ _-]?truth\.|metadata_[\d*?\[]"
    r"|discovery[_-]?bench|\bsolutions?\.(?:json|csv|txt|md|py)|hypothes[ei]s\.(?:json|csv|txt|md)"
    r"|\*(?:answer|gold|solution)",
    re.IGNORECASE,
)
_WEAK_KEY = re.compile(r"answer|gold|solution|hypothes|ground.?truth|label_key|metadata", re.IGNORECASE)
_OUTSIDE = re.compile(
    r"(?:~|(?:\.\.)?)/\*\*?/.*|(?:/|~|\$HOME|/(?:home|root|etc|proc|var|opt|usr|mnt|srv)/?|(?:\.\./?)+)(?:\*+/?)*(?:\*\.\w+)?"
)
_PRIVATE = re.compile(r"/(?:proc|etc|root)/|~/\.|^(?:\.\./)+\S")
_LISTING = frozenset(["listdir", "walk", "scandir", "glob", "iglob", "rglob", "iterdir"])
_READING = frozenset({
    "open", "read_text", "read_bytes", "read_csv", "read_json", "read_table", "read_excel", "Path", "exists",
    "isfile", "load",
})  # fmt: skip
_RUNNING = frozenset({
    "system", "popen", "run", "Popen", "call", "check_output", "check_call", "getoutput", "getstatusoutput",
})  # fmt: skip
_REMOTE = re.compile(
    r"read_\w+|open|get|post|head|request|Request|download\w*|fetch\w*|load\w*|clone\w*|urlopen|urlretrieve"
)


@dataclass(frozen=True)
class Lookup:
    """One lookup in the code.

    Attributes:
        kind: `network`, `answer key`, or `other files`, for listing folders outside the working directory.
        what: The expression or command.
    """

    kind: str
    what: str


def lookups(code: str, names: "Names") -> list[Lookup]:
    """The lookups in one cell or shell command.

    Args:
        code: Python, with or without the `!` and `%` lines of notebooks, or shell.
        names: What earlier code imported and assigned; updated.
    """
    results: list[Lookup] = []
    for program, shell in python_programs(code):
        results += [lookup for command in commands(shell) for lookup in _in_command(command)]
        if program is not None:
            results += [lookup for statement in program.body for lookup in _in_statement(statement, names)]
    return list(dict.fromkeys(results))


@dataclass
class Names:
    """What the code of a session has imported and assigned so far.

    Attributes:
        network: Names of modules and functions that call other machines.
        texts: String constants by the name that they were assigned to.
        data_files: Names of the data files, which are never answer keys, whatever their names.
    """

    data_files: Sequence[str] = ()
    network: set[str] = field(default_factory=set)
    texts: dict[str, str] = field(default_factory=dict)


def _in_statement(statement: ast.stmt, names: Names) -> Iterator[Lookup]:
    nodes = list(ast.walk(statement))
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _in_import(node, names)
        elif (
            isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        ):
            names.texts |= {target.id: node.value.value for target in node.targets if isinstance(target, ast.Name)}
    is_listing = False
    for node in nodes:
        if isinstance(node, ast.Call):
            yield from _in_call(node, names)
            is_listing = is_listing or _name(node.func) in _LISTING
    if is_listing:
        for node in nodes:
            if isinstance(node, ast.Compare | ast.Call) and (text := _weak_key(node, names)):
                yield Lookup("answer key", f"files whose name contains {text!r}")


def _in_import(node: ast.Import | ast.ImportFrom, names: Names) -> Iterator[Lookup]:
    """Remember network modules, which are only reported when they are used, and report the benchmark's own."""
    module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
    for alias in node.names:
        path = f"{module}.{alias.name}".strip(".")
        if path.partition(".")[0] in PACKAGE_MODULES:
            yield Lookup("answer key", f"import {path}")
        if any(path == name or path.startswith(f"{name}.") for name in NETWORK_MODULES):
            names.network.add(
                alias.asname or alias.name.partition(".")[0] if not module else alias.asname or alias.name
            )


def _in_call(call: ast.Call, names: Names) -> Iterator[Lookup]:
    function, what = _name(call.func), ast.unparse(call)[:200]
    texts = list(_texts(call, names))
    if _RUNNING & {function} and texts:
        for command in commands(" ".join(texts)):
            yield from _in_command(command)
        return
    root = _root(call.func)
    calls_network = function in NETWORK_FUNCTIONS or (root in names.network and _is_network_use(call, root))
    if calls_network or (_REMOTE.fullmatch(function) and any(_URL.match(text) for text in texts)):
        yield Lookup("network", what)
    elif function in _LISTING and any(_OUTSIDE.fullmatch(text) for text in _own_texts(call, texts, names)):
        yield Lookup("other files", what)
    elif function in _LISTING | _READING and any(
        _is_key(text, names.data_files) for text in _own_texts(call, texts, names)
    ):
        yield Lookup("answer key", what)
    elif function in _READING and any(_PRIVATE.search(text) for text in texts):
        yield Lookup("other files", what)


def _in_command(command: Command) -> Iterator[Lookup]:
    text = shlex.join(command.words)
    if command.is_network:
        yield Lookup("network", text)
    elif command.reads_files and any(_is_key(word, ()) for word in command.arguments):
        yield Lookup("answer key", text)
    elif (command.lists_files and any(map(_OUTSIDE.fullmatch, command.arguments))) or (
        command.reads_files and any(map(_PRIVATE.search, command.arguments))
    ):
        yield Lookup("other files", text)


def _is_network_use(call: ast.Call, root: str) -> bool:
    # `urllib.parse.quote` shares its root with `urllib.request.urlopen`.
    return not (root == "urllib" and "urllib.parse" in ast.unparse(call.func))


def _is_key(text: str, data_files: Iterable[str]) -> bool:
    return _KEY.search(text) is not None and not any(text.endswith(name) for name in data_files)


def _weak_key(node: ast.Compare | ast.Call, names: Names) -> str | None:
    """A word typical of answer keys that the code compares file names with."""
    if isinstance(node, ast.Call):
        is_test = _name(node.func) in ("startswith", "endswith", "search", "match", "findall")
        texts = list(_texts(node, names)) if is_test else []
    else:
        texts = [text for part in (node.left, *node.comparators) for text in _constants(part, names)]
    return next((text for text in texts if len(text) < 80 and _WEAK_KEY.search(text)), None)


def _own_texts(call: ast.Call, texts: Sequence[str], names: Names) -> list[str]:
    """The arguments of a call, and the path that a method is called on, as in `Path("/").rglob("*")`."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    of_owner = list(_texts(owner, names)) if isinstance(owner, ast.Call) else []
    # A pattern relative to the path that the method is called on is not by itself outside the working directory.
    return [*of_owner, *texts] if not of_owner else [*of_owner, *(text for text in texts if _KEY.search(text))]


def _texts(call: ast.Call, names: Names) -> Iterator[str]:
    for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
        yield from _constants(argument, names)


def _constants(node: ast.expr, names: Names) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.Name(id=name) if name in names.texts:
            yield names.texts[name]
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.JoinedStr(values=parts):
            for part in parts:
                yield from _constants(part, names)
        case ast.BinOp(left=left, right=right):
            yield from _constants(left, names)
            yield from _constants(right, names)
        case ast.Call():  # os.path.join(…), Path(…), os.path.expanduser(…)
            yield from _texts(node, names)


def _name(function: ast.expr) -> str:
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _root(function: ast.expr) -> str:
    while isinstance(function, ast.Attribute | ast.Call):
        function = function.value if isinstance(function, ast.Attribute) else function.func
    return function.id if isinstance(function, ast.Name) else ""
