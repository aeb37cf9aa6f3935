# SPDX-License-Identifier: GPL-2.0-or-later
"""The host's side of the lab: what has to be there, and the machine that runs the cases."""

import os
import sys
from pathlib import Path

LAB = Path(__file__).resolve().parent.parent


class SetupError(Exception):
    """The lab cannot run here; the message says why and what would help."""


def cache() -> Path:
    """Where the kernel and the peers' Python live between runs, outside the tree."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    path = Path(base) / "blectl" / "kernel-lab"
    path.mkdir(parents=True, exist_ok=True)
    return path


def say(message: str) -> None:
    print(f"lab: {message}", file=sys.stderr, flush=True)
