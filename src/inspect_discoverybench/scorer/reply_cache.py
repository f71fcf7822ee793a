"""Cache of the judge's accepted replies across runs, in Inspect's cache folder.

Inspect's own cache stores every reply before it is validated. This cache stores only accepted replies, so that
re-scoring an unscored sample asks the judge again.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from inspect_ai.model import ChatMessage, Model, cache_path


@dataclass(frozen=True)
class ReplyCache:
    """One file per accepted reply.

    Attributes:
        folder: The cache folder; None disables the cache.
    """

    folder: Path | None = None

    @classmethod
    def for_model(cls, model: Model) -> "ReplyCache":
        """The cache of a judge. `inspect cache clear` empties it.

        The cache is disabled for `discoverybench/…` models, whose rules change with the package, and for models
        configured with `cache=False`.
        """
        name = str(model)
        if not name.startswith("discoverybench/") and model.config.cache is not False:
            with suppress(ValueError, OSError):  # Inspect rejects the name as a path, or the disk is read-only
                return cls(cache_path(name) / "discoverybench-judge")
        return cls()

    @staticmethod
    def key(fingerprint: str, messages: Sequence[ChatMessage]) -> str:
        """Compute the key of a question from its messages and the fingerprint of the request settings."""
        question = [fingerprint, *([message.role, message.text] for message in messages)]
        return sha256(json.dumps(question).encode()).hexdigest()

    def read(self, key: str) -> str:
        """Return the cached reply; empty if there is none."""
        try:
            return (self.folder / f"{key}.txt").read_text("utf-8") if self.folder else ""
        except (OSError, ValueError):  # missing or damaged
            return ""

    def write(self, key: str, reply: str) -> None:
        """Store a reply. A full or read-only disk is ignored: the question is asked again next time."""
        if self.folder is None:
            return
        # Write to a temporary file first, because other evals may read the entry at the same time.
        temporary = self.folder / f"{key}.{uuid4().hex}.tmp"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            temporary.write_text(reply, "utf-8")
            temporary.replace(self.folder / f"{key}.txt")
        except OSError:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
