"""What kubectl needs of a cluster for `--dry-run=client`: which resources there are. It stores and checks nothing."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

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
            named = [version.split("/") for version in RESOURCES if "/" in version]
            versions = [{"groupVersion": f"{group}/{version}", "version": version} for group, version in named]
            groups = [
                {"name": group, "versions": [version], "preferredVersion": version}
                for (group, _), version in zip(named, versions, strict=True)
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

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = discovery(self.path.partition("?")[0])
            missing = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
            content = json.dumps(found or missing).encode()
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Keep the test output readable."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
