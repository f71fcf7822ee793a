"""Failures of the environment, as opposed to mistakes in the agent's code."""

import re

from inspect_discoverybench.scanners.call import Call

_FAILURE = re.compile(
    r"""^\[(?:Interrupted|Killed)\ after\ the\ time\ limit | ^\[The\ (?:previous\ )?session\ (?:died|ended|gave\ no)
    | \b(?:FileNotFound|ModuleNotFound|Import|Permission|Memory|Timeout|Connection\w*|URL|HTTP|OS|IO|UnicodeDecode
        |Parser|EmptyData|BrokenPipe|NotADirectory|IsADirectory|BadZipFile|Database|Operational|Incomplete\w*)(?:Error|File)\b
    | \bcommand\ not\ found\b | \bNo\ such\ file\ or\ directory\b | \bNo\ space\ left\b | \bPermission\ denied\b
    | \bname\ resolution\b | \bNetwork\ is\ unreachable\b | ^Killed$ | \b[Oo]ut\ of\ memory\b | \btimed\ out\b""",
    re.VERBOSE | re.MULTILINE,
)


def environment_failure(call: Call) -> str | None:
    """The line of an output that reports a failure of the environment: files, packages, memory, time or network."""
    match = _FAILURE.search(call.output)
    if match is None:
        return None
    start = call.output.rfind("\n", 0, match.start()) + 1
    end = call.output.find("\n", match.end())
    return call.output[start : end if end >= 0 else None].strip()
