"""Transcript scanners for inspect-scout. They need the extra `scout`.

Raises:
    InvalidArgument: inspect-scout is not installed.
"""

from inspect_discoverybench.errors.exceptions import InvalidArgument

try:
    # Imported only to see whether it is installed. Ruff does not report a name that is imported as itself as unused.
    import inspect_scout as inspect_scout
except ImportError as error:
    raise InvalidArgument(
        "The transcript scanners need inspect-scout, which is not installed. Install it with "
        "`pip install 'inspect-discoverybench[scout]'`."
    ) from error
