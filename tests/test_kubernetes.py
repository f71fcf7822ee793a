"""The sandbox in a Kubernetes cluster, as far as it can be tested without one.

Helm renders the chart of the installed inspect-k8s-sandbox, the schemas of Kubernetes accept the result, and
the session runs in a container of Docker with the security context and volumes of the rendered pod.
"""

import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.util import ComposeConfig, SandboxEnvironmentSpec
from k8s_sandbox.compose import convert_compose_to_helm_values

from inspect_discoverybench import custom, demo
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.sandbox.image import image
from inspect_discoverybench.sandbox.shipped_files import shipped
from inspect_discoverybench.sandbox.specification import VALUES
from tests.solvers.scripted import finished, observations, python, scripted, submit

IMAGE = "registry.example.org/team/sandbox:1@sha256:" + 64 * "0"
CHART = Path(str(files("k8s_sandbox"))) / "resources" / "helm" / "agent-env"
REPOSITORY = Path(__file__).parents[1]
EXAMPLE = REPOSITORY / "examples/lighthouses"

Values = dict[str, Any]


def values_file(**arguments: Any) -> Path:
    """The file that a task passes to the provider."""
    sandbox = demo(sandbox="k8s", **arguments).sandbox
    assert sandbox
    assert sandbox.type == "k8s"
    assert isinstance(sandbox.config, str)
    return Path(sandbox.config)


def read(path: Path) -> Values:
    values: Values = yaml.safe_load(path.read_text("utf-8"))
    return values


def service(name: str) -> Values:
    """The agent's service in a shipped file."""
    values: Values = read(shipped(name))["services"]["default"]
    return values


def rendered(helm: str, values: Path) -> list[Values]:
    """The resources that inspect-k8s-sandbox would install. Helm checks the values against the chart's schema."""
    command = [
        helm,
        "template",
        "sample",
        str(CHART),
        "--namespace",
        "evals",
        "--values",
        str(values),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    resources = yaml.safe_load_all(result.stdout)
    return [resource for resource in resources if resource]


def pod(resources: list[Values]) -> Values:
    [stateful_set] = [resource for resource in resources if resource["kind"] == "StatefulSet"]
    spec: Values = stateful_set["spec"]["template"]["spec"]
    return spec


def test_the_published_image_is_required_or_used() -> None:
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
    assert values_file(image=f"{IMAGE}1") != file
    # A retry on this machine finds the file at the path in the log.
    monkeypatch.setenv("DISCOVERYBENCH_IMAGE", IMAGE)
    assert values_file() == file
    task = custom(path=str(EXAMPLE), sandbox="k8s")
    assert task.sandbox == SandboxEnvironmentSpec("k8s", str(file))


def test_the_compose_file_is_refused_with_a_line_that_names_the_values(tmp_path: Path) -> None:
    sandbox = demo(sandbox="docker", image=IMAGE).sandbox
    assert sandbox
    assert isinstance(sandbox.config, ComposeConfig)
    # As inspect-k8s-sandbox and Hawk do with a Docker sandbox.
    file = tmp_path / "task-compose.yaml"
    config = sandbox.config.model_dump(exclude_none=True, by_alias=True)
    file.write_text(yaml.safe_dump(config), "utf-8")
    for compose in (file, shipped("compose.yaml")):
        with pytest.raises(Exception, match=r"use -T sandbox=k8s \(sandbox/helm-values.yaml\)") as refused:
            convert_compose_to_helm_values(compose)
        assert "\n" not in str(refused.value)


def test_kubernetes_accepts_what_the_chart_renders(helm: str) -> None:
    resources = rendered(helm, values_file(image=IMAGE))
    kinds = [resource["kind"] for resource in resources]
    assert kinds.count("CiliumNetworkPolicy") == 3
    assert "StatefulSet" in kinds
    for resource in resources:
        # Cilium's are not in the schemas of Kubernetes.
        if resource["kind"] != "CiliumNetworkPolicy":
            kubernetes_validate.validate(resource, kubernetes_validate.latest_version(), strict=True)


def test_the_pod_is_isolated(helm: str) -> None:
    resources = rendered(helm, values_file(image=IMAGE))
    spec = pod(resources)
    [container, dns] = spec["containers"]
    assert container["image"] == IMAGE
    assert dns["name"] == "coredns"
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
        [kind] = volume.keys() - {"name"}
        assert kind in ("configMap", "emptyDir")
        if kind == "emptyDir":
            assert volume[kind]["medium"] == "Memory"
            assert volume[kind]["sizeLimit"]
    by_name = {resource["metadata"]["name"]: resource for resource in resources}
    [name] = [name for name in by_name if name.endswith("-svc-default-isolate")]
    isolation = by_name[name]
    assert isolation["spec"]["egressDeny"] == [{"toEntities": ["all"]}]


def test_the_limits_are_those_of_the_compose_file() -> None:
    docker = service("compose.yaml")
    pod_service = service(VALUES)
    assert pod_service["command"] == docker["command"]
    limits = pod_service["resources"]["limits"]
    assert limits["cpu"] == docker["cpus"]
    assert limits["memory"] == docker["mem_limit"].replace("gb", "Gi")

    variables = {variable["name"]: variable["value"] for variable in pod_service["env"]}
    assert variables.items() >= docker["environment"].items()


def test_the_folders_in_memory_are_those_of_the_compose_file() -> None:
    sizes = {}
    for mount in service("compose.yaml")["tmpfs"]:
        path, _, options = mount.partition(":size=")
        size, _, _ = options.partition(",")
        sizes[path] = size.replace("g", "Gi").replace("m", "Mi")
    del sizes["/opt/human_agent"]  # of `human_cli`, which works in Docker only
    pod_service = service(VALUES)
    volumes = {volume["name"]: volume["emptyDir"] for volume in pod_service["volumes"]}
    for mount in pod_service["volumeMounts"]:
        volume = volumes.pop(mount["name"])
        assert volume["sizeLimit"] == sizes.pop(mount["mountPath"])
    assert (volumes, sizes) == ({}, {})


def as_docker_runs_it(spec: Values) -> ComposeConfig:
    """The pod's first container as a service of Docker, without limits. An `emptyDir` is root's, open to everyone."""
    container = spec["containers"][0]
    context = container["securityContext"]
    paths = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    mounts = []
    volumes = {}
    for volume in spec["volumes"]:
        if "emptyDir" not in volume:
            continue
        name = volume["name"]
        size = volume["emptyDir"]["sizeLimit"].removesuffix("i")
        options = {"type": "tmpfs", "device": "tmpfs", "o": f"mode=0777,size={size}"}
        volumes[name] = {"driver_opts": options}
        mounts.append({"type": "volume", "source": name, "target": paths[name], "volume": {"nocopy": True}})
    variables = {variable["name"]: variable["value"] for variable in container["env"]}
    service = {
        "image": container["image"],
        "x-local": True,
        "pull_policy": "never",
        "entrypoint": container["command"],
        "command": [],
        "working_dir": container["workingDir"],
        "user": f"{context['runAsUser']}:{context['runAsGroup']}",
        "read_only": context["readOnlyRootFilesystem"],
        "cap_drop": context["capabilities"]["drop"],
        "network_mode": "none",
        "environment": variables,
        "volumes": mounts,
    }
    # Inspect cannot see that these volumes are in memory.
    allowed = {"unsafe_allow_writable_host_mounts": True}
    return ComposeConfig.model_validate(
        {"services": {"default": service}, "volumes": volumes, "x-inspect_docker_sandbox": allowed}
    )


CELL = """
import os, pandas, matplotlib.pyplot
print(len(pandas.read_csv("data.csv")) > 100, os.getcwd(), os.getuid())
for folder in (".", os.path.expanduser("~"), "/tmp", "/var/tmp"):
    open(f"{folder}/note", "w").close()
"""


@pytest.mark.usefixtures("engine")
@pytest.mark.timeout(900)
def test_the_session_and_files_work_in_the_container_of_the_pod(helm: str) -> None:
    resources = rendered(helm, values_file(image=image()))
    config = as_docker_runs_it(pod(resources))
    sandbox = SandboxEnvironmentSpec("docker", config)
    task = task_with(demo(), sandbox=sandbox)
    answer = submit(hypothesis="In Norway, salmon shrink by 3 %.", workflow="1. Guess.")
    model = scripted([python(CELL), answer])
    [log] = inspect_eval(task, model=model, limit=1)
    [sample] = finished(log).samples or []
    assert sample.error is None
    assert observations(sample) == ["True /workspace 1000"]
