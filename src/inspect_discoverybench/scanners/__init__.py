"""Transcript scanners for inspect-scout. They need the extra `scout`.

Raises:
    InvalidArgument: inspect-scout is not installed.
"""

from importlib.util import find_spec

from inspect_discoverybench.errors import InvalidArgument

if find_spec("inspect_scout") is None:
    raise InvalidArgument(
        "The transcript scanners need inspect-scout, which is not installed. Install it with "
        "`pip install 'inspect-discoverybench[scout]'`."
    )
