# SPDX-License-Identifier: GPL-2.0-or-later
"""The program while it lends a controller to others."""

import os
import subprocess
import tempfile

from .checks import Failure


class Lender:
    """`blectl radio serve` on the controller at `place`, as `-i` takes it. `path` is where it lends it."""

    def __init__(self, program: str, place: str, errors):
        self.path = os.path.join(tempfile.mkdtemp(prefix="lent-"), "radio")
        self.words = [program, "-i", place, "radio", "serve", "--socket", self.path]
        self.errors = errors
        self.start()

    def start(self) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=pipe, stderr=self.errors)
        if not self.process.stdout.readline().startswith(b"lending "):
            raise Failure("the controller is not lent; see lender.log")

    def stop(self) -> None:
        """Ends the program, unless it has ended."""
        self.process.terminate()
        self.process.wait(5)
