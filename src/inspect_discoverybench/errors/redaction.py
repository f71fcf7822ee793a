"""Which parts of a user's settings and of other texts may be printed or recorded."""

import json
import os
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from urllib.parse import quote, quote_plus, unquote, unquote_plus, urlsplit

KEY_NAME = re.compile(
    r"(?<!ANSWER_)KEY|TOKEN(?!S|I|_LIMIT|_BUDGET)|SECRET|PASSW|CREDENTIAL|AUTHORIZATION|(?:^|_)PAT(?:_|$)",
    re.IGNORECASE,
)
"""Matches the names of environment variables and model arguments with keys, but not `answer_key` or `token_limit`."""

MIN_KEY_LENGTH = 8
"""Shorter values are not looked for: they are no secrets, and would be found in unrelated texts."""

_KEY_LIKE = re.compile(
    r"""\bBearer\s+[^\s"'\\\[]+|\bBasic\s+[\w+/]{16,}=*|\b(?:(?:sk|pk|rk|hf|gsk|xai)[-_]|AIza)[\w*•.-]{10,}""",
    re.IGNORECASE,
)
"""Matches keys by their format, including keys with masked characters and in base64."""

_HIDDEN_NAME = re.compile(
    rf"{KEY_NAME.pattern}|AUTH(?!OR)|COOKIE|SIGNATURE|CONNECTION_STRING|(?:^|[_-])SIG(?:$|[_-])", re.IGNORECASE
)
"""Matches the names of settings whose values are never shown."""

_REQUEST_PART = re.compile(r"HEADER|BODY|QUERY", re.IGNORECASE)
"""Matches the names of settings that are sent as they are, such as `extra_headers` and `default_query`."""

_URL_LIKE = re.compile(r"://|:[^\s:@]+@(?!sha256:)|\?[^\s=?]+=")
"""Matches a part that only a URL has, even without a scheme. The digest of an image does not match."""

_UNCLEAR_URL = re.compile(r"://[^/?#]*:[^@]*[/?#].*@|://.*://", re.DOTALL)
"""Matches a URL with a password that may contain a slash, and one that contains another URL."""

_CONTROL_CHARACTER = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Matches control characters except tabs and line feeds."""

_argument_keys: dict[str, str] = {}
"""Keys that were given as settings of models, with the names of the settings."""


def remember_keys(settings: Mapping[Any, Any], all_values: bool = False) -> None:
    """Let `redact` know the keys among the settings of a model.

    A value is a key if its name says so (`KEY_NAME`), or if it is a header. The password of a URL and the values of its
    query are keys, too.

    Args:
        settings: The settings.
        all_values: Whether every value is a key.
    """
    for setting, value in settings.items():
        name = str(setting)
        if isinstance(value, Mapping):
            has_keys = KEY_NAME.search(name) is not None or "header" in name.lower()
            remember_keys(value, all_values or has_keys)
        elif all_values or KEY_NAME.search(name):
            _argument_keys[str(value).strip()] = name
        elif isinstance(value, str) and "://" in value:
            _argument_keys.update(_secrets_of_url(value))


def _secrets_of_url(url: str) -> dict[str, str]:
    """The secrets of a URL with their names: its password and the values of its query, each as written and decoded.

    If it is not clear where the parts of the URL begin and end, the whole URL is a secret, too.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return {url: "URL"}
    secrets = {}
    if _UNCLEAR_URL.search(url):
        secrets[url] = "URL"
        # The first slash ends `netloc`. So if the password has a slash, as in `user:pass/word@host`, `netloc` is only
        # `user:pass`. A client then takes `user` for the host and `pass` for the port, and shows the port in an error.
        _, _, start_of_password = parts.netloc.partition(":")
        secrets[start_of_password] = "password"
    for argument in parts.query.split("&"):
        name, _, value = argument.partition("=")
        for spelling in (value, unquote_plus(value)):
            secrets[spelling] = unquote_plus(name)
    if parts.password:
        for spelling in (parts.password, unquote(parts.password)):
            secrets[spelling] = "password"
    return secrets


def public_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A model's settings as they may be printed and recorded.

    All names stay. Of the values,

    - numbers, booleans and plain texts stay, without the keys in them;
    - a URL keeps its scheme, host and path (`public_url`);
    - the parts of a request that are sent as they are, such as `extra_headers` and `extra_body`, become digests;
    - a value whose name says that it is a key becomes `[name]`, and an object becomes the name of its type.

    Different settings have different results, unless they differ only in keys or in objects of the same type. A value
    that is changed here need not be a secret: `secret_settings` lists the secrets.
    """
    public = {}
    for setting, value in settings.items():
        name = str(setting)
        public[name] = _public_value(name, value)
    return public


def secret_settings(settings: Mapping[Any, Any]) -> list[str]:
    """List the settings whose values must not be recorded, such as `default_headers.Authorization`.

    A setting is secret if its name says so (`_HIDDEN_NAME`), if its value is a URL with a user, a password or a query,
    or if it contains a key of the environment or has the format of one. All other values count as public, also in
    headers, queries and bodies.
    """
    secrets = []
    for setting, value in settings.items():
        name = str(setting)
        if value is None or isinstance(value, bool):
            continue
        if _HIDDEN_NAME.search(name):
            secrets.append(name)
        elif isinstance(value, str):
            if _has_secret(value):
                secrets.append(name)
        elif isinstance(value, Mapping | list | tuple):
            parts = value if isinstance(value, Mapping) else dict(enumerate(value))
            secrets += [f"{name}.{part}" for part in secret_settings(parts)]
    return secrets


def _has_secret(text: str) -> bool:
    if _URL_LIKE.search(text):
        return public_url(text) != text  # keys in the host or the path are replaced, too
    if _KEY_LIKE.search(text):
        return True
    return any(key in text for key in _environment_keys() if len(key) >= MIN_KEY_LENGTH)


def public_url(url: str) -> str:
    """The part of a URL that may be shown: its scheme, host and path, without the keys in them.

    If the URL has more, such as a password or a query, a digest of the whole URL is added. If it is not clear where its
    parts begin and end, only the digest is shown.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return digest(url)
    has_scheme = url.lower().startswith(f"{parts.scheme}://")  # false for `user:password@host`, for example
    if _UNCLEAR_URL.search(url) or not has_scheme:
        return digest(url)

    _, _, host = parts.netloc.rpartition("@")
    public = redact(f"{parts.scheme}://{host}{parts.path}")
    if url == public:
        return url
    return f"{public} ({digest(url)})"


def digest(value: Any) -> str:
    """The digest that is shown in place of a value. Equal values have equal digests."""
    # As in `public_settings`, an object counts as the name of its type.
    content = json.dumps(value, sort_keys=True, default=_type_name)
    hexadecimal = sha256(content.encode()).hexdigest()
    return f"sha256:{hexadecimal[:12]}"


def redact(text: str) -> str:
    """Replace keys by their names in brackets, and remove characters that could send commands to a terminal.

    The keys of the environment and of arguments of models are also found in URLs and in JSON, where some of their
    characters are escaped. Any other text that has the format of a key is replaced by `[key]`.
    """
    names: dict[str, str] = {}
    known_keys = {**_argument_keys, **_environment_keys()}
    for key, name in known_keys.items():
        if len(key) < MIN_KEY_LENGTH:
            continue
        in_path = quote(key)
        in_query = quote(key, safe="")
        in_form = quote_plus(key)
        in_json = json.dumps(key)[1:-1]  # without the quotation marks
        for spelling in (key, in_path, in_query, in_form, in_json):
            names[spelling] = name

    # The longest first, because one key may begin another.
    for spelling in sorted(names, key=len, reverse=True):
        name = names[spelling]
        text = text.replace(spelling, f"[{name}]")
    without_unknown_keys = _KEY_LIKE.sub("[key]", text)
    return printable(without_unknown_keys)


def printable(text: str) -> str:
    """Remove control characters, so that what a model wrote cannot send commands to a terminal."""
    return _CONTROL_CHARACTER.sub("", text)


def _environment_keys() -> dict[str, str]:
    """Keys in environment variables, with the names of the variables."""
    return {value.strip(): name for name, value in os.environ.items() if KEY_NAME.search(name)}


def _public_value(name: str, value: Any) -> Any:
    if _HIDDEN_NAME.search(name):
        return f"[{name}]"
    if _REQUEST_PART.search(name):
        return _digests(value)
    match value:
        case None | bool() | int() | float():
            return value
        case str() if _URL_LIKE.search(value):
            return public_url(value)
        case str():
            return redact(value)
        case Mapping():
            return public_settings(value)
        case list() | tuple():
            return [_public_value(name, part) for part in value]
    return _type_name(value)


def _type_name(value: Any) -> str:
    return type(value).__name__


def _digests(value: Any) -> Any:
    """The headers, the body or the query of a request with a digest in place of each value.

    If the values have no names, there is one digest of all of them. If the value is None, there is nothing to hide, and
    it stays None.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping):
        return digest(value)
    return {str(name): digest(part) for name, part in value.items()}
