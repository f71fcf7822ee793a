"""Questions to the model of a scan about cases that rules cannot decide."""

from collections.abc import Mapping
from typing import Annotated, Any

from inspect_ai.model import Model, get_model
from inspect_scout import Result
from pydantic import ConfigDict, Field, StrictBool, StringConstraints

from inspect_discoverybench.errors import AuthorFailed
from inspect_discoverybench.scanners.finding import undecided
from inspect_discoverybench.scorer.structured_reply import Reply
from inspect_discoverybench.synth.author import Author

PROMPTS = "scanners"


class Opinion(Reply):
    """The model's reply."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    explanation: Annotated[str, StringConstraints(strict=True, strip_whitespace=True), Field(min_length=1)]
    present: StrictBool


async def decide(prompt: str, values: Mapping[str, Any], candidates: str) -> Result:
    """Ask the model of the scan whether a candidate is what the scanner looks for.

    Args:
        prompt: Name of the prompt in `prompts/scanners/`.
        values: The values of its JSON block.
        candidates: What the rules found, for readers.

    Returns:
        True or false with the model's explanation. No value if the scan has no model, or if all replies are invalid.

    Raises:
        ReplyMissing: The provider returned a reply without choices.
    """
    model = scan_model()
    if model is None:
        return undecided(f"{candidates} Only a model can decide. Choose one with --model.", candidates=candidates)
    try:
        opinion = await Author(model, PROMPTS).ask(prompt, values, Opinion, _accept)
    except AuthorFailed as error:
        return undecided(f"{candidates} The model gave {error.message}", candidates=candidates, model=str(model))
    return Result(
        value=opinion.present,
        explanation=f"{opinion.explanation} ({candidates.rstrip('.')}; decided by {model})",
        metadata={"candidates": candidates, "model": str(model)},
    )


def scan_model() -> Model | None:
    """The model of the scan; None if none was chosen."""
    model = get_model()  # inspect-evals-lint: ignore[IEBP001] -- called by the scanners
    return None if str(model) == "none/none" else model


async def _accept(opinion: Opinion) -> Opinion:
    return opinion
