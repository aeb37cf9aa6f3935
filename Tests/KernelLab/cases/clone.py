# SPDX-License-Identifier: GPL-2.0-or-later
"""A live device as a file: cloned, compared, served, and cloned again."""

import json
import signal
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from guest.catalogue import limit
from guest.checks import equal, true
from guest.conversation import Conversation
from guest.served import Served
from guest.servers import SERVERS
from guest.stack import Adapter

from .device_files import forty

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
            _cloned(blectl, clone, served.address, "-i", "hci1", "--values")
            served.live.signal(signal.SIGTERM)
            served.live.finish().is_ended_by(signal.SIGTERM)
            # The clone of the same device in the simulated world.
            original = Path(name) / f"{device}-original.json"
            blectl("--simulate", "--simulate-time", "virtual", "clone", NAMES[device], "--values", "-o", str(original))
            run = blectl("diff", str(original), str(clone), "--ignore-advertising", "--json")
            equal(run.records("difference"), [], f"how the clone of {device} differs")
            run.exits(0)


def _cloned_from_hci0(blectl, device: str, file: Path) -> Path:
    """Serves a device on hci0, and clones it through hci1."""
    served = Served(blectl, device)
    _cloned(blectl, file, served.address, "-i", "hci1", "--values")
    served.live.signal(signal.SIGTERM)
    served.live.finish().is_ended_by(signal.SIGTERM)
    return file


def _do_not_differ(blectl, first: Path, second: Path, *arguments) -> None:
    """BlueZ's emulator reports an advertiser once for each scan, so that nobody can know its interval there."""
    run = blectl("diff", str(first), str(second), "--json", *arguments)
    differences = [record for record in run.records("difference") if record["aspect"] != "interval"]
    equal(differences, [], f"how {second.stem} differs from {first.stem}")


@limit(150)
def a_served_file_its_clone_and_the_clone_of_that_do_not_differ(blectl, btvirt):
    with _folder() as name:
        for device in ("sensor-tag", forty()):
            original, clone, second = (Path(name) / f"{each}.json" for each in ("original", "clone", "second"))
            original.write_text(blectl("device", "show", device).exits(0).stdout)
            _cloned_from_hci0(blectl, str(original), clone)
            btvirt.end_links()
            _cloned_from_hci0(blectl, str(clone), second)
            btvirt.end_links()
            _do_not_differ(blectl, original, clone)
            _do_not_differ(blectl, original, second)
            _do_not_differ(blectl, clone, second)


@contextmanager
def _bumbles_app(folder: str):
    """The device that Bumble has for trying out pairing, on hci1: its program as it is, with some more services in its
    configuration. It uses the adapter exclusively."""
    configuration = Path(folder) / "bumble.json"
    readable = {"properties": "READ", "permissions": "READABLE"}
    configuration.write_text(
        json.dumps(
            {
                "name": "Bumble",
                "gatt_services": [
                    {"uuid": "180F", "characteristics": [{"uuid": "2A19", **readable}]},
                    {
                        "uuid": "D901B45B-4916-412E-ACCA-376ECB603B2C",
                        "characteristics": [
                            {
                                "uuid": "552957FB-CF1F-4A31-9535-E78847E1A714",
                                "properties": "READ,WRITE,NOTIFY",
                                "permissions": "READABLE,WRITEABLE",
                                "descriptors": [{"descriptor_type": "2901", "permissions": "READABLE"}],
                            }
                        ],
                    },
                ],
            }
        )
    )
    adapter = Adapter("hci1")
    adapter.down()
    app = Conversation(
        *(sys.executable, "-u", "-m", "bumble.apps.pair", "--advertising-address", "public", "--io", "none"),
        *(str(configuration), "hci-socket:1"),
    )
    try:
        app.hears("connected")
        yield
    finally:
        Adapter("hci0").hang_up()  # the emulator does not tell it when the other side is reset
        app.process.terminate()
        app.end()
        adapter.up()


@limit(120)
def a_device_of_bumbles_own_does_not_differ_from_its_clone(blectl, btvirt):
    with _folder() as name:
        clone, second = (Path(name) / f"{each}.json" for each in ("clone", "second"))
        address = btvirt.address(1)
        with _bumbles_app(name):
            _cloned(blectl, clone, address, "--values")
            btvirt.end_links()
            run = blectl("diff", str(clone), address, "--json")
            equal(run.records("difference"), [], "how the device differs from its clone")
            run.exits(0)
        btvirt.end_links()
        _cloned_from_hci0(blectl, str(clone), second)
        _do_not_differ(blectl, clone, second)


@limit(60)
def a_device_on_bumble_does_not_differ_from_its_clone(blectl, strap):
    with _folder() as name:
        clone = Path(name) / "clone.json"
        _cloned(blectl, clone, strap, "--values")
        strap.hang_up()
        run = blectl("diff", str(clone), strap, "--json")
        equal(run.records("difference"), [], "how the device differs from its clone")
        run.exits(0)
        in_memory = Path(name) / "in-memory.json"
        blectl(f"--simulate={clone}", "--simulate-time", "virtual", "clone", strap, "--values", "-o", str(in_memory)).exits(0)
        run = blectl("diff", str(clone), str(in_memory), "--json").exits(0)
        true(run.record("comparison")["advertising_compared"], "advertising is compared")


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
