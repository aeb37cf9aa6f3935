# SPDX-License-Identifier: GPL-2.0-or-later
"""The program as a server."""

import functools
import os
import tempfile

from .blectl import Blectl
from .checks import equal
from .clients import Place
from .schema import full_uuid, obeys
from .tree import Tree

CONFIGURATION = full_uuid("0x2902")


class Served:
    """The program while it serves a device, on hci0 or on a packet socket; without an adapter, where it is."""

    def __init__(self, blectl, device: str, *options: str, socket: bool = False, adapter: str | None = "hci0"):
        self.path = os.path.join(tempfile.mkdtemp(prefix="socket-"), "att") if socket else None
        there = blectl.adapter is None and adapter  # a program on a controller of its own has that in every command
        radio = ("--radio", f"unix:{self.path}") if socket else ("--adapter", adapter) if there else ()
        self.live = blectl.start(*radio, "serve", device, "--json", *options)
        self.record = obeys(self.live.next_record())
        equal(self.record["type"], "serving", "the first record")

    @property
    def address(self) -> str:
        return self.record["address"]

    @property
    def place(self) -> Place:
        return Place(self.path, self.address)

    def next(self, kind: str) -> dict:
        """The next record of that type."""
        while True:
            record = obeys(self.live.next_record())
            if record["type"] == kind:
                return record

    def requests_until_it_is_left(self) -> list[dict]:
        """The requests of the central, until it disconnects."""
        found = []
        while (record := obeys(self.live.next_record()))["type"] != "disconnected":
            found += [record] if record["type"] == "request" else []
        return found


class Layout:
    """The attributes of a device with their handles, which are the same wherever the device is served."""

    def __init__(self, records: list[dict]):
        self.records = records

    def tree(self) -> Tree:
        return Tree.inspected(self.records)

    def handle(self, uuid: str) -> int:
        """The handle of a characteristic's value."""
        characteristics = [each for each in self.records if each["type"] == "characteristic"]
        [handle] = [each["value_handle"] for each in characteristics if full_uuid(each["uuid"]) == full_uuid(uuid)]
        return handle

    def configuration(self, uuid: str) -> int:
        """The handle of its client configuration, which is the first one behind it."""
        value = self.handle(uuid)
        descriptors = [each for each in self.records if each["type"] == "descriptor" and each["handle"] > value]
        return next(each["handle"] for each in descriptors if full_uuid(each["uuid"]) == CONFIGURATION)


@functools.cache
def layout(blectl_program: str, device: str, *options: str) -> Layout:
    """The layout that this program's own client finds; options are those of `inspect`."""
    blectl = Blectl.fresh(blectl_program)
    served = Served(blectl, device, "--count", "1", socket=True)
    run = blectl("--radio", f"unix:{served.path}", "inspect", "--json", *options).exits(0)
    served.live.finish().exits(0)
    return Layout([obeys(record) for record in run.records()])
