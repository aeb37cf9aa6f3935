# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the cases that need no virtual machine, over packet sockets or with a host of the program's own:
`python3 -m guest.here DIRECTORY`.

A socket of the kernel's Bluetooth kills who opens it, and there are no capabilities, so that what passes here needs neither.
"""

import json
import signal
import sys
from pathlib import Path

from . import catalogue
from .fixtures import Machine, is_here
from .monitor import Deaf
from .runner import Journal, run_all
from .seccomp import refuse_bluetooth
from .share import Share
from .twins import with_twins


def main(directory: Path) -> None:
    options = json.loads((directory / "options.json").read_text())
    journal = Journal(directory / "results.jsonl")
    cases = [case for case in with_twins(catalogue.cases()) if is_here(case) and catalogue.matches(case, options["only"])]
    # A shell that runs the lab in the background ignores them, and the program would do so, too.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    refuse_bluetooth()
    share = Share(Path(options["shared"]), options["number"], options["sharers"])
    run_all(cases, Machine(options["binary"], options["app"], directory, Deaf()), journal, share)
    journal.write("finished")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
