"""The ledger of DataVoyager: the plan, who did what, and whether the team stalls."""

from inspect_ai.util import StoreModel
from pydantic import BaseModel, ConfigDict, Field

from inspect_discoverybench.solvers.datavoyager.critic import Verdict
from inspect_discoverybench.solvers.datavoyager.roles import Role

MOST_STALLS = 2
"""Turns without progress, one after the other, that make the planner revise."""

MOST_REVISIONS = 2
"""Times that the planner revises."""


class Turn(BaseModel):
    """One turn of a role.

    Attributes:
        role: Who acted.
        instruction: What was asked of it.
        did: What it said, and the code that it ran.
    """

    model_config = ConfigDict(frozen=True)

    role: Role
    instruction: str
    did: str


class Ledger(StoreModel):
    """What the log keeps of the team's work, beside the conversation."""

    plan: str = ""
    """The planner's latest message: what is given, what is asked, the numbered plan."""

    turns: list[Turn] = Field(default_factory=list)
    """Every turn of planner, coder and analyst, in order."""

    verdicts: list[Verdict | None] = Field(default_factory=list)
    """Every answer of the critic, in order; None for one that stayed unreadable."""

    stalls: int = 0
    """Turns without progress since the last progress or revision."""

    revisions: int = 0
    """Times that the planner was made to revise."""

    revised_at: int = 0
    """Number of turns before the last revision; loops are looked for after it."""

    def record(self, turn: Turn) -> None:
        """Add a turn; the planner's message is the plan from now on."""
        self.turns = [*self.turns, turn]
        if turn.role is Role.PLANNER:
            self.plan = turn.did

    def weigh(self, verdict: Verdict | None) -> bool:
        """Add a verdict; whether the planner must now revise: two stalls, or a loop, and revisions are left."""
        self.verdicts = [*self.verdicts, verdict]
        if verdict is not None and verdict.answered:
            return False
        self.stalls = 0 if verdict is not None and verdict.progress else self.stalls + 1
        if self.revisions == MOST_REVISIONS or not (self.stalls >= MOST_STALLS or self._loops(verdict)):
            return False
        self.revisions += 1
        self.stalls = 0
        self.revised_at = len(self.turns)
        return True

    def _loops(self, verdict: Verdict | None) -> bool:
        """Whether a role did again what it had done, or would, without progress, be told again what it was told."""
        turns = self.turns[self.revised_at :]
        done = [(turn.role, turn.did) for turn in turns]
        told = [(turn.role, turn.instruction) for turn in turns]
        again = verdict is not None and not verdict.progress and (verdict.next, verdict.instruction) in told
        return again or len(set(done)) < len(done)
