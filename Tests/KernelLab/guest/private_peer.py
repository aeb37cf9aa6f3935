# SPDX-License-Identifier: GPL-2.0-or-later
"""A peripheral of Bumble's with private addresses, in a process of its own (`peers/private.py`)."""

import subprocess
import sys
from pathlib import Path

IDENTITY = "F0:F1:F2:F3:F4:F5"


class PrivatePeer:
    """It advertises at `address`."""

    def __init__(self, transport: str, errors):
        words = [sys.executable, "-m", "peers.private", transport]
        pipe = subprocess.PIPE
        folder = Path(__file__).resolve().parents[1]
        self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=errors, text=True, cwd=folder)
        self.address = self.process.stdout.readline().strip()

    def move(self) -> None:
        """Advertises with another address."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.address = self.process.stdout.readline().strip()

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
