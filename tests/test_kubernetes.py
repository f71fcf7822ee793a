"""The sandbox in a Kubernetes cluster, as far as it can be tested without one.

Helm renders the chart of the installed inspect-k8s-sandbox, and the schemas of Kubernetes accept the result.
"""

import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from inspect_ai.util import ComposeConfig
from k8s_sandbox.compose import convert_compose_to_helm_values

from inspect_discoverybench import demo
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.sandbox.shipped_files import shipped
from inspect_discoverybench.sandbox.specification import VALUES

IMAGE = "registry.example.org/team/sandbox:1@sha256:" + 64 * "0"
CHART = str(files("k8s_sandbox") / "resources/helm/agent-env")

Values = dict[str, Any]


def values_file(**arguments: Any) -> Path:
    """The file that a task passes to the provider."""
    sandbox = demo(sandbox="k8s", **arguments).sandbox
    assert sandbox
    assert sandbox.type == "k8s"
    assert isinstance(sandbox.config, str)
    return Path(sandbox.config)


def read(path: Path) -> Values:
    text = path.read_text("utf-8")
    values: Values = yaml.safe_load(text)
    return values


def service(name: str) -> Values:
    """The agent's service in a shipped file."""
    values = read(shipped(name))
    default: Values = values["services"]["default"]
    return default


@pytest.fixture
def resources(helm: str) -> list[Values]:
    """The resources that inspect-k8s-sandbox would install. Helm checks the values against the chart's schema."""
    values = values_file(image=IMAGE)
    command = [
        helm,
        "template",
        "sample",
        CHART,
        "--namespace",
        "evals",
        "--values",
        str(values),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    resources = yaml.safe_load_all(result.stdout)
    return [resource for resource in resources if resource]


def test_the_published_image_is_required_or_used() -> None:
    # Once an image is published, the shipped values name it by its digest. Until then, the user must pass one.
    if "@sha256:" in service(VALUES)["image"]:
        assert values_file() == shipped(VALUES)
    else:
        with pytest.raises(InvalidArgument, match="make image-push REGISTRY=…`, and pass -T image=NAME or set DISC"):
            demo(sandbox="k8s")


def test_the_values_are_the_shipped_ones_with_another_image(monkeypatch: pytest.MonkeyPatch) -> None:
    file = values_file(image=IMAGE)
    expected = read(shipped(VALUES))
    expected["services"]["default"]["image"] = IMAGE
    assert read(file) == expected
    of_other_image = values_file(image=f"{IMAGE}1")
    assert of_other_image != file
    # The path depends only on the image, wherever its name comes from. So a retry on this machine finds the file at the
    # path in the log.
    monkeypatch.setenv("DISCOVERYBENCH_IMAGE", IMAGE)
    assert values_file() == file


def test_the_compose_file_is_refused_with_a_line_that_names_the_values(tmp_path: Path) -> None:
    sandbox = demo(sandbox="docker", image=IMAGE).sandbox
    assert sandbox
    assert isinstance(sandbox.config, ComposeConfig)
    # inspect-k8s-sandbox and Hawk also write the configuration of a Docker sandbox to a file, and convert that file.
    file = tmp_path / "task-compose.yaml"
    config = sandbox.config.model_dump(exclude_none=True, by_alias=True)
    text = yaml.safe_dump(config)
    file.write_text(text, "utf-8")
    with pytest.raises(Exception, match=r"use -T sandbox=k8s \(sandbox/helm-values.yaml\)") as refused:
        convert_compose_to_helm_values(file)
    message = str(refused.value)
    assert "\n" not in message


def test_kubernetes_accepts_what_the_chart_renders(resources: list[Values]) -> None:
    version = kubernetes_validate.latest_version()
    policies = 0
    for resource in resources:
        if resource["kind"] == "CiliumNetworkPolicy":  # not in the schemas of Kubernetes
            policies += 1
        else:
            kubernetes_validate.validate(resource, version, strict=True)
    # The chart has two for every sandbox, on egress and on ingress, and one for a service with `networkIsolated`.
    assert policies == 3


def test_the_pod_is_isolated(resources: list[Values]) -> None:
    [stateful_set] = [resource for resource in resources if resource["kind"] == "StatefulSet"]
    template = stateful_set["spec"]["template"]
    spec = template["spec"]
    [container, *_] = spec["containers"]
    assert container["image"] == IMAGE
    assert container["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 1000,
        "runAsGroup": 1000,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert spec["automountServiceAccountToken"] is False
    assert spec["enableServiceLinks"] is False
    assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & spec.keys()
    # Nothing of the node is mounted: what the agent can write is in memory and limited, and the rest is configuration.
    for volume in spec["volumes"]:
        folder = volume.get("emptyDir")
        if folder is None:
            assert volume.keys() == {"name", "configMap"}
        else:
            assert folder["medium"] == "Memory"
            assert folder["sizeLimit"]

    by_name = {resource["metadata"]["name"]: resource for resource in resources}
    [isolation] = [policy for name, policy in by_name.items() if name.endswith("-svc-default-isolate")]
    assert isolation["spec"]["egressDeny"] == [{"toEntities": ["all"]}]


def test_limits_and_folders_in_memory_are_those_of_the_compose_file() -> None:
    docker = service("compose.yaml")
    pod = service(VALUES)
    assert pod["command"] == docker["command"]
    limits = pod["resources"]["limits"]
    memory = docker["mem_limit"].replace("gb", "Gi")
    assert limits["cpu"] == docker["cpus"]
    assert limits["memory"] == memory

    for name, value in docker["environment"].items():
        assert {"name": name, "value": value} in pod["env"]

    folders = [mount["mountPath"] for mount in pod["volumeMounts"]]
    folders.append("/opt/human_agent")  # of `human_cli`, which works in Docker only
    for mount in docker["tmpfs"]:
        folder, _ = mount.split(":")
        assert folder in folders
