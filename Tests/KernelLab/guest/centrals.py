# SPDX-License-Identifier: GPL-2.0-or-later
"""Other people's clients, for a server of the program's own: gatttool and Bumble, through hci1 or over a socket."""

import json
import subprocess
import sys

from .checks import Failure, equal
from .schema import obeys
from .stack import Adapter, command


class Served:
    """The program serving a device."""

    def __init__(self, blectl, device: str, *options: str, radio: tuple[str, ...] = ("--adapter", "hci0")):
        self.live = blectl.start(*radio, "serve", device, "--json", *options)
        self.record = obeys(self.live.next_record())
        equal(self.record["type"], "serving", "the first record")

    @property
    def address(self) -> str:
        return self.record["address"]

    def next(self, kind: str) -> dict:
        """The next record of that type."""
        while True:
            record = obeys(self.live.next_record())
            if record["type"] == kind:
                return record


def gatttool(address: str, *arguments: str, adapter: str = "hci1", patience: float = 20, check: bool = True) -> list[str]:
    """BlueZ's GATT client on another adapter."""
    return command(
        "gatttool", "-i", adapter, "-b", address, "-t", "public", *arguments, patience=patience, check=check
    ).splitlines()


def gatttool_listens(address: str, *arguments: str, seconds: float = 5) -> list[str]:
    """What gatttool prints while it listens for that long."""
    tool = ("timeout", "--preserve-status", f"{seconds:g}", "stdbuf", "-oL", "gatttool")
    arguments = ("-i", "hci1", "-b", address, "-t", "public", *arguments, "--listen")
    return command(*tool, *arguments, check=False).splitlines()


def bumble_on_the_air(address: str, wish: dict, adapter: Adapter) -> dict:
    """Bumble as a central, by an adapter that it takes for itself meanwhile."""
    adapter.down()
    try:
        return survey("central", wish, f"hci-socket:{adapter.name[3:]}", address)
    finally:
        adapter.up()


def survey(client: str, wish: dict, *arguments: str) -> dict:
    """What a client in a process of its own found: `central` is Bumble's, `att_client` Home Assistant's."""
    done = subprocess.run(
        [sys.executable, "-m", f"peers.{client}", *arguments],
        input=json.dumps(wish).encode(),
        capture_output=True,
        timeout=40,
    )
    if done.returncode != 0:
        raise Failure(f"{client} failed:\n{done.stderr.decode(errors='replace')[-2000:]}")
    return json.loads(done.stdout)
