# SPDX-License-Identifier: GPL-2.0-or-later
"""The Debian packages that the lab builds from, and the programs that it compares with."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Callable

from . import SetupError, cache, say

KERNEL_SOURCE = "linux-source-6.1"
TO_BUILD_A_KERNEL = [
    KERNEL_SOURCE,
    "gcc",
    "make",
    "flex",
    "bison",
    "bc",
    "xz-utils",
    "libelf-dev",
    "libc6-dev",
    "rsync",
]
BLUEZ_SOURCE = "bluez-source"
TO_BUILD_BLUEZ = [BLUEZ_SOURCE, "gcc", "bzip2", "libc6-dev"]
TO_RUN_HERE = ["openssh-client", "python3", "python3-venv", "tshark"]
TO_RUN = ["bluez", "bluez-test-tools", "dbus", "libcap2-bin", "libedit2", "libusb-1.0-0", "rfkill", *TO_RUN_HERE]


def installed_version(package: str) -> str | None:
    query = ["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Version}", package]
    answer = subprocess.run(query, capture_output=True, text=True)
    status, _, version = answer.stdout.partition(" ")
    return version if answer.returncode == 0 and status == "installed" else None


def require(packages: list[str]) -> None:
    """Installs missing packages."""
    if not shutil.which("dpkg-query"):
        raise SetupError("the lab installs its tools with apt-get, which this machine does not have")
    missing = [package for package in packages if installed_version(package) is None]
    if not missing:
        return
    say("installing " + " ".join(missing))
    apt_get("update")
    apt_get("install", "--yes", "--no-install-recommends", *missing)


def made_from(source: str, name: str, recipe: bytes, needs: list[str], build: Callable[[Path, str], None]) -> Path:
    """The product of a Debian source package, kept in the cache under its name, version and recipe.

    If the cache has none, `build` is called with the place and the version, after the packages in `needs` were
    installed."""
    key = hashlib.sha256(recipe).hexdigest()[:12]
    version = installed_version(source)
    if version is None:  # a cache from another machine makes the source unnecessary
        kept = sorted(cache().glob(f"{name}-*-{key}"))
        if kept:
            return kept[-1]
        require(needs)
        version = installed_version(source)
    place = cache() / f"{name}-{version}-{key}"
    if not place.exists():
        require(needs)
        build(place, str(version))
    return place


def apt_get(*arguments: str) -> None:
    command = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", *arguments]
    if os.geteuid() != 0:
        if not shutil.which("sudo"):
            raise SetupError(f"run as root, or with sudo installed: apt-get {' '.join(arguments)}")
        command.insert(0, "sudo")
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise SetupError(f"apt-get {arguments[0]} failed:\n{done.stdout}{done.stderr}")
