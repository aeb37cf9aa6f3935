# SPDX-License-Identifier: GPL-2.0-or-later
"""Other projects' GATT servers, with the data that cases need: the handles, and the features that each lacks."""

import os
import tempfile
from contextlib import contextmanager

from .blectl import Run
from .checks import within
from .clients.btgatt import btgatt_tree
from .conversation import Conversation
from .peers import ALARMS, COMMAND, LONG, RELIABLE, SHORT, TICKS, TWIN
from .tree import Tree

DATABASE = "the database"
VALUES = "the values"
AGREED_MTU = "the MTU"
LONG_VALUE = "a long value"
ONE_REQUEST = "a value in one request"
SEVERAL = "several values"
TWINS = "the same UUID twice"
REFUSED = "a refusal and its code"
WRITTEN = "a write"
COMMANDED = "a write without response"
LONG_WRITTEN = "a long write"
RELIABLY_WRITTEN = "a reliable write"
NOTIFIED = "notifications"
INDICATED = "indications"
REMEMBERED = "the database from memory"

NAME = b"Very Long Test Device Name For Testing ATT Protocol Operations On GATT Server\0"


class Server:
    """A running server, for one command at a time."""

    def __init__(self, blectl, options: list[str], path: str | None):
        self.blectl = blectl
        self.options = options
        self.path = path

    @property
    def reached_by(self) -> list[str]:
        """The options by which the program connects to it."""
        return (["--radio", f"unix:{self.path}"] if self.path else []) + self.options

    def ready(self) -> None:
        """Prepares each connection."""

    def ask(self, command: str, *arguments, **options) -> Run:
        self.ready()
        return self.blectl(command, *arguments, *self.reached_by, **options)

    def start(self, command: str, *arguments):
        self.ready()
        return self.blectl.start(command, *arguments, *self.reached_by)


class BtgattServer(Server):
    """BlueZ's own server, which bluetoothd contains: `bt_gatt_server`. It accepts one connection, and ends with it."""

    name = "btgatt-server"
    links = ("air", "socket")
    world = "btvirt"  # on the air
    lacks = {
        TWINS: "its database has none",
        REMEMBERED: "it has no Database Hash",
        COMMANDED: "none of its characteristics takes commands",
        LONG_WRITTEN: "the first Prepare Write empties its only value that is long enough",
    }
    values = {"0x2A01": "8000", "0x2A38": "01"}
    one = ("0x2A38", "01")
    several = {"0x2A38": "01", "0x2A01": "8000"}
    refused = ("0x2A37", 0x02)
    long = ("0x2A00", NAME)
    written = ("heart-rate-control-point", b"\x01")
    reliable = "0x2A00"
    notified = "heart-rate-measurement"
    # Its indications of Service Changed: for all services on request, and for one that is removed.
    indicated = ("0x2A05", ["0100ffff", "0b001200"])
    mtu = 100

    @classmethod
    @contextmanager
    def open(cls, blectl, place, link: str):
        self = cls(blectl, [], None)
        self.talk = None
        self.air = place if link == "air" else None
        self.mtu_option: list[str] = []
        if self.air:
            adapter = [] if blectl.adapter else ["-i", "hci0"]
            self.options = [*adapter, "-d", self.air.address(1), "--address-type", "public"]
        try:
            yield self
        finally:
            self.leave()

    def leave(self) -> None:
        if self.talk:
            self.talk.end()
            self.talk = None

    def ready(self) -> None:
        self.leave()
        options = ["--heart-rate", "--verbose", *self.mtu_option]
        if self.air:
            self.talk = Conversation("stdbuf", "-oL", "btgatt-server", "--index", "hci1", *options)
            self.talk.hears("Started listening")
            self.air.advertise(1, b"\x02\x01\x06\x03\x03\x0d\x18", kind=0)
        else:
            self.path = os.path.join(tempfile.mkdtemp(prefix="socket-"), "att")
            self.talk = Conversation("stdbuf", "-oL", "btgatt-server", *options, ATT_SOCKET=self.path)
            self.talk.hears("Started listening")

    def with_its_mtu(self) -> None:
        self.mtu_option = ["--mtu", str(self.mtu)]

    def tree_while(self, work) -> tuple[Tree, Run]:
        """Its own list of attributes, which it prints on request during a connection."""
        self.ready()
        self.talk.say("services")
        run = work(self.reached_by)
        self.talk.hears(r"^service (.|\n)*uuid: 00002a39", 5)
        return btgatt_tree(self.talk.said), run

    def indicate(self) -> None:
        """Sends two indications. The second one is sent only when the first is confirmed."""
        self.talk.hears("Service Changed Enabled: true", 10)
        for line in ("notify -i 0x0009 01 00 ff ff", "heart-rate off"):
            self.talk.say(line)
            self.talk.hears("Received confirmation", 5)

    def saw_write(self) -> None:
        self.talk.hears("Energy Expended value reset", 5)


class BumbleServer(Server):
    """Bumble's `gatt_server.Server`: the strap of the other cases."""

    name = "Bumble's server"
    links = ("air", "socket")
    world = "air"
    lacks: dict[str, str] = {}
    values = {"0x2A29": b"Bumble Works".hex(), "0x2A50": "01060001000201", "0x2A38": "01", "0x2A00": b"Bumble HR".hex()}
    one = ("0x2A19", "57")
    several = {"0x2A19": "57", "0x2A29": b"Bumble Works".hex(), SHORT: "0000"}
    refused = ("heart-rate-control-point", 0x80)
    long = (LONG, bytes(number * 3 % 256 for number in range(512)))
    long_written = LONG
    reliable = RELIABLE
    written = (SHORT, b"\xca\xfe")
    commanded = (COMMAND, b"\xf0\x0d")
    twins = (TWIN, [b"first twin".hex(), b"second twin".hex()])
    notified = TICKS
    indicated = (ALARMS, None)
    mtu = 517

    @classmethod
    @contextmanager
    def open(cls, blectl, place, link: str):
        peer = place.peers["Bumble HR"]
        # With an address over a socket as well, because only a device with an address is remembered.
        self = cls(blectl, ["-d", peer.address, "--address-type", "random"], peer.path)
        self.peer = peer
        peer.set("long", cls.long[1])
        yield self

    def with_its_mtu(self) -> None:
        pass

    def with_short_packets(self) -> None:
        self.peer.limit_mtu(100)

    def tree_while(self, work) -> tuple[Tree, Run]:
        return self.peer.tree(), work(self.reached_by)

    def indicate(self) -> None:
        """It sends indications all the time."""

    def saw(self, key: str, value: bytes) -> None:
        within(
            5,
            f"{key} is written",
            lambda: any(e["key"] == key and e["value"] == value.hex() for e in self.peer.journal("write")),
        )

    def saw_write(self) -> None:
        self.saw("short", self.written[1])

    def saw_command(self) -> None:
        self.saw("command", self.commanded[1])

    def saw_long_write(self, value: bytes) -> None:
        self.saw("long", value)


SERVERS = (BtgattServer, BumbleServer)
