# SPDX-License-Identifier: GPL-2.0-or-later
"""A live device as a file: cloned, compared, served, and cloned again."""

import signal
import tempfile
from pathlib import Path

from guest.catalogue import limit
from guest.checks import equal, true
from guest.served import Served
from guest.servers import SERVERS

NAMES = {"pulse-strap": "Pulse HR", "workbench": "Workbench", "museum": "Museum"}


def _folder():
    return tempfile.TemporaryDirectory(prefix="blectl-clone-")


def _cloned(blectl, path: Path, *arguments) -> None:
    blectl("clone", *arguments, "-o", str(path)).exits(0)
    true(path.stat().st_size > 100, "the clone has a content")


@limit(120)
def what_is_served_on_one_adapter_is_cloned_through_the_other(blectl, btvirt):
    with _folder() as name:
        for device in NAMES:
            clone = Path(name) / f"{device}.json"
            served = Served(blectl, device)
            # The workbench has values that are never answered.
            _cloned(blectl, clone, served.address, "-i", "hci1", "--values", "--timeout", "2")
            served.live.signal(signal.SIGTERM)
            served.live.finish().is_ended_by(signal.SIGTERM)
            # The clone of the same device in the simulated world.
            original = Path(name) / f"{device}-original.json"
            blectl("--simulate", "--simulate-time", "virtual", "clone", NAMES[device], "--values", "-o", str(original))
            run = blectl("diff", str(original), str(clone), "--ignore-advertising", "--json")
            equal(run.records("difference"), [], f"how the clone of {device} differs")
            run.exits(0)


@limit(60)
def a_device_on_bumble_does_not_differ_from_its_clone(blectl, strap):
    with _folder() as name:
        clone = Path(name) / "clone.json"
        _cloned(blectl, clone, strap, "--values")
        strap.hang_up()
        run = blectl("diff", str(clone), strap, "--json")
        equal(run.records("difference"), [], "how the device differs from its clone")
        run.exits(0)


@limit(120)
def other_peoples_servers_do_not_differ_from_their_clones(blectl, sockets):
    for server in SERVERS:
        with _folder() as name, server.open(blectl, sockets, "socket") as there:
            files = [str(Path(name) / f"{number}.json") for number in (1, 2)]
            for file in files:
                there.ask("clone", "--values", "-o", file).exits(0)
            run = blectl("diff", *files, "--json")
            equal(run.records("difference"), [], f"how two clones of {server.name} differ")
            run.exits(0)
