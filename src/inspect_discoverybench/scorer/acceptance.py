"""Whether a judge accepts the default settings of requests, as far as its replies have shown."""

import logging
from dataclasses import dataclass
from functools import cache

from inspect_ai.model import Model

logger = logging.getLogger(__name__)

MAX_REJECTIONS = 2
"""Number of rejections after which the defaults are no longer sent. A single rejection may have another cause."""


@dataclass
class Acceptance:
    """What is known about whether a model accepts the defaults.

    Attributes:
        model: The judge.
        rejections: Number of questions that the judge answered only without the defaults, after it refused them.
        is_suspected: Whether the judge's server failed on a question with the defaults, and then answered it without
            them. The defaults may be the cause, or the server was out of order when it failed.
        is_settled: Whether it is settled that failures of the server are not because of the defaults. This is so once
            the judge has answered a request with the defaults, or has failed without them, too.
    """

    model: Model
    rejections: int = 0
    is_suspected: bool = False
    is_settled: bool = False

    @property
    def is_refusal(self) -> bool:
        """Whether the defaults are no longer sent."""
        return self.rejections >= MAX_REJECTIONS

    def add_rejections(self, count: int) -> None:
        """Count questions that the model answered only without the defaults. Warn when the defaults are given up."""
        was_refusal = self.is_refusal
        self.rejections += count
        if self.is_refusal and not was_refusal:
            logger.warning(
                f"The judge {self.model} does not accept all of the settings temperature 0, seed 0 and reply schema. "
                "Continuing without them."
            )


@cache
def acceptance_of(model: Model) -> Acceptance:
    """What is known about whether a model accepts the defaults.

    There is one object for each model, and `Judge` updates it after the model's replies and failures.
    """
    return Acceptance(model)
