"""The connection to a model's server.

Inspect repeats requests to an unreachable server without a message, in our tasks for an hour (`DEFAULT_TIMEOUT`). So
`ask`, `try` and `run` open a connection beforehand, and report if the server cannot be reached.
"""

import socket
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from inspect_ai.model import Model

from inspect_discoverybench.errors.redaction import public_url

PORTS = {"http": 80, "https": 443}

SECONDS = 5
"""Time for a connection to be accepted."""

MAX_RETRIES = 3
"""Maximum number of retries of a request in the interactive commands `ask` and `try`. Inspect's default is to retry
indefinitely."""


def connection_problem(model: Model) -> str | None:
    """Why a model's server cannot be reached, in one line with the remedy; None if it can, or if this is not known.

    A connection is opened and closed, and no request is sent. This shows nothing if only the provider's package knows
    the address of the server, if requests to it go through a proxy, or if it is slow to accept the connection.
    """
    url = model.api.base_url or ""
    try:
        parts = urlsplit(url)
        port = parts.port or PORTS.get(parts.scheme)
    except ValueError:  # the URL is not valid: the provider's package reports it
        return None
    host = parts.hostname
    if host is None or port is None or _is_behind_proxy(parts.scheme, host):
        return None

    try:
        socket.create_connection((host, port), timeout=SECONDS).close()
    except ConnectionRefusedError:
        reason = "refuses connections"
    except socket.gaierror:
        reason = "has an unknown host name"
    except OSError:  # a timeout, for example: the next attempt may succeed
        return None
    else:
        return None
    return f"The server of {model} at {public_url(url)} {reason}. Start it, or correct its address."


def _is_behind_proxy(scheme: str, host: str) -> bool:
    return scheme in getproxies() and not proxy_bypass(host)
