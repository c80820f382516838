"""A control plane on loopback, as released: etcd, an API server, and Kueue with its webhooks and roles.

    with control_plane({"waitForPodsReady": {"timeout": "5m"}}) as plane:
        plane.apply([...])                      # by server-side apply
        plane.get("/apis/kueue.x-k8s.io/v1beta2/workloads")
        plane.kubectl("get", "workloads", "-A")
        plane.server.create(..., dry_run=True)  # and patch, replace, delete, watch: see server.py
        plane.configure({"fairSharing": {"preemptionStrategies": ["LessThanInitialShare"]}})

Tests take the fixture `plane` of conftest.py, one for the whole run, and begin with `plane.configure({...})`:
Kueue starts again only where it runs with another Configuration. What tests create has names of their own.

No controller but Kueue's runs, no scheduler and no kubelet: no Pod is created for a Job, namespaces are not
emptied, nodes are objects. A Job that Kueue evicts has no running Pods: it returns its reservation at once.

    python -m tests.live.plane [CONFIGURATION.yaml]   a control plane until Ctrl-C

Ports are free ones, state is in a new folder below the system's temporary folder. All processes end and the
folder is removed when the context ends, and when this process ends in any other way. After a failure logs are
kept in build/live/logs.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from tests.live import kept, programs
from tests.live.server import ApiError, Object, Server

Configuration: TypeAlias = Mapping[str, Any] | str
"""Fields of Kueue's Configuration, set on top of `OWN`; or the text of the whole file, taken as it is."""
LOGS = programs.BUILT / "logs"
NAMESPACE = "kueue-system"
PATIENCE_S = 300.0
"""After so many seconds a step of the start counts as failed, however busy the machine."""
BESIDE_PODS: Object = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "kueue-webhook-service", "namespace": NAMESPACE},
    "spec": {"type": "ExternalName", "externalName": "localhost"},
}
"""Kueue runs beside the API server and not in a Pod: its webhooks are on this machine."""
IN_PODS = ("Deployment", "APIService", "Service")
"""Kinds among Kueue's manifests that a Kueue outside of a Pod does without."""


class KueueStartError(Exception):
    """Kueue ended when it was started: it refuses its Configuration, or something else is wrong.

    Args:
        code: the exit code.
        log: all that it wrote.
    """

    def __init__(self, code: int, log: str) -> None:
        super().__init__(f"Kueue ended with {code}:\n" + "\n".join(log.splitlines()[-12:]))
        self.code = code
        self.log = log


class Kept:
    """A process that lives no longer than this one.

    Args:
        command: program and arguments.
        log: the file that takes what it writes.
        grace: seconds between SIGTERM and SIGKILL when it is ended.
        folder: removed when it has ended.
    """

    def __init__(self, command: list[str], log: Path, grace: float = 0, folder: Path | None = None) -> None:
        keeper = [sys.executable, "-S", str(kept.__file__), str(grace), str(folder or "")]
        with log.open("ab") as written:
            self._keeper = subprocess.Popen(
                [*keeper, *command],
                stdin=subprocess.PIPE,
                stdout=written,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.log = log

    def ended(self) -> int | None:
        """The exit code, or None while it runs."""
        return self._keeper.poll()

    def end(self) -> None:
        """End it and wait for that."""
        assert self._keeper.stdin is not None
        self._keeper.stdin.close()
        self._keeper.wait()


class Plane:
    """A control plane that runs: `control_plane` makes one.

    Attributes:
        folder: where its state is.
        kubeconfig: the file that names it, as cluster administrator.
        server: direct requests, as cluster administrator.
        environment: of a process that asks it with kubectl: KUBECONFIG, and a PATH with kubectl.
        configuration: what Kueue runs with.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kubeconfig = folder / "admin.conf"
        self.configuration: Configuration | None = None
        self._programs = programs.built()
        places = (str(self._programs["kubectl"].parent), str(Path(sys.executable).parent), os.environ["PATH"])
        self.environment = {
            **os.environ,
            "PATH": os.pathsep.join(places),
            "KUBECONFIG": str(self.kubeconfig),
            "KUBECACHEDIR": str(folder / "cache"),
        }
        self._logs = folder / "logs"
        self._ports = _free_ports("apiserver", "etcd", "peer", "webhooks", "health")
        self._started = ExitStack()
        self._kueue: Kept | None = None
        self.server: Server

    # ---- what tests use

    def kubectl(self, *words: str, stdin: str | None = None) -> str:
        """What kubectl prints, as cluster administrator.

        Raises:
            RuntimeError: it failed; with what it wrote to standard error.
        """
        done = subprocess.run(
            [str(self._programs["kubectl"]), *words],
            input=stdin,
            capture_output=True,
            text=True,
            env=self.environment,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"kubectl {' '.join(words)}: {done.stderr}")
        return done.stdout

    def get(self, path: str) -> Object:
        """The answer to GET of a path of the API server, as JSON."""
        return self.server.get(path)

    def is_established(self, definition: Object) -> bool:
        """Whether objects of a CustomResourceDefinition can be created."""
        found = self.get(self.server.path_of(definition))
        conditions = found.get("status", {}).get("conditions") or ()
        return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)

    def apply(self, objects: list[Object]) -> None:
        """Create or change objects by server-side apply, in this order."""
        self.server.apply(objects)

    def configure(self, configuration: Configuration) -> None:
        """Have Kueue run with this Configuration; it starts again only where it runs with another one.

        Raises:
            KueueStartError: it does not start with it.
        """
        if self._kueue is None or self._kueue.ended() is not None or configuration != self.configuration:
            self.restart_kueue(configuration)

    def restart_kueue(self, configuration: Configuration) -> None:
        """End Kueue and start it with this Configuration, which is also put into its ConfigMap.

        Raises:
            KueueStartError: it does not start with it; then no Kueue runs.
        """
        self.end_kueue()
        self.configuration = configuration
        text = self.configuration_text(configuration)
        file = self.folder / "configuration.yaml"
        file.write_text(text, encoding="utf-8")
        self.apply([_config_map(text)])
        self._kueue = self._kept_kueue(file)
        self._wait(self._kueue_answers, "Kueue to be ready", self._kueue)

    def end_kueue(self) -> None:
        """End Kueue; objects stay, and its webhooks refuse changes of them until it starts again."""
        if self._kueue is not None:
            self._kueue.end()
            self._kueue = None

    def configuration_text(self, configuration: Configuration) -> str:
        """The file with which Kueue is started: the fields on top of what this control plane needs."""
        if isinstance(configuration, str):
            return configuration
        own = {
            "apiVersion": "config.kueue.x-k8s.io/v1beta2",
            "kind": "Configuration",
            "namespace": NAMESPACE,
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self._ports['health']}"},
            "metrics": {"bindAddress": "0"},
            "webhook": {
                "host": "127.0.0.1",
                "port": self._ports["webhooks"],
                "certDir": str(self.folder / "hooks"),
            },
            "leaderElection": {"leaderElect": False},
            "clientConnection": {"qps": 300, "burst": 500},
            "integrations": {"frameworks": ["batch/job"]},
            # Its port is a fixed one, and its certificate that of a Service.
            "featureGates": {"VisibilityOnDemand": False},
        }
        text: str = yaml.safe_dump(_merged(own, configuration), sort_keys=False)
        return text

    def kueue_log(self) -> str:
        """What Kueue has written since it was started the last time."""
        return (self._logs / "kueue.log").read_text(encoding="utf-8", errors="replace")

    def token(self, namespace: str, account: str) -> str:
        """A bearer token of a ServiceAccount, for an hour."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        token: str = self.server.request("POST", path, request)["status"]["token"]
        return token

    def write_kubeconfig(self, path: Path, token: str) -> Path:
        """A kubeconfig file of this control plane for whoever has the token."""
        cluster = {"server": self.server.address, "certificate-authority": str(self.server.certificate)}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "live",
            "contexts": [{"name": "live", "context": {"cluster": "live", "user": "live"}}],
            "clusters": [{"name": "live", "cluster": cluster}],
            "users": [{"name": "live", "user": {"token": token}}],
        }
        path.touch(mode=0o600)
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        return path

    def keep_logs(self) -> Path:
        """Copy the logs of all processes into build/live/logs, instead of those of an earlier run."""
        shutil.rmtree(LOGS, ignore_errors=True)
        shutil.copytree(self._logs, LOGS)
        return LOGS

    # ---- start and end

    def start(self, configuration: Configuration) -> None:
        """Start everything."""
        for place in (self._logs, self.folder / "hooks"):
            place.mkdir()
        self._start_etcd()
        self._start_server()
        self._install_kueue()
        self.restart_kueue(configuration)

    def end(self) -> None:
        """End everything; the folder is removed."""
        self.end_kueue()
        self._started.close()

    def _keep(self, name: str, *flags: str, folder: Path | None = None) -> Kept:
        process = Kept([str(self._programs[name]), *flags], self._logs / f"{name}.log", folder=folder)
        self._started.callback(process.end)
        return process

    def _start_etcd(self) -> None:
        clients, peers = (f"http://127.0.0.1:{self._ports[name]}" for name in ("etcd", "peer"))
        self._keep(
            "etcd",
            f"--data-dir={self.folder / 'data'}",
            "--unsafe-no-fsync",
            "--log-level=warn",
            *(f"--listen-client-urls={clients}", f"--advertise-client-urls={clients}"),
            *(f"--listen-peer-urls={peers}", f"--initial-advertise-peer-urls={peers}"),
            f"--initial-cluster=default={peers}",
            folder=self.folder,
        )

    def _start_server(self) -> None:
        key, tokens = self.folder / "accounts.key", self.folder / "tokens.csv"
        token = os.urandom(16).hex()
        for file in (key, tokens):
            file.touch(mode=0o600)
        tokens.write_text(f"{token},admin,admin,system:masters\n", encoding="utf-8")
        subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
        process = self._keep(
            "kube-apiserver",
            f"--etcd-servers=http://127.0.0.1:{self._ports['etcd']}",
            *("--bind-address=127.0.0.1", f"--secure-port={self._ports['apiserver']}"),
            f"--cert-dir={self.folder / 'certificates'}",
            *(f"--token-auth-file={tokens}", "--authorization-mode=RBAC"),
            "--service-cluster-ip-range=10.0.0.0/24",
            "--service-account-issuer=https://kubernetes.default.svc",
            *(f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}"),
            "--disable-admission-plugins=ServiceAccount",
        )
        certificate = self.folder / "certificates" / "apiserver.crt"
        self._wait(certificate.exists, "the API server's certificate", process)
        self.server = Server(f"https://127.0.0.1:{self._ports['apiserver']}", certificate, token)
        self._started.callback(self.server.close)
        self.write_kubeconfig(self.kubeconfig, token)
        self._wait(self._server_answers, "the API server to be ready", process)

    def _server_answers(self) -> bool:
        try:
            return bool(self.server.request("GET", "/readyz")["message"] == "ok")
        except (OSError, ApiError):
            return False

    def _install_kueue(self) -> None:
        source = programs.source_of("sigs.k8s.io/kueue") / "config" / "default"
        rendered = self.kubectl("kustomize", str(source))
        manifests = [one for one in yaml.load_all(rendered, yaml.CSafeLoader) if one["kind"] not in IN_PODS]
        for manifest in manifests:
            for client in _clients_of(manifest):
                client["service"]["port"] = self._ports["webhooks"]
        definitions = [one for one in manifests if one["kind"] == "CustomResourceDefinition"]
        namespaces = [one for one in manifests if one["kind"] == "Namespace"]
        others = [one for one in manifests if one not in definitions and one not in namespaces]
        self.apply([*namespaces, *definitions])
        for definition in definitions:
            self._wait(partial(self.is_established, definition), definition["metadata"]["name"])
        self.apply([*others, BESIDE_PODS])
        self.write_kubeconfig(self.folder / "kueue.conf", self.token(NAMESPACE, "kueue-controller-manager"))

    def _kept_kueue(self, configuration: Path) -> Kept:
        log = self._logs / "kueue.log"
        if log.exists():
            log.rename(self._logs / f"kueue-{len(list(self._logs.iterdir()))}.log")
        flags = [
            f"--config={configuration}",
            f"--kubeconfig={self.folder / 'kueue.conf'}",
            "--zap-log-level=2",
        ]
        return Kept([str(self._programs["kueue"]), *flags], log, grace=2)

    def _kueue_answers(self) -> bool:
        if not self._certificate_is_written():
            return False
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._ports['health']}/readyz", timeout=10):
                pass
            for one in _TRIED:
                self.server.create(one, dry_run=True)
        except (OSError, ApiError):
            return False
        return True

    def _certificate_is_written(self) -> bool:
        """What a kubelet does: a Secret becomes files, which Kueue waits for."""
        path = f"/api/v1/namespaces/{NAMESPACE}/secrets/kueue-webhook-server-cert"
        data = self.get(path).get("data", {})
        for name in ("tls.crt", "tls.key"):
            if name not in data:
                return False
            place = self.folder / "hooks" / name
            # Kueue may be reading it: it is there with all that it holds, or not at all.
            whole = place.with_name(f"new-{name}")
            whole.write_bytes(b64decode(data[name]))
            whole.rename(place)
        return True

    def _wait(self, holds: Callable[[], bool], what: str, process: Kept | None = None) -> None:
        until = time.monotonic() + PATIENCE_S
        while not holds():
            if process is not None and (code := process.ended()) is not None:
                log = process.log.read_text(encoding="utf-8", errors="replace")
                raise (
                    KueueStartError(code, log) if process is self._kueue else RuntimeError(f"{what}:\n{log}")
                )
            if time.monotonic() > until:
                raise TimeoutError(f"waited {PATIENCE_S:.0f} s for {what}")
            time.sleep(0.1)


@contextmanager
def control_plane(configuration: Configuration | None = None) -> Iterator[Plane]:
    """A control plane; everything is ended and removed afterwards. Builds what is not built."""
    plane = Plane(Path(tempfile.mkdtemp(prefix="tenure-live-")).resolve())
    try:
        plane.start(configuration or {})
        yield plane
    except BaseException as error:
        if not isinstance(error, KeyboardInterrupt | GeneratorExit):
            print(f"logs are in {plane.keep_logs()}", file=sys.stderr)
        raise
    finally:
        plane.end()


_TRIED: tuple[Object, ...] = (
    {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": "tried"},
        "spec": {"namespaceSelector": {}},
    },
    {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": "tried"}},
)
"""Objects whose webhooks answer once Kueue is ready; they are not created."""


def _config_map(text: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kueue-manager-config", "namespace": NAMESPACE},
        "data": {"controller_manager_config.yaml": text},
    }


def _clients_of(manifest: Object) -> list[Object]:
    """The places where a manifest names the Service of its webhooks."""
    if manifest["kind"] == "CustomResourceDefinition":
        conversion = manifest["spec"].get("conversion", {})
        return [conversion["webhook"]["clientConfig"]] if "webhook" in conversion else []
    return [webhook["clientConfig"] for webhook in manifest.get("webhooks", [])]


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> Object:
    """Both, field by field; where both have one that is no mapping, the upper one's."""
    both = {name: _merged(below[name], above[name]) for name in above if _mapping(below, above, name)}
    return {**below, **above, **both}


def _mapping(below: Mapping[str, Any], above: Mapping[str, Any], name: str) -> bool:
    return isinstance(below.get(name), Mapping) and isinstance(above[name], Mapping)


def _free_ports(*names: str) -> dict[str, int]:
    """Ports that nothing listens on; all are taken at once, so that they differ."""
    with ExitStack() as taken:
        sockets = {name: taken.enter_context(socket.socket()) for name in names}
        for one in sockets.values():
            one.bind(("127.0.0.1", 0))
        return {name: one.getsockname()[1] for name, one in sockets.items()}


def main() -> None:
    """A control plane until Ctrl-C."""
    text = Path(sys.argv[1]).read_text(encoding="utf-8") if len(sys.argv) > 1 else "{}"
    with control_plane(yaml.safe_load(text)) as plane:
        print(f"export KUBECONFIG={plane.kubeconfig}", flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
