"""The paper's own results."""

from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict


class Published(BaseModel):
    """Results of the paper.

    Attributes:
        source: Where they were published.
        scores: HMS × 100 by benchmark, agent and model.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    scores: dict[str, dict[str, dict[str, float]]]


def published() -> Published:
    """Figure 4 (left) of the paper."""
    return Published.model_validate(yaml.safe_load(files(__package__).joinpath("published.yaml").read_text("utf-8")))
