"""The checks that `discoverybench doctor` runs."""

from collections.abc import Iterator
from functools import partial

from inspect_discoverybench.doctor.check import Check
from inspect_discoverybench.doctor.cluster import check_cluster
from inspect_discoverybench.doctor.engine import check_compose, check_engine, check_image
from inspect_discoverybench.doctor.installation import check_data, check_packages, check_python
from inspect_discoverybench.doctor.model import check_call, check_key, check_pair
from inspect_discoverybench.doctor.session import check_session
from inspect_discoverybench.scorer.judge import DEFAULT_JUDGE

PROVIDERS = ("docker", "k8s", "local")

_START_DOCKER = "Install and start Docker, and allow this user to use it. The demo does not need it."


def all_checks(provider: str, model: str | None, grader: str | None) -> Iterator[Check]:
    """The checks in the order in which they run. Time limits allow for a busy machine.

    Args:
        provider: The sandbox: one of `PROVIDERS`.
        model: The evaluated model; None to check none.
        grader: The judge; None to check only the key of the default judge.
    """
    yield Check("python", check_python, "", 60)
    yield Check("packages", check_packages, "Run: pip install --upgrade inspect-discoverybench", 60)
    yield Check("data", check_data, "Run: discoverybench data verify", 300)
    if provider == "docker":
        yield Check("engine", check_engine, _START_DOCKER, 120)
        yield Check("compose", check_compose, _START_DOCKER, 60)
        yield Check("image", check_image, _START_DOCKER, 120, requires=("engine",))
    if provider == "k8s":
        yield Check("cluster", check_cluster, "Check the current context: kubectl cluster-info", 120)
    required = {"docker": ("engine", "compose", "image"), "k8s": ("cluster",)}.get(provider, ())
    remedy = f"Run a sample: inspect eval discoverybench/demo -T sandbox={provider} --limit 1"
    yield Check("session", partial(check_session, provider), remedy, 300, requires=required)
    remedy = "Check the model's name, its key and its package."
    if model is not None:
        yield Check("model key", partial(check_key, model, True), remedy, 120)
        yield Check("model call", partial(check_call, model), remedy, 240, requires=("model key",))
    yield Check("judge key", partial(check_key, grader or DEFAULT_JUDGE, grader is not None), remedy, 120)
    if grader is not None:
        yield Check("judge pair", partial(check_pair, grader), remedy, 240, requires=("judge key",))
