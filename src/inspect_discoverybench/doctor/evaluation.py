"""Single-sample evaluations that use the same code path as a user's evaluation and leave no log behind."""

from tempfile import TemporaryDirectory

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample

from inspect_discoverybench.errors import CheckFailed, one_line

SAMPLE_SECONDS = 90
REQUEST_SECONDS = 45
MAX_RETRIES = 1


def evaluate(task: Task, model: str, sample_id: str | None = None, run_samples: bool = True) -> list[EvalSample]:
    """Run a task with one model.

    Args:
        task: The task.
        model: The evaluated model.
        sample_id: Run only this sample.
        run_samples: Whether to run samples. If not, only the model is created.

    Raises:
        CheckFailed: A sample ended with an error.
    """
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        [log] = inspect_eval(
            task,
            model=model,
            sample_id=sample_id,
            run_samples=run_samples,
            log_dir=folder,
            display="none",
            log_level="critical",
            log_realtime=False,
            ctl_server=False,
            score=True,
            time_limit=SAMPLE_SECONDS,
            timeout=REQUEST_SECONDS,
            max_retries=MAX_RETRIES,
        )
        # Read the samples here, while the file exists: the log that Inspect returns loads them from it on access.
        samples = list(log.samples or [])
    errors = [error for error in (*(sample.error for sample in samples), log.error) if error is not None]
    if errors:
        raise CheckFailed(one_line(Exception(errors[0].message)))
    return samples
