"""The list of resources that kubectl requests from a cluster for `--dry-run=client`. Nothing is stored or checked."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.loopback import serve_documents

RESOURCES = {
    "v1": [("configmaps", "ConfigMap"), ("services", "Service")],
    "apps/v1": [("statefulsets", "StatefulSet")],
    "cilium.io/v2": [("ciliumnetworkpolicies", "CiliumNetworkPolicy")],
}


def discovery(path: str) -> dict[str, Any] | None:
    """The answer to a request for the resources of a group, or None."""
    match path.strip("/"):
        case "api":
            return {"kind": "APIVersions", "versions": ["v1"]}
        case "apis":
            with_group = [version.split("/") for version in RESOURCES if "/" in version]
            versions = [{"groupVersion": f"{group}/{version}", "version": version} for group, version in with_group]
            groups = [
                {"name": group, "versions": [version], "preferredVersion": version}
                for (group, _), version in zip(with_group, versions, strict=True)
            ]
            return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
    version = path.strip("/").removeprefix("apis/").removeprefix("api/")
    if version not in RESOURCES:
        return None
    resources = [
        {"name": name, "singularName": "", "namespaced": True, "kind": kind, "verbs": ["create", "get", "patch"]}
        for name, kind in RESOURCES[version]
    ]
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": resources}


@contextmanager
def serve() -> Iterator[str]:
    """Serve on a free loopback port until the block ends, and yield the address."""
    missing = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
    with serve_documents(discovery, lambda _: missing) as address:
        yield f"http://{address}"
