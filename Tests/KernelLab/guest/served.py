# SPDX-License-Identifier: GPL-2.0-or-later
"""The program as a server."""

import os
import tempfile

from .checks import equal
from .clients import Place
from .schema import obeys


class Served:
    """The program while it serves a device, on hci0 or on a packet socket."""

    def __init__(self, blectl, device: str, *options: str, socket: bool = False):
        self.path = os.path.join(tempfile.mkdtemp(prefix="socket-"), "att") if socket else None
        radio = ("--radio", f"unix:{self.path}") if socket else ("--adapter", "hci0")
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
