"""Transcript scanners for inspect-scout. They need the extra `scout`.

Raises:
    InvalidArgument: inspect-scout is not installed.
"""

from inspect_discoverybench.errors.exceptions import InvalidArgument

try:
    import inspect_scout as inspect_scout
except ImportError as error:
    raise InvalidArgument(
        "The transcript scanners need inspect-scout, which is not installed. Install it with "
        "`pip install 'inspect-discoverybench[scout]'`."
    ) from error
