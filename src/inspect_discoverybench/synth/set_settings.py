"""Settings of a generated set."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from inspect_discoverybench.errors import InvalidArgument


class SetSettings(BaseModel):
    """Everything that determines a generated set, except the author's replies.

    Attributes:
        seed: Seed of all random choices.
        height: Height of the trees.
        forest: Number of trees per domain.
        rows: Rows of each data file.
        noise_share: Probability that noise is added to a number. A column of a tree can have its own noise.
        noise_scale: Standard deviation of the noise, in standard deviations of the column.
        missing: Probability that a value is missing. A column of a tree can have its own.
        min_reproduction: Minimum skill of the gold expression on the released columns.
        splits: Subfolders that the domains are assigned to in turn; empty if the set is not split.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int = 0
    height: int = Field(default=3, ge=1, le=4)
    forest: int = Field(default=1, ge=1, le=4)
    rows: int = Field(default=500, ge=50, le=20_000)
    noise_share: float = Field(default=0.1, ge=0, le=1)
    noise_scale: float = Field(default=0.05, ge=0, le=1)
    missing: float = Field(default=0.02, ge=0, le=0.5)
    min_reproduction: float = Field(default=0.95, ge=0, le=1)
    splits: tuple[Annotated[str, Field(pattern="^[a-z][a-z0-9-]{0,30}$")], ...] = ()

    @field_validator("splits")
    @classmethod
    def _check_splits(cls, splits: tuple[str, ...]) -> tuple[str, ...]:
        if taken := {"trees", "domains"} & set(splits):
            raise ValueError(f"{min(taken)} is a folder of every set; choose another name")
        return splits

    def split(self, number: int) -> str:
        """The split of a domain; empty without splits. Tasks of one domain share columns, so they share a split."""
        return self.splits[number % len(self.splits)] if self.splits else ""

    @classmethod
    def of(cls, **arguments: object) -> "SetSettings":
        """Check the settings that a user gave.

        Raises:
            InvalidArgument: A setting is invalid.
        """
        try:
            return cls.model_validate(arguments)
        except ValidationError as error:
            first = error.errors()[0]
            raise InvalidArgument(f"{first['loc'][0]}={first['input']} is invalid: {first['msg']}.") from error
