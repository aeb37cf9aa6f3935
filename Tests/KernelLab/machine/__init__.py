# SPDX-License-Identifier: GPL-2.0-or-later
"""The host's side of the lab: the requirements, and the machine that runs the cases."""

import os
import sys
from pathlib import Path

LAB = Path(__file__).resolve().parent.parent


class SetupError(Exception):
    """The lab cannot run here. The message contains the reason and the remedy."""


def cache() -> Path:
    """The folder for the kernel and for the peers' Python between runs, outside of the tree."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    path = Path(base) / "blectl" / "kernel-lab"
    path.mkdir(parents=True, exist_ok=True)
    return path


def say(message: str) -> None:
    print(f"lab: {message}", file=sys.stderr, flush=True)
