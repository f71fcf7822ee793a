"""Accepted replies of the judge, kept across runs in Inspect's cache folder.

Inspect's own cache keeps every reply, before anybody has read it. Here only accepted replies are kept, so that another
run over an unscored sample has all of its tries.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile

from inspect_ai.model import ChatMessage, Model, cache_path


@dataclass(frozen=True)
class ReplyCache:
    """One file for each accepted reply.

    Attributes:
        folder: Where they are; None keeps nothing.
    """

    folder: Path | None

    @classmethod
    def of(cls, model: Model) -> "ReplyCache":
        """The cache of a judge, which `inspect cache clear` empties.

        The judges of `discoverybench` have none, because their rules change with the package. `cache=False` in the
        config of a model turns its cache off.
        """
        name = str(model)
        if name.startswith("discoverybench/") or model.config.cache is False:
            return cls(None)
        try:
            return cls(cache_path(name) / "discoverybench-judge")
        except (ValueError, OSError):  # Inspect has no folder for such a name, or the disk is read-only
            return cls(None)

    @staticmethod
    def entry(fingerprint: str, messages: Sequence[ChatMessage]) -> str:
        """Name of the entry of a question: equal questions with equal settings have equal names.

        Args:
            fingerprint: Of the settings.
            messages: The question.
        """
        question = [fingerprint, *([message.role, message.text] for message in messages)]
        return sha256(json.dumps(question).encode()).hexdigest()

    def read(self, entry: str) -> str | None:
        """The reply; None if there is none."""
        if self.folder is None:
            return None
        try:
            content = json.loads((self.folder / f"{entry}.json").read_bytes())
        except (OSError, ValueError):  # not there, or damaged
            return None
        reply = content.get("reply") if isinstance(content, dict) else None
        return reply if isinstance(reply, str) else None

    def write(self, entry: str, reply: str) -> None:
        """Keep a reply. A disk that is full or read-only costs a request later, and nothing else."""
        if self.folder is None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            # Other evals may read at the same time.
            with NamedTemporaryFile("w", dir=self.folder, suffix=".tmp", delete=False, encoding="utf-8") as file:
                json.dump({"reply": reply}, file)
            Path(file.name).replace(self.folder / f"{entry}.json")
        except OSError:
            return
