"""Whether a judge accepts the default settings of requests, as far as its replies have shown.

The defaults are temperature 0, seed 0 and the schema of the reply. If the user has set one of these, it is no default.
"""

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
        refuses_defaults: Whether the judge is known to refuse the defaults, so that they are no longer sent.
        rejections: Number of questions that the judge answered only without the defaults, after it refused the
            defaults.
        has_suspicion: Whether the judge's server failed on a question with the defaults, and then answered the question
            without them. The defaults may be the cause, or the server was out of order when it failed.
        may_defaults_cause_failures: Whether a failure of the server may be because of the defaults. This is excluded
            once the judge has answered a request with the defaults, or has failed without them, too.
    """

    model: Model
    refuses_defaults: bool = False
    rejections: int = 0
    has_suspicion: bool = False
    may_defaults_cause_failures: bool = True

    def add_rejection(self) -> None:
        """Count a question that the judge answered only without the defaults, after it refused them."""
        self.rejections += 1
        if self.rejections >= MAX_REJECTIONS:
            self.give_up_defaults()

    def give_up_defaults(self) -> None:
        """Stop sending the defaults, and warn the first time."""
        if self.refuses_defaults:
            return
        self.refuses_defaults = True
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
