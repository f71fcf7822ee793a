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
from tempfile import NamedTemporaryFile

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
        """The cache of a judge. `inspect cache clear --model NAME` empties it.

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
            return Path(self.folder, f"{key}.txt").read_text("utf-8")
        except (OSError, ValueError):  # missing or damaged
            return None

    def write(self, key: str, reply: str) -> None:
        """Store a reply for this user alone.

        A full or read-only disk is ignored: the question is asked again next time.
        """
        if self.folder is None:
            return
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            # Other evals may read the entry at the same time, so it is written to a temporary file first. Only the user
            # can read that file.
            with NamedTemporaryFile("w", encoding="utf-8", dir=self.folder, suffix=".tmp", delete=False) as file:
                file.write(reply)
            Path(file.name).replace(self.folder / f"{key}.txt")
