"""What is said to models and people, and what they answer."""

from inspect_discoverybench.messages.answer import (
    SUBMIT,
    Answer,
    FreeText,
    answer_of,
    arguments_as_text,
    is_placeholder,
    is_submit,
    without_reasoning,
)
from inspect_discoverybench.messages.errors import (
    RETRY,
    AuthorFailed,
    DataError,
    DataMissing,
    DiscoveryBenchError,
    DiskFull,
    ExpressionRefused,
    InvalidArgument,
    InvalidExperiment,
    InvalidTree,
    JudgeFailed,
    JudgeUnavailable,
    ModelFailed,
    Refused,
    ReplyMissing,
    ReplyRejected,
    SandboxLost,
    SessionFailed,
    UnreadableLog,
    UnreadableTable,
    causes,
    ends_sample,
    file_errors,
    first_reason,
    hide_keys,
    inspect_errors,
    is_bad_request,
    model_errors,
    one_line,
    reason_of,
    redact,
    redact_request,
    require_positive,
)
from inspect_discoverybench.messages.hypothesis import (
    MAX_CHARACTERS,
    MAX_TEXT,
    NO_RESPONSE,
    NOT_ASSERTED,
    SCORE_NAME,
    WITHOUT_HYPOTHESIS,
    Source,
    Submission,
    SubmissionState,
    source_name,
)
from inspect_discoverybench.messages.prompts import Prompt, prompt_names
from inspect_discoverybench.messages.structured_reply import (
    Explanation,
    R,
    Reply,
    T,
    ask_until_valid,
    parse_boolean,
    parse_reply,
    reject_duplicate_keys,
    reply_schema,
)
from inspect_discoverybench.messages.text import (
    EncodableText,
    escape,
    fold,
    printable,
    quoted_reason,
    replace_surrogates,
)

# fmt: off
__all__ = [
    "MAX_CHARACTERS", "MAX_TEXT", "NOT_ASSERTED", "NO_RESPONSE", "RETRY", "SCORE_NAME", "SUBMIT",
    "WITHOUT_HYPOTHESIS", "Answer", "AuthorFailed", "DataError", "DataMissing", "DiscoveryBenchError", "DiskFull",
    "EncodableText", "Explanation", "ExpressionRefused", "FreeText", "InvalidArgument", "InvalidExperiment",
    "InvalidTree", "JudgeFailed", "JudgeUnavailable", "ModelFailed", "Prompt", "R", "Refused", "Reply",
    "ReplyMissing", "ReplyRejected", "SandboxLost", "SessionFailed", "Source", "Submission", "SubmissionState", "T",
    "UnreadableLog", "UnreadableTable", "answer_of", "arguments_as_text", "ask_until_valid", "causes", "ends_sample",
    "escape", "file_errors", "first_reason", "fold", "hide_keys", "inspect_errors", "is_bad_request",
    "is_placeholder", "is_submit", "model_errors", "one_line", "parse_boolean", "parse_reply", "printable",
    "prompt_names", "quoted_reason", "reason_of", "redact", "redact_request", "reject_duplicate_keys",
    "replace_surrogates", "reply_schema", "require_positive", "source_name", "without_reasoning",
]
# fmt: on
