"""Check of the Kubernetes cluster, for the sandbox `k8s`."""

import shutil
from importlib import import_module
from importlib.util import find_spec

from inspect_discoverybench.doctor.check import Finding, Status

REQUEST_SECONDS = 10


def check_cluster() -> Finding:
    """Whether the provider and Helm are installed, and the cluster of the current context responds."""
    if find_spec("k8s_sandbox") is None:
        return Finding(
            Status.FAILURE, "inspect-k8s-sandbox is not installed", "Run: pip install 'inspect-discoverybench[k8s]'"
        )
    if shutil.which("helm") is None:
        return Finding(Status.FAILURE, "the program `helm` is not installed", "Install Helm 3.")
    # This package is installed only with the provider.
    config, client = import_module("kubernetes.config"), import_module("kubernetes.client")
    _, active = config.list_kube_config_contexts()
    config.load_kube_config()
    server = client.VersionApi().get_code(_request_timeout=REQUEST_SECONDS)
    return Finding(Status.OK, f"context {active['name']}, Kubernetes {server.git_version}")
