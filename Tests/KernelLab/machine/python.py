# SPDX-License-Identifier: GPL-2.0-or-later
"""The Python of the peers: a virtual environment with Bumble, created once and kept."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from . import LAB, SetupError, cache, say
from .packages import require

REQUIREMENTS = LAB / "requirements.txt"
OLDEST = (3, 11)


def python() -> Path:
    """The interpreter with Bumble."""
    base = base_interpreter()
    key = hashlib.sha256(REQUIREMENTS.read_bytes() + str(base).encode()).hexdigest()[:12]
    environment = cache() / f"python-{key}"
    if not environment.exists():
        make(environment, base)
    return environment / "bin" / "python3"


def base_interpreter() -> Path:
    """Debian's Python if it is new enough, else the interpreter of this program."""
    for candidate in (Path("/usr/bin/python3"), Path(sys.executable)):
        probe = [str(candidate), "-c", f"import sys; sys.exit(sys.version_info < {OLDEST})"]
        if candidate.exists() and subprocess.run(probe).returncode == 0:
            return candidate
    raise SetupError("the peers need Python {}.{} or newer".format(*OLDEST))


def make(environment: Path, base: Path) -> None:
    """Fills a separate folder, and moves it into place. Only its unused scripts contain the original path."""
    if base == Path("/usr/bin/python3"):
        require(["python3-venv"])
    say("fetching Bumble, once")
    staging = Path(tempfile.mkdtemp(prefix="making-", dir=environment.parent))
    try:
        run(str(base), "-m", "venv", str(staging))
        # The list is whole. smpmgr would ask for transports that the lab has no use for, and for another Bumble.
        run(str(staging / "bin" / "pip"), "install", "--quiet", "--no-deps", "--requirement", str(REQUIREMENTS))
        try:
            os.rename(staging, environment)
        except OSError:
            if not environment.exists():  # otherwise another run was faster
                raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def run(*command: str) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise SetupError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
