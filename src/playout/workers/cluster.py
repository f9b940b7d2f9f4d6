"""Workers on a Ray cluster: an actor for each CPU, replaced when it dies; machines may join and leave."""

import contextlib
import hashlib
import importlib.metadata
import os
import pickle
import platform
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from playout.common.runtime import cores
from playout.common.version import __version__
from playout.errors import GameError, PlayoutError, SettingsError
from playout.search.compiling import OURS, compiling

from .figures import memory_of
from .parcel import PACKAGE, Parcel, parcel_of
from .site import CrewMember, Event, Site, Worker

AUTO, LOCAL = "auto", "local"
EXPECTED = "expected HOST:PORT of a cluster that runs, `auto` for the one on this machine, or `local` to start one"
STORE_BYTES = 256 << 20  # of the object store of a local cluster
START_SECONDS = 300.0  # within which a worker must be there
CONNECT_SECONDS = 5.0
LOOK_SECONDS = 5.0  # between two looks at how many CPUs the cluster has
HELLO, BEGIN, PLAY = "hello", "begin", "play"


@cache
def versions() -> dict[str, str]:
    """What must be the same on all machines, by name."""
    sources = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        sources.update(path.relative_to(PACKAGE).as_posix().encode() + path.read_bytes())
    return {
        "Playout": f"{__version__} ({sources.hexdigest()[:12]})",
        "Python": platform.python_version(),
        "Numba": importlib.metadata.version("numba"),
        "NumPy": importlib.metadata.version("numpy"),
    }


class RayWorker:
    """The actor: installs the user's files, makes the worker, and plays its jobs. Errors are answers, not raised."""

    def __init__(self) -> None:
        os.environ[OURS] = "1"
        compiling.quiet = True
        self.worker: Worker | None = None
        self.failed: list[str] = []  # users' files that can't be imported here, which may not matter

    def hello(self, expected: dict[str, str], parcel: Parcel) -> Any:
        """Refuse other versions than the driver's, and install its files; returns this machine's name and process."""
        machine = platform.node() or "a machine"
        for name, version in versions().items():
            if version != expected[name]:
                return SettingsError(
                    f"{machine} of the cluster has {name} {version}, and this machine has {expected[name]}; install "
                    f"the same on all machines"
                )
        try:
            self.failed = parcel.open()
        except PlayoutError as error:
            return error
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the driver reports it
            return GameError(f"{machine} of the cluster can't load the user's files: {type(error).__name__}: {error}")
        return machine, os.getpid()

    def begin(self, pickled: bytes, what: str) -> Any:
        """Make the worker, by a function that can be unpickled now that the user's files are here."""
        self.what = what
        try:
            make = pickle.loads(pickled)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the driver reports it
            return _cannot_import("; ".join([*self.failed, f"{type(error).__name__}: {error}"]))
        return self._answer(lambda: setattr(self, "worker", make()))

    def play(self, *job: Any) -> Any:
        """What comes of a job, and the memory of this process."""
        assert self.worker is not None
        return self._answer(lambda: self.worker.play(*job)), memory_of()  # type: ignore[union-attr]

    def _answer(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except PlayoutError as error:
            return error
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the driver reports it
            return GameError(f"a worker of {self.what} failed: {type(error).__name__}: {error}")


class RayMember(CrewMember):
    """An actor, and what it was asked and has not answered yet."""

    def __init__(self, actor: Any) -> None:
        super().__init__()
        self.actor, self.process = actor, 0
        self.asked: dict[Any, tuple[str, int]] = {}  # by reference: the method, and the ticket of a job


class Cluster(Site):
    """Workers on a cluster. `count` of them; None: one for each CPU of all machines, also of those that join later.

    `most`: more would have nothing to do.
    """

    ahead = 2
    is_local = False

    def __init__(
        self,
        address: str,
        make: Callable[[], Worker],
        count: int | None,
        what: str,
        advice: str,
        needs: Any,
        most: int | None,
    ) -> None:
        super().__init__(what)
        self.ray, self.count, self.advice = load_ray(), count, advice
        self.most, self.was_ready, self.left_out = most, False, 0
        parcel = parcel_of(make, needs)
        self.connection = connect(self.ray, address, count)
        try:
            self.class_ = self.ray.remote(num_cpus=1, max_restarts=0)(RayWorker)
            with _plain_errors(self.ray):
                self.make, self.parcel = self.ray.put(pickle.dumps(make)), self.ray.put(parcel)
            self.looked = self.last_ready = time.monotonic()
            self._fill()
        except BaseException:
            self.close()
            raise

    @property
    def machines(self) -> int:
        return len({member.machine for member in self.members if member.is_ready})

    def send(self, member: Any, ticket: int, job: tuple[Any, ...]) -> None:
        self._ask(member, PLAY, ticket, *job)

    def _ask(self, member: RayMember, method: str, ticket: int, *arguments: Any) -> None:
        with _plain_errors(self.ray):
            member.asked[getattr(member.actor, method).remote(*arguments)] = method, ticket

    def wait(self, seconds: float) -> list[Event]:
        self._look()
        members: list[Any] = self.members
        owners = {ref: member for member in members for ref in member.asked}
        if not owners:
            time.sleep(seconds)
            return []
        with _plain_errors(self.ray):
            ready, _ = self.ray.wait(list(owners), num_returns=1, timeout=seconds)
            if ready:  # take all that are there
                ready, _ = self.ray.wait(list(owners), num_returns=len(owners), timeout=0)
        found: list[Event] = []
        gone = set[int]()
        for ref in ready:
            member = owners[ref]
            if id(member) in gone:
                continue
            method, ticket = member.asked.pop(ref)
            lost, answer = self._answer(ref)
            if lost:
                gone.add(id(member))
                found.append(Event(member, lost=lost))
            elif isinstance(answer, Exception):
                if method == PLAY or not self.was_ready:
                    raise answer
                self.leave_out(member, str(answer))  # a machine that joined later
            elif method == PLAY:
                answer, member.memory = answer
                found.append(Event(member, ticket, answer))
            elif method == HELLO:
                member.machine, member.process = answer
                self._ask(member, BEGIN, -1, self.make, self.what)
            else:
                member.is_ready = self.was_ready = True
        return found

    def _answer(self, ref: Any) -> tuple[str, Any]:
        """Why the actor was lost, or its answer; an error is the answer of a machine that can't be used."""
        errors = self.ray.exceptions
        lost = (
            errors.RayActorError,
            errors.ObjectLostError,
            errors.NodeDiedError,
            errors.OutOfMemoryError,
            errors.WorkerCrashedError,
        )
        with _plain_errors(self.ray):
            try:
                return "", self.ray.get(ref)
            except lost as error:
                if getattr(error, "actor_init_failed", False):
                    return "", _cannot_import(_last_line(error))
                return f"a worker of {self.what} on the cluster died{self.advice}", None
            except errors.RayTaskError as error:
                if "failed to import" in str(error) or "ModuleNotFoundError" in str(error):
                    return "", _cannot_import(_last_line(error))
                raise GameError(f"a worker of {self.what} failed: {_last_line(error)}") from None

    def replace(self, member: Any) -> None:
        self.members.remove(member)
        with contextlib.suppress(Exception):  # it has ended, or its machine has
            self.ray.kill(member.actor)
        self._fill()

    def leave_out(self, member: Any, why: str) -> None:
        self.left_out += 1
        super().leave_out(member, why)
        with contextlib.suppress(Exception):  # it may have ended
            self.ray.kill(member.actor)

    def _look(self) -> None:
        """Start workers on machines that have joined; give up where none comes."""
        now = time.monotonic()
        if any(member.is_ready for member in self.members):
            self.last_ready = now
        elif now - self.last_ready > START_SECONDS:
            raise SettingsError(
                f"no worker of {self.what} has started on the cluster within {START_SECONDS:g} s: it has "
                f"{self._cpus()} CPUs, and other programs may use them{self.advice}"
            )
        if now - self.looked > LOOK_SECONDS:
            self.looked = now
            self._fill()

    def _fill(self) -> None:
        cpus = self._cpus()
        wanted = max(1, min(self.count or cpus, self.most or cpus, cpus - self.left_out))
        while len(self.members) < wanted:
            member = RayMember(self.class_.remote())
            self.members.append(member)
            self._ask(member, HELLO, -1, versions(), self.parcel)

    def _cpus(self) -> int:
        with _plain_errors(self.ray):
            return int(self.ray.cluster_resources().get("CPU", 0))

    def shared(self, data: bytes) -> Any:
        with _plain_errors(self.ray):
            return self.ray.put(data)

    def close(self) -> None:
        members: list[Any] = self.members
        self.members = []
        for member in members:
            with contextlib.suppress(Exception):  # it may be gone, or the cluster
                self.ray.kill(member.actor)
        self.connection.close()


# Connecting.


def load_ray() -> Any:
    """The package; `SettingsError` where it is not installed."""
    try:
        import ray  # heavy, and optional  # noqa: PLC0415
    except ImportError:
        raise SettingsError("--ray needs the package ray; pip install 'playout[ray]'") from None
    return ray


def check_address(address: str) -> str:
    """An address as `--ray` takes it; `SettingsError` where it can't be one.

    >>> check_address("10.0.0.1:6379")
    '10.0.0.1:6379'
    """
    host, colon, port = address.rpartition(":")
    if address in (AUTO, LOCAL) or (colon and host and port.isdigit() and 0 < int(port) < 1 << 16 and "/" not in host):
        return address
    raise SettingsError(f"--ray is '{address}', {EXPECTED}")


def connect(ray: Any, address: str, count: int | None) -> contextlib.ExitStack:
    """Connect to a cluster, or start one. Closing what this returns undoes it, and leaves a caller's own connection."""
    check_address(address)
    undo = contextlib.ExitStack()
    if ray.is_initialized():
        return undo
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address == LOCAL:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_worker_niceness", "0")  # as processes are; Ray's own is 15
        options |= {
            "num_cpus": max(cores(), count or 0),
            "object_store_memory": STORE_BYTES,
            "include_dashboard": False,
            "_temp_dir": _own_folder(undo),
        }
    elif address != AUTO:
        _check_listening(address)
    with undo:
        undo.callback(ray.shutdown)
        try:
            ray.init(address=address, **options)
        except ConnectionError:
            raise SettingsError(
                f"--ray is '{address}', and no cluster runs here; start one with `ray start --head`, or give `local`"
            ) from None
        except Exception as error:  # noqa: BLE001 - Ray raises many kinds
            text = " ".join(str(error).split())
            if "ersion mismatch" in text:
                raise SettingsError(f"--ray is '{address}', a cluster of other versions: {text}") from None
            raise SettingsError(f"--ray is '{address}', which can't be used: {text[:300]}") from None
        _silence(ray, undo)
        return undo.pop_all()


def _own_folder(undo: contextlib.ExitStack) -> str:
    """A folder for the files of a local cluster; its name is short, since a socket's has at most 107 characters."""
    folder = tempfile.mkdtemp(prefix="ray-", dir="/tmp" if Path("/tmp").is_dir() else None)
    undo.callback(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _silence(ray: Any, undo: contextlib.ExitStack) -> None:
    """Ray prints the end of each worker on stdout; the figures tell it."""
    with contextlib.suppress(AttributeError):
        worker = ray._private.worker
        undo.callback(setattr, worker, "print_to_stdstream", worker.print_to_stdstream)
        worker.print_to_stdstream = lambda *arguments, **named: None


def _check_listening(address: str) -> None:
    """Refuse an address at once where nothing answers: Ray would wait for a minute."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except OSError as error:
        raise SettingsError(
            f"--ray is '{address}', and nothing answers there ({error.strerror or error}); start the cluster with "
            f"`ray start --head --port={port}`"
        ) from None


@contextlib.contextmanager
def _plain_errors(ray: Any) -> Iterator[None]:
    """A full object store, or what else fails on the cluster, in one line."""
    try:
        yield
    except (ray.exceptions.ObjectStoreFullError, ray.exceptions.OutOfDiskError) as error:
        raise SettingsError(
            f"the cluster's object store is full ({_last_line(error)}); start Ray with more `--object-store-memory`, "
            f"or send less: fewer workers, a smaller network"
        ) from None
    except ray.exceptions.RayError as error:
        raise GameError(f"the Ray cluster failed: {type(error).__name__}: {_last_line(error)}") from None


def _cannot_import(why: str) -> SettingsError:
    return SettingsError(
        f"a machine of the cluster can't import what this one sent ({why}); on each machine, pip install "
        f"'playout[ray]' and the packages that the user's files import"
    )


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:200] if lines else type(error).__name__
