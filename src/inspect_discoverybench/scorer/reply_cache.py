"""Cache of the judge's accepted replies across runs, in Inspect's cache folder.

Inspect's own cache stores every reply before it is validated. This cache stores only accepted replies, so that
re-scoring an unscored sample asks the judge again.
"""

import json
import os
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
        if name.startswith("discoverybench/") or model.config.cache is False:
            return cls()
        try:
            return cls(cache_path(name) / "discoverybench-judge")
        except (ValueError, OSError):  # Inspect rejects the name as a path, or the disk is read-only
            return cls()

    @staticmethod
    def key(fingerprint: str, messages: Sequence[ChatMessage]) -> str:
        """Compute the key of a question from its messages and the fingerprint of the request settings."""
        texts = [[message.role, message.text] for message in messages]
        content = json.dumps([fingerprint, *texts])
        return sha256(content.encode()).hexdigest()

    def read(self, key: str) -> str | None:
        """Return the cached reply; None if there is none."""
        if self.folder is None:
            return None
        try:
            return self._file(key).read_text("utf-8")
        except (OSError, ValueError):  # missing or damaged
            return None

    def write(self, key: str, reply: str) -> None:
        """Store a reply for this user alone.

        A full or read-only disk is ignored: the question is asked again next time.
        """
        if self.folder is None:
            return
        # Write to a temporary file first, because other evals may read the entry at the same time.
        temporary = self.folder / f"{key}.{uuid4().hex}.tmp"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode=0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(reply)
            temporary.replace(self._file(key))
        except OSError:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)

    def _file(self, key: str) -> Path:
        return Path(self.folder or "", f"{key}.txt")
