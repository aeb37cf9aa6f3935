# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots the machine, watches its console, and reads its results."""

import json
import os
import selectors
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from . import LAB, SetupError, cache

MEMORY = "768M"


@dataclass
class Outcome:
    """The result of a run. A machine that did not reach its end counts as one more failure."""

    passed: int = 0
    failed: int = 0
    trouble: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Equipment:
    """The software for the machine; no kernel if the cases run without a machine."""

    python: Path
    tools: Path
    kernel: Path | None = None


def run(equipment: Equipment, binary: Path, directory: Path, options: dict, limit: float) -> Outcome:
    """Runs the cases in a new machine, and returns the result. `directory` receives logs and traces."""
    (directory / "options.json").write_text(
        json.dumps({"binary": str(binary), "entropy": os.urandom(64).hex(), **options})
    )
    if equipment.kernel is None:
        return run_here(equipment, directory, limit)
    surroundings = {"LAB": LAB, "PYTHON": equipment.python, "TOOLS": equipment.tools}
    (directory / "machine.env").write_text(
        "".join(f"{name}={shlex.quote(str(value))}\n" for name, value in surroundings.items())
    )
    os.symlink(LAB / "guest" / "init", directory / "init")
    command = [
        str(equipment.kernel),
        f"mem={MEMORY}",
        "root=/dev/root",
        "rootfstype=hostfs",
        "rootflags=/",
        "ro",
        f"init={directory}/init",
        f"LAB_RUN={directory}",
        "con0=null,fd:1",
        "con=null",
        "quiet",
        "loglevel=1",
    ]
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(Path.home()), "TMPDIR": memory_directory()}
    machine = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        start_new_session=True,
    )
    try:
        ended = follow(machine, directory / "console.log", limit)
    finally:
        stop(machine)
    return outcome(directory, ended, limit)


def run_here(equipment: Equipment, directory: Path, limit: float) -> Outcome:
    """Runs the cases that need no Bluetooth in the kernel, without a machine."""
    memory = tempfile.TemporaryDirectory(prefix="lab-")
    environment = {
        "PATH": f"{equipment.tools}:{os.environ.get('PATH', os.defpath)}",
        "HOME": memory.name,
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(LAB),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": memory.name,
    }
    program = subprocess.Popen(
        [str(equipment.python), "-m", "guest.here", str(directory)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        start_new_session=True,
    )
    try:
        ended = follow(program, directory / "console.log", limit)
    finally:
        stop(program)
        memory.cleanup()
    return outcome(directory, ended, limit)


def follow(machine: subprocess.Popen, log: Path, limit: float) -> bool:
    """Copies the console to standard output and to a file until the machine ends. Returns False if it had to be
    stopped."""
    deadline = time.monotonic() + limit
    selector = selectors.DefaultSelector()
    selector.register(machine.stdout, selectors.EVENT_READ)
    with log.open("wb") as file:
        while (left := deadline - time.monotonic()) > 0:
            if not selector.select(left):
                break
            data = os.read(machine.stdout.fileno(), 65536)
            if not data:
                return True
            file.write(data)
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
    return False


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
    if not ended:
        result.trouble.append(f"the machine was stopped after {limit:.0f} s")
    if not any(record["event"] == "finished" for record in records):
        under_way = [record["case"] for record in records if record["event"] == "started"]
        where = f", in or after the case “{under_way[-1]}”" if under_way else ", before the first case"
        result.trouble.append(f"the machine did not reach the end of the cases{where}")
    elif result.passed + result.failed == 0:
        result.trouble.append("no case ran")
    result.failed += bool(result.trouble)
    return result


def memory_directory() -> str:
    """The folder for the machine's memory. The kernel maps it executable, so it must not be mounted `noexec`, nor be
    small."""
    for candidate in ("/dev/shm", tempfile.gettempdir(), str(cache())):
        try:
            facts = os.statvfs(candidate)
        except OSError:
            continue
        if (
            not facts.f_flag & os.ST_NOEXEC
            and facts.f_bavail * facts.f_frsize > 1 << 30
            and os.access(candidate, os.W_OK)
        ):
            return candidate
    raise SetupError("no directory for the machine's memory: it needs a gigabyte where programs may run")
