# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots the machine, watches its console, and reads its results."""

import functools
import itertools
import json
import os
import selectors
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from guest import associations

from . import LAB, SetupError, cache

# The octets of a machine's memory.
MEMORY = 768 << 20
WITHOUT_CAPABILITIES = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--")


@dataclass
class Outcome:
    """The result of a run. A machine that did not reach its end counts as one more failure."""

    passed: int = 0
    failed: int = 0
    trouble: list[str] = field(default_factory=list)
    pairings: list[dict] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    # The titles of the cases that failed.
    titles: list[str] = field(default_factory=list)

    def add(self, other: "Outcome") -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.trouble += other.trouble
        self.pairings += other.pairings
        self.failures += other.failures
        self.titles += other.titles


@dataclass(frozen=True)
class Equipment:
    """The software; no kernel if no case needs a machine."""

    python: Path
    tools: Path
    kernel: Path | None = None


def run(equipment: Equipment, binary: Path, directory: Path, options: dict, limit: float, machines: int, here: int) -> Outcome:
    """Runs the cases in that number of new machines, and beside them, in `here` processes, those that need none. Returns the
    result of all. `directory` receives logs and traces: of several places, in a folder for each."""
    shared, shared_here = directory / "shared", directory / "shared-here"
    shared.mkdir()
    shared_here.mkdir()
    memory = memory_directory(machines) if machines else ""
    names = [f"machine-{number + 1}" for number in range(machines)] + [f"here-{number + 1}" for number in range(here)]
    cores = sorted(os.sched_getaffinity(0))
    started = []
    try:
        for number, name in enumerate(names):
            place = directory if len(names) == 1 else directory / name
            place.mkdir(exist_ok=True)
            core = cores[number % len(cores)]
            if number < machines:
                write_options(place, binary, {**options, "number": number, "sharers": machines})
                started.append((start(equipment, place, shared, memory, core), place))
            else:
                write_options(place, binary, {**options, "number": number - machines, "sharers": here, "shared": str(shared_here)})
                started.append((start_here(equipment, place, core), place))
    except BaseException:
        for machine, _ in started:
            stop(machine)
        raise
    return finish(started, limit)


def write_options(place: Path, binary: Path, options: dict) -> None:
    (place / "options.json").write_text(
        json.dumps({"binary": str(binary), "entropy": os.urandom(64).hex(), **options})
    )


def start(equipment: Equipment, place: Path, shared: Path, memory: str, core: int) -> subprocess.Popen:
    """Boots a machine whose own folder is `place`. All machines take their cases from `shared`."""
    surroundings = {"LAB": LAB, "PYTHON": equipment.python, "TOOLS": equipment.tools, "SHARED": shared}
    (place / "machine.env").write_text(
        "".join(f"{name}={shlex.quote(str(value))}\n" for name, value in surroundings.items())
    )
    os.symlink(LAB / "guest" / "init", place / "init")
    command = [
        str(equipment.kernel),
        f"mem={MEMORY >> 20}M",
        "root=/dev/root",
        "rootfstype=hostfs",
        "rootflags=/",
        "ro",
        f"init={place}/init",
        f"LAB_RUN={place}",
        "con0=null,fd:1",
        "con=null",
        "quiet",
        "loglevel=1",
    ]
    return begin(command, {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(Path.home()), "TMPDIR": memory}, core)


def start_here(equipment: Equipment, directory: Path, core: int) -> subprocess.Popen:
    """Starts the cases that need no Bluetooth in the kernel, without a machine and without capabilities."""
    environment = {
        "PATH": f"{equipment.tools}:{os.environ.get('PATH', os.defpath)}",
        "HOME": str(directory),
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(LAB),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(directory),
    }
    unprivileged = WITHOUT_CAPABILITIES if os.geteuid() == 0 else ()
    return begin([*unprivileged, str(equipment.python), "-m", "guest.here", str(directory)], environment, core)


def begin(command: list[str], environment: dict[str, str], core: int) -> subprocess.Popen:
    """Starts what runs cases, on one core. A machine has no more, and its kernel and its programs are processes that wait for
    each other at every system call: on two cores, that takes half as much processor time again."""
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        start_new_session=True,
        preexec_fn=functools.partial(os.sched_setaffinity, 0, {core}),
    )


def finish(started: list[tuple[subprocess.Popen, Path]], limit: float) -> Outcome:
    """Follows the machines to their ends, and returns the result of all of them."""
    try:
        ended = follow(started, limit)
    finally:
        for machine, _ in started:
            stop(machine)
    result = Outcome()
    for machine, place in started:
        result.add(outcome(place, machine in ended, limit))
    return result


def follow(started: list[tuple[subprocess.Popen, Path]], limit: float) -> set[subprocess.Popen]:
    """Copies the consoles to standard output and to files until all machines have ended. Returns those that have.

    Of several machines, the lines carry the machine's number."""
    deadline = time.monotonic() + limit
    ended = set()
    with ExitStack() as stack, selectors.DefaultSelector() as selector:
        for number, (machine, place) in enumerate(started, 1):
            log = stack.enter_context((place / "console.log").open("wb"))
            console = Console(log, f"{number}| ".encode() if len(started) > 1 else b"")
            selector.register(machine.stdout, selectors.EVENT_READ, (machine, console))
        while selector.get_map() and (left := deadline - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                machine, console = key.data
                if data := os.read(machine.stdout.fileno(), 65536):
                    console.write(data)
                else:
                    selector.unregister(machine.stdout)
                    ended.add(machine)
        for key in list(selector.get_map().values()):
            key.data[1].write(b"\n")
    return ended


class Console:
    """Copies what a machine prints, by whole lines, so that the lines of several machines do not mix."""

    def __init__(self, log, mark: bytes):
        self.log, self.mark, self.rest = log, mark, b""

    def write(self, data: bytes) -> None:
        self.log.write(data)
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            sys.stdout.buffer.write(self.mark + line.rstrip(b"\r") + b"\n")
        sys.stdout.buffer.flush()


def stop(machine: subprocess.Popen) -> None:
    """Ends the machine and the processes of its kernel, which are all in its session."""
    try:
        os.killpg(machine.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    machine.wait()


def outcome(directory: Path, ended: bool, limit: float) -> Outcome:
    result = Outcome()
    journal = directory / "results.jsonl"
    records = [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
    for record in records:
        if record["event"] == "passed":
            result.passed += 1
        elif record["event"] == "failed":
            result.failed += 1
            result.failures.append(summary(record))
            result.titles.append(record["case"])
    result.pairings = associations.read(directory)
    if not ended:
        result.trouble.append(f"the machine was stopped after {limit:.0f} s")
    if not any(record["event"] == "finished" for record in records):
        under_way = [record["case"] for record in records if record["event"] == "started"]
        where = f", in or after the case “{under_way[-1]}”" if under_way else ", before the first case"
        result.trouble.append(f"the machine did not reach the end of the cases{where}")
    result.failed += bool(result.trouble)
    return result


def summary(record: dict) -> str:
    """The failed case and its reason, without the program's output and the trace."""
    reason, _, rest = record["report"].partition("\n")
    places = itertools.takewhile(lambda line: line.startswith("  at "), rest.splitlines())
    return "\n".join([record["case"], f"    {reason[:300]}", *("  " + place for place in places)])


def machines_with_memory(limit: int) -> int:
    """The number of machines that leave half of the memory to all else."""
    facts = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    available = int(facts["MemAvailable"].split()[0]) << 10
    return max(1, min(limit, available // 2 // MEMORY))


def memory_directory(machines: int) -> str:
    """The folder for the machines' memory. The kernel maps it executable, so it must not be mounted `noexec`, nor be
    small."""
    for candidate in ("/dev/shm", tempfile.gettempdir(), str(cache())):
        try:
            facts = os.statvfs(candidate)
        except OSError:
            continue
        if (
            not facts.f_flag & os.ST_NOEXEC
            and facts.f_bavail * facts.f_frsize > machines * MEMORY * 4 // 3
            and os.access(candidate, os.W_OK)
        ):
            return candidate
    raise SetupError("no directory for the machines' memory: each needs a gigabyte where programs may run")
