# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the cases in the machine and powers it off."""

import ctypes
import faulthandler
import fcntl
import json
import os
import shutil
import struct
import subprocess
import sys
import traceback
from pathlib import Path

from . import catalogue
from .fixtures import Machine, is_here
from .monitor import Monitor
from .runner import Journal, run_all
from .share import Share
from .twins import with_twins

RUN = Path("/run/lab")
# Where the machines of a run divide the cases between them.
SHARED = Path("/run/shared")


def main() -> None:
    options = json.loads((RUN / "options.json").read_text())
    stir(bytes.fromhex(options["entropy"]))
    program = "/run/bin/blectl"
    os.mkdir("/run/bin", 0o755)
    shutil.copy(options["binary"], program)
    os.chmod(program, 0o755)
    journal = Journal(RUN / "results.jsonl")
    cases = [case for case in with_twins(catalogue.cases()) if not is_here(case) and catalogue.matches(case, options["only"])]
    share = Share(SHARED, options["number"], options["sharers"])
    run_all(cases, Machine(program, options["app"], RUN, Monitor(RUN / "trace.btsnoop")), journal, share)
    with (RUN / "kernel.log").open("wb") as log:
        subprocess.run(["dmesg"], stdout=log)
    journal.write("finished")


def stir(entropy: bytes) -> None:
    """Seeds the kernel's random numbers. A machine without devices gathers no entropy, and programs would wait for it.
    """
    rndaddentropy = 0x40085203
    with open("/dev/random", "wb", buffering=0) as pool:
        fcntl.ioctl(pool, rndaddentropy, struct.pack("ii", len(entropy) * 8, len(entropy)) + entropy)


def power_off() -> None:
    os.sync()
    ctypes.CDLL(None).reboot(0x4321FEDC)


if __name__ == "__main__":
    if "LAB_RUN=" not in Path("/proc/cmdline").read_text():
        sys.exit("this is not the lab's machine, and nothing that should be powered off")
    faulthandler.enable()
    try:
        main()
    except Exception:
        traceback.print_exc()
    sys.stdout.flush()
    power_off()
