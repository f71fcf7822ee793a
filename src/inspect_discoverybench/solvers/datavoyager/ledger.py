"""DataVoyager's ledger: the plan, the turns, the critic's replies, and the detection of stalls and loops."""

from inspect_ai.util import StoreModel
from pydantic import BaseModel, ConfigDict, Field

from inspect_discoverybench.solvers.datavoyager.critic import CriticReply
from inspect_discoverybench.solvers.datavoyager.roles import Role

MAX_STALLS = 2
"""Number of consecutive turns without progress after which the planner revises the plan."""

MAX_REVISIONS = 2
"""Maximum number of revisions."""


class RoleTurn(BaseModel):
    """One turn of a role.

    Attributes:
        role: The role that acted.
        instruction: Its instruction.
        output: Its text and the code it ran.
    """

    model_config = ConfigDict(frozen=True)

    role: Role
    instruction: str
    output: str


class Ledger(StoreModel):
    """The team's progress, kept in the log alongside the conversation."""

    plan: str = ""
    """The planner's latest message: what is given, what is asked, and the numbered plan."""

    turns: list[RoleTurn] = Field(default_factory=list)
    """Every turn of the planner, the coder and the analyst, in order."""

    verdicts: list[CriticReply | None] = Field(default_factory=list)
    """Every reply of the critic, in order; None for an invalid reply."""

    stalls: int = 0
    """Number of turns without progress since the last progress or revision."""

    revisions: int = 0
    """Number of revisions requested so far."""

    revised_at: int = 0
    """Number of turns before the last revision. Loops are detected among later turns only."""

    def record_turn(self, turn: RoleTurn) -> None:
        """Add a turn. The planner's text becomes the plan."""
        self.turns = [*self.turns, turn]
        if turn.role is Role.PLANNER:
            self.plan = turn.output

    def record_verdict(self, reply: CriticReply | None) -> bool:
        """Add a reply of the critic; return whether the planner must revise the plan.

        The plan is revised if the team stalls or is in a loop, at most `MAX_REVISIONS` times.

        Args:
            reply: The critic's reply; None if it was invalid, which counts as a turn without progress.
        """
        self.verdicts = [*self.verdicts, reply]
        if reply is not None and reply.answered:
            return False
        self.stalls = 0 if reply is not None and reply.progress else self.stalls + 1
        stuck = self.stalls >= MAX_STALLS or self._repeats_turn() or self._repeats_instruction(reply)
        if not stuck or self.revisions == MAX_REVISIONS:
            return False
        self.revisions += 1
        self.stalls = 0
        self.revised_at = len(self.turns)
        return True

    def _repeats_turn(self) -> bool:
        """Whether a role repeated its text or code verbatim since the last revision."""
        turns = [(turn.role, turn.output) for turn in self.turns[self.revised_at :]]
        return len(set(turns)) < len(turns)

    def _repeats_instruction(self, reply: CriticReply | None) -> bool:
        """Whether the critic, without progress, repeats an instruction given since the last revision."""
        if reply is None or reply.progress:
            return False
        return any(
            (turn.role, turn.instruction) == (reply.next, reply.instruction) for turn in self.turns[self.revised_at :]
        )
