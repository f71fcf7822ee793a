"""Shell: the simple commands of a script, and the Python programs inside it."""

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

_NETWORK = frozenset({
    "curl", "wget", "ssh", "scp", "sftp", "ftp", "nc", "ncat", "telnet", "ping", "nslookup", "dig", "host",
    "rsync", "aria2c", "gdown", "kaggle",
})  # fmt: skip
_INSTALLERS = frozenset(["pip", "pip3", "uv", "conda", "mamba", "apt", "apt-get", "npm", "poetry", "brew"])
_INSTALLATIONS = frozenset(["install", "download", "add", "update"])
_LISTERS = frozenset(["ls", "find", "tree", "du", "locate", "grep", "rg"])
_READERS = frozenset({
    "cat", "less", "more", "head", "tail", "cp", "tar", "unzip", "strings", "xxd", "grep", "rg", "find", "ls",
    "locate",
})  # fmt: skip
_PREFIXES = frozenset(["sudo", "env", "nohup", "time", "exec", "timeout"])
_SEPARATORS = frozenset({";", "|", "||", "&&", "&", "(", ")", "|&", ";;"})
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?[^\n]*\n(.*?)\n\s*\1\s*(?:\n|$)", re.DOTALL)
_MAGIC = re.compile(r"^[ \t]*(?:!|%(?=(?:pip|conda|sx|system)\b)|%%(?:bash|sh)\s*$)(.*)$", re.MULTILINE)
_OTHER_MAGIC = re.compile(r"^[ \t]*%.*$", re.MULTILINE)


@dataclass(frozen=True)
class Command:
    """A simple command.

    Attributes:
        words: The program and its arguments.
    """

    words: tuple[str, ...]

    @property
    def program(self) -> str:
        """Name of the program without its folder."""
        return self.words[0].rpartition("/")[2]

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments."""
        return self.words[1:]

    @property
    def is_network(self) -> bool:
        """Whether it calls other machines; installing packages does."""
        if self.program in _INSTALLERS:
            return bool(_INSTALLATIONS & set(self.arguments[:2]))
        if re.fullmatch(r"python[\d.]*", self.program) and self.arguments[:2] == ("-m", "pip"):
            return bool(_INSTALLATIONS & set(self.arguments[2:3]))
        if self.program == "git":
            return bool({"clone", "fetch", "pull"} & set(self.arguments[:1]))
        return self.program in _NETWORK and bool(self.arguments)

    @property
    def lists_files(self) -> bool:
        """Whether it lists or searches folders."""
        return self.program in _LISTERS

    @property
    def reads_files(self) -> bool:
        """Whether it prints or searches files."""
        return self.program in _READERS


def commands(script: str) -> Iterator[Command]:
    """The simple commands of a shell script; a line that cannot be parsed is split at spaces."""
    for line in _HEREDOC.sub("\n", script).replace("\\\n", " ").splitlines():
        words: list[str] = []
        for word in [*_words(line), ";"]:
            if word not in _SEPARATORS:
                words.append(word)
            elif words:
                yield from _command(words)
                words = []


def python_programs(code: str) -> Iterator[tuple[ast.Module | None, str]]:
    """Split code into Python programs and the shell script around them.

    Yields:
        A syntax tree, None for pure shell, and the shell commands of the code.
    """
    shell = "\n".join(match[1] for match in _MAGIC.finditer(code))
    tree = parsed(_OTHER_MAGIC.sub("", _MAGIC.sub("", code)))
    if tree is not None:
        yield tree, shell
        return
    yield None, code
    for match in _HEREDOC.finditer(code):
        yield parsed(match[2]), ""
    for command in commands(code):
        if re.fullmatch(r"python[\d.]*", command.program) and "-c" in command.arguments[:-1]:
            yield parsed(command.arguments[command.arguments.index("-c") + 1]), ""


def parsed(code: str) -> ast.Module | None:
    """The syntax tree of Python code; None if it is not valid."""
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _words(line: str) -> list[str]:
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        return list(lexer)
    except ValueError:  # an unclosed quotation mark
        return line.split()


def _command(words: list[str]) -> Iterator[Command]:
    while words and (words[0] in _PREFIXES or re.fullmatch(r"\w+=.*", words[0])):
        words = words[1:]
    if words:
        yield Command(tuple(words))
