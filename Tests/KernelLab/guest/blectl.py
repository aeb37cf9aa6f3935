# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the program under test like people and scripts do, and records its output."""

import dataclasses
import fcntl
import functools
import json
import os
import pty
import queue
import re
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time
from dataclasses import dataclass, field

from .checks import Failure
from .schema import obeys

PATIENCE = 25


@dataclass
class Run:
    """A finished run."""

    arguments: list[str]
    status: int = 0
    out: bytes = b""
    err: bytes = b""
    seconds: float = 0

    @property
    def stdout(self) -> str:
        return self.out.decode(errors="replace")

    @property
    def stderr(self) -> str:
        return self.err.decode(errors="replace")

    @property
    def lines(self) -> list[str]:
        return [line.decode(errors="replace") for line in self.out.splitlines()]

    def exits(self, *statuses: int) -> "Run":
        if self.status not in statuses:
            wanted = " or ".join(map(str, statuses))
            raise Failure(f"the exit status should be {wanted}, and is {self.status}")
        return self

    def is_ended_by(self, number: signal.Signals) -> "Run":
        """The parent must see an end by this signal, as a shell does."""
        if self.status != -number:
            raise Failure(f"the program should have ended by {number.name}; its status is {self.status}")
        return self

    def says(self, *fragments: str) -> "Run":
        """Standard error contains each of these, in upper or lower case."""
        for fragment in fragments:
            if fragment.lower() not in self.stderr.lower():
                raise Failure(f"standard error should say {fragment!r}")
        return self

    def is_quiet(self) -> "Run":
        """Standard output is empty."""
        if self.out:
            raise Failure("standard output should be empty")
        return self

    @functools.cached_property
    def all_records(self) -> list[dict]:
        """The JSON objects of standard output. Their form is checked, once, because that takes long."""
        if self.out and not self.out.endswith(b"\n"):
            raise Failure("the last record is not a whole line")
        return [parsed(line) for line in self.out.split(b"\n") if line]

    def records(self, kind: str | None = None) -> list[dict]:
        """The JSON objects of standard output, or those of one type."""
        return [record for record in self.all_records if kind is None or record["type"] == kind]

    def record(self, kind: str) -> dict:
        """The only record of this type."""
        found = self.records(kind)
        if len(found) != 1:
            raise Failure(f"there should be one record of type {kind!r}, and there are {len(found)}")
        return found[0]

    def report(self) -> str:
        """The run as text, for the report of a failure."""
        parts = [f"$ blectl {' '.join(self.arguments)}    [status {self.status}, {self.seconds:.2f} s]"]
        for stream, text in (("out", self.stdout), ("err", self.stderr)):
            lines = text.splitlines()
            if len(lines) > 12:
                lines = [*lines[:6], f"… {len(lines) - 10} lines …", *lines[-4:]]
            parts += [f"  {stream}| {line[:300]!r}" for line in lines]
        return "\n".join(parts)


def parsed(line: bytes) -> dict:
    def sorted_object(pairs):
        keys = [key for key, _ in pairs]
        if keys != sorted(set(keys)):
            raise Failure(f"an object's keys are not sorted and unique: {keys}")
        return dict(pairs)

    try:
        record = json.loads(line.decode("utf-8"), object_pairs_hook=sorted_object)
    except ValueError as error:
        raise Failure(f"not a JSON object in UTF-8: {line[:200]!r} ({error})") from None
    if not isinstance(record, dict) or "type" not in record:
        raise Failure(f"not a record with a type: {line[:200]!r}")
    return obeys(record)


@dataclass
class Blectl:
    """The program. A call runs it to its end."""

    program: str
    directory: str
    runs: list[Run] = field(default_factory=list)
    live: list["Live"] = field(default_factory=list)
    prefix: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    adapter: str | None = None  # the value of -i for every command

    @classmethod
    def fresh(cls, program: str) -> "Blectl":
        """The program without data of earlier runs."""
        directory = tempfile.mkdtemp(prefix="state-")
        os.chmod(directory, 0o777)
        return cls(program, directory)

    def __call__(self, *arguments, stdin: bytes | None = None, patience: float = PATIENCE, **environment: str) -> Run:
        live = self.start(*arguments, stdin=stdin, **environment)
        return live.finish(patience)

    def start(self, *arguments, stdin: bytes | None = None, **environment: str) -> "Live":
        """Starts the program without waiting for its end."""
        live = Live(self, [str(argument) for argument in arguments], stdin, environment)
        self.live.append(live)
        return live

    def on_terminal(self, *arguments, columns: int = 100, patience: float = PATIENCE) -> Run:
        """Runs the program with standard output on a terminal."""
        return self.start_on_terminal(*arguments, columns=columns).finish(patience)

    def start_on_terminal(self, *arguments, columns: int = 100) -> "Live":
        controller, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        try:
            live = Live(self, [str(argument) for argument in arguments], None, {"TERM": "xterm-256color"}, terminal)
        finally:
            os.close(terminal)
        live.keyboard = controller
        live.read_from(controller)
        self.live.append(live)
        return live

    def into_head(self, *arguments, patience: float = PATIENCE) -> Run:
        """Runs `blectl … | head -n 1`. The status is the program's own."""
        script = '"$@" | head -n 1; exit "${PIPESTATUS[0]}"'
        return self.through("bash", "-c", script, "bash")(*arguments, patience=patience)

    def outliving(self, reader: str, *arguments, patience: float = PATIENCE) -> tuple[Run, float]:
        """Runs `blectl … | READER`. Returns the run, and for how many seconds it continued after the reader had ended."""
        script = (
            f'"$@" | {{ {reader}; echo "$EPOCHREALTIME" >&2; }}; '
            'status=${PIPESTATUS[0]}; echo "$EPOCHREALTIME" >&2; exit $status'
        )
        run = self.through("bash", "-c", script, "bash")(*arguments, patience=patience)
        moments = [float(line) for line in run.stderr.splitlines() if re.fullmatch(r"\d{9,}\.\d{6}", line)]
        if len(moments) != 2:
            raise Failure("the shell should have told two moments")
        return run, moments[1] - moments[0]

    def on(self, adapter: str) -> "Blectl":
        """The same program, with that adapter in every command."""
        return dataclasses.replace(self, adapter=adapter)

    def through(self, *prefix: str) -> "Blectl":
        """The same program as the last words of a command line."""
        return dataclasses.replace(self, prefix=[*self.prefix, *prefix])

    def as_nobody(self, *capabilities: str) -> "Blectl":
        """The same program, run by a user with only these capabilities."""
        kept = ",".join(["-all", *(f"+{capability}" for capability in capabilities)])
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", f"--inh-caps={kept}"]
        if capabilities:
            user.append(f"--ambient-caps={kept}")
        return dataclasses.replace(self, prefix=[*user, "--"])

    def with_environment(self, **environment: str) -> "Blectl":
        return dataclasses.replace(self, environment={**self.environment, **environment})

    def surroundings(self, more: dict[str, str]) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "HOME": self.directory,
            "XDG_STATE_HOME": f"{self.directory}/state",
            **self.environment,
            **more,
        }

    def file(self, name: str, content: dict) -> str:
        """Writes a file as JSON, beside the program's state, and returns its path."""
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)
        return path

    def clean_up(self) -> None:
        for live in list(self.live):
            live.kill()


class Live:
    """A running program."""

    def __init__(
        self, blectl: Blectl, arguments: list[str], stdin: bytes | None, more: dict, terminal: int | None = None
    ):
        self.blectl = blectl
        self.arguments = arguments = [*(["-i", blectl.adapter] if blectl.adapter else []), *arguments]
        self.started = time.monotonic()
        self.collected = {"out": bytearray(), "err": bytearray()}
        self.arrivals: queue.Queue[bytes | None] = queue.Queue()
        self.unread = b""
        self.readers: list[threading.Thread] = []
        self.process = subprocess.Popen(
            [*blectl.prefix, blectl.program, *arguments],
            stdin=terminal or (subprocess.DEVNULL if stdin is None else subprocess.PIPE),
            stdout=terminal or subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=blectl.surroundings(more),
            preexec_fn=terminal and (lambda: become_the_foreground(terminal)),
        )
        self.keyboard = -1
        if terminal is None:
            self.read_from(self.process.stdout.fileno())
        self.read_from(self.process.stderr.fileno(), "err")
        if stdin is not None:
            try:
                self.process.stdin.write(stdin)
                self.process.stdin.close()
            except BrokenPipeError:
                pass

    def read_from(self, descriptor: int, stream: str = "out") -> None:
        def read():
            while True:
                try:
                    data = os.read(descriptor, 65536)
                except OSError:  # the other side of a terminal is gone
                    data = b""
                self.collected[stream] += data
                if stream == "out":
                    self.arrivals.put(data)
                if not data:
                    return

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        self.readers.append(reader)

    def line(self, seconds: float = 10) -> bytes:
        """The next complete line of standard output."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self.unread:
            try:
                data = self.arrivals.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                self.kill()
                raise Failure(f"no line on standard output within {seconds:g} s") from None
            if not data:
                self.finish()
                raise Failure("the program ended before it wrote a line")
            self.unread += data
        line, self.unread = self.unread.split(b"\n", 1)
        return line

    def next_record(self, seconds: float = 10) -> dict:
        return parsed(self.line(seconds))

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def press(self, keys: bytes) -> None:
        """Types on its terminal."""
        os.write(self.keyboard, keys)

    def finish(self, patience: float = PATIENCE) -> Run:
        """Waits for the end."""
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            self.conclude()
            raise Failure(f"the program did not end within {patience:g} s and was killed") from None
        return self.conclude()

    def conclude(self) -> Run:
        seconds = time.monotonic() - self.started
        for reader in self.readers:
            reader.join(2)
        out, err = bytes(self.collected["out"]), bytes(self.collected["err"])
        run = Run(self.arguments, self.process.returncode, out, err, seconds)
        self.blectl.runs.append(run)
        self.blectl.live.remove(self)
        if "--json" in self.arguments and not self.blectl.prefix and run.status in range(0, 128):
            run.records()  # every line is a record of the schema, whatever the case looks at
        return run

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self in self.blectl.live:
            self.conclude()


def become_the_foreground(terminal: int) -> None:
    """Makes the terminal the controlling one of this process, so that its keys send signals."""
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
