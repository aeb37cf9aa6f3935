# SPDX-License-Identifier: GPL-2.0-or-later
"""The packet monitor: a trace of the whole run, with a note at the beginning of each case."""

import os
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .channels import LOGGING, NO_ADAPTER, hci_channel
from .checks import Failure
from .trace import Record, Trace, records

NOTICE = 6


class Monitor:
    def __init__(self, path: Path):
        self.path = path
        self.socket = hci_channel(LOGGING)
        self.history: list[Record] = []
        self.notes = 0
        self.position = 0
        self._start()

    def _start(self) -> None:
        command = [sys.executable, "-m", "guest.recorder", str(self.path)]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def _end(self) -> None:
        self.process.terminate()
        self.process.wait()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Records nothing meanwhile."""
        self._end()
        yield
        self._start()

    def note(self, text: str) -> int:
        """Puts a note into the trace, and waits until it has arrived. Then all earlier packets are in the trace, too.

        Returns its place in the history."""
        self.notes += 1
        text = f"{self.notes}: {text}"
        message = bytes([NOTICE, 4]) + b"lab\0" + text.encode() + b"\0"
        deadline = time.monotonic() + 10
        while True:
            self.socket.send(struct.pack("<HHH", 0, NO_ADAPTER, len(message)) + message)
            again = time.monotonic() + 0.5  # the monitor may not have been ready
            while time.monotonic() < again:
                seen = len(self.history)
                self.read()
                for index in range(seen, len(self.history)):
                    if self.history[index].is_note(text):
                        return index
                time.sleep(0.01)
            if time.monotonic() > deadline:
                raise Failure("the packet monitor does not answer")

    def read(self) -> None:
        """Reads the packets since the last call."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            file.seek(self.position)
            found, used = records(file.read(), first=self.position == 0)
        self.history += found
        self.position += used

    def forget(self) -> None:
        """Forgets the packets of earlier cases, which would fill the memory of a machine that runs all of them. The
        file keeps them."""
        self.history.clear()

    def since(self, place: int) -> Trace:
        """The packets since `place`."""
        self.note("now")
        return Trace(self.history[place:])

    def stop(self) -> None:
        self._end()
        self.socket.close()
        os.sync()


class Deaf:
    """Replaces the monitor where there is no Bluetooth."""

    def note(self, _text: str) -> int:
        return 0

    def forget(self) -> None:
        pass

    def since(self, _place: int) -> Trace:
        return Trace([])

    def stop(self) -> None:
        pass


class CaseTrace:
    """The trace of one case so far. It is read again for each question."""

    def __init__(self, monitor: Monitor, title: str):
        self.monitor = monitor
        self.place = monitor.note(title)

    def now(self) -> Trace:
        return self.monitor.since(self.place)

    def restart(self) -> None:
        """Forgets the packets so far."""
        self.place = self.monitor.note("from here")
