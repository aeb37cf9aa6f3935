# SPDX-License-Identifier: GPL-2.0-or-later
"""Conversations with interactive programs: types a line, waits for words."""

import os
import re
import subprocess
import threading
import time

from .checks import Failure

COLOUR = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x01|\x02|\r")


class Conversation:
    """An interactive program with its output so far."""

    def __init__(self, *command: str, **environment: str):
        self.name = command[0]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
        )
        self.said = ""
        self.place = 0
        self.changed = threading.Condition()
        self.ended = False
        self.reader = threading.Thread(target=self.listen, daemon=True)
        self.reader.start()

    def listen(self) -> None:
        raw = b""
        while data := os.read(self.process.stdout.fileno(), 65536):
            raw += data
            with self.changed:
                self.said = COLOUR.sub("", raw.decode(errors="replace"))
                self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def say(self, line: str) -> None:
        """Types a line. Later waits begin behind the output so far."""
        with self.changed:
            self.place = len(self.said)
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failure(f"{self.name} has ended:\n{self.tail()}") from None

    def hears(self, pattern: str, seconds: float = 15) -> re.Match:
        """Waits until the output, from the last match on, contains the pattern."""
        deadline = time.monotonic() + seconds
        with self.changed:
            while True:
                if found := re.compile(pattern, re.MULTILINE).search(self.said, self.place):
                    self.place = found.end()
                    return found
                left = deadline - time.monotonic()
                if left <= 0 or self.ended:
                    what = "ended" if self.ended else f"did not within {seconds:g} s"
                    raise Failure(f"{self.name} should say {pattern!r}, and {what}:\n{self.tail()}")
                self.changed.wait(left)

    def may_hear(self, pattern: str, seconds: float) -> re.Match | None:
        """The same, but the pattern may be missing."""
        try:
            return self.hears(pattern, seconds)
        except Failure:
            return None

    def tail(self) -> str:
        return "\n".join(self.said.splitlines()[-20:])

    def end(self, seconds: float = 3) -> None:
        """Closes its input, and waits for its end."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join(2)
