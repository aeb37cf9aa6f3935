# SPDX-License-Identifier: GPL-2.0-or-later
"""BlueZ's current GATT client, `bt_gatt_client`, through its own tool."""

import re
from contextlib import contextmanager

from ..checks import Failure
from ..conversation import Conversation
from ..tree import Tree
from .common import BY_UUID, Place, Refused, octets, on_the_air


# The list of the services, and the prompt behind it.
DATABASE = r"^service (.|\n)*\n\n\[GATT client\]# "


class BtgattClient:
    """BlueZ's own client, which bluetoothd contains: `bt_gatt_client`. It discovers everything first."""

    name = "btgatt-client"
    links = ("air", "socket")
    sees_secondary_services = True
    # Services that it does not list, although the server reports them: those that contain nothing but an include.
    overlooks = {"museum": {0x0080}}
    longest = 511  # octets in a line
    tells_application_errors = True
    lacks = {BY_UUID: "it has no command for it"}

    def __init__(self, place: Place, mtu: int | None = None):
        options = ["--mtu", str(mtu)] if mtu else []
        if place.socket:
            environment = {"ATT_SOCKET": place.socket}
            options += ["--dest", "00:00:00:00:00:00"]
        else:
            environment = {}
            options += ["--index", "hci1", "--type", "public", "--dest", place.address]
        self.talk = Conversation("btgatt-client", "--verbose", *options, **environment)
        self.talk.hears("GATT discovery procedures complete", 20)
        # It lists the services then. It would lose a line that is typed together with the one before.
        self.talk.hears(DATABASE)

    @classmethod
    @contextmanager
    def session(cls, place: Place, mtu: int | None = None):
        with on_the_air(place):
            session = cls(place, mtu)
            try:
                yield session
            finally:
                session.talk.end()

    def mtu(self) -> int:
        return int(re.search(r"MTU exchange complete, with MTU: (\d+)", self.talk.said)[1])

    def tree(self) -> Tree:
        self.talk.say("services")
        self.talk.hears(DATABASE)
        return btgatt_tree(self.talk.said)

    def read(self, handle: int) -> bytes:
        return self.value_of(f"read-value 0x{handle:04x}")

    def read_long(self, handle: int) -> bytes:
        return self.value_of(f"read-long-value 0x{handle:04x} 0")

    def value_of(self, line: str) -> bytes:
        self.talk.say(line)
        value, failure = r"Read value(?: \(\d+ bytes\))?: (0 bytes|[0-9a-f ]+)$", r"Read request failed: .*\(0x(..)\)"
        found = self.talk.hears(f"{value}|{failure}")
        if found[2]:
            raise Refused(int(found[2], 16))
        return b"" if found[1] == "0 bytes" else octets(found[1])

    def read_multiple(self, handles: list[int]) -> bytes:
        self.talk.say("read-multiple " + " ".join(f"0x{handle:04x}" for handle in handles))
        return octets(self.talk.hears(r"Read multiple value \(\d+ bytes\):([0-9a-f ]+)$")[1])

    def write(self, handle: int, value: bytes) -> None:
        self.acknowledged(f"write-value 0x{handle:04x}", value)

    def write_command(self, handle: int, value: bytes) -> None:
        self.talk.say(" ".join([f"write-value -w 0x{handle:04x}", *(f"0x{octet:02x}" for octet in value)]))
        self.talk.hears("Write command sent")

    def write_long(self, handle: int, value: bytes) -> None:
        self.acknowledged(f"write-long-value 0x{handle:04x} 0", value)

    def write_reliable(self, handle: int, value: bytes) -> None:
        self.acknowledged(f"write-long-value -r 0x{handle:04x} 0", value)

    def acknowledged(self, line: str, value: bytes) -> None:
        self.talk.say(" ".join([line, *(f"0x{octet:02x}" for octet in value)]))
        found = self.talk.hears(r"Write successful|Write failed: .*\(0x(..)\)|Reliable write not verified|Failed to .*")
        if found[1]:
            raise Refused(int(found[1], 16))
        if found[0] != "Write successful":
            raise Failure(f"btgatt-client: {found[0]}")

    def subscribe(self, handle: int, configuration: int, indicate: bool) -> None:
        """The tool finds the descriptor and the kind of message by itself."""
        self.talk.say(f"register-notify 0x{handle:04x}")
        self.registration = self.talk.hears(r"Registering notify handler with id: (\d+)")[1]
        self.talk.hears("Registered notify handler!")

    def heard(self, handle: int) -> bytes:
        found = self.talk.hears(rf"Handle Value Not/Ind: 0x{handle:04x} - \((\d+) bytes\): ?([0-9a-f ]*)$")
        return octets(found[2])

    def unsubscribe(self, handle: int, configuration: int) -> None:
        self.talk.say(f"unregister-notify {self.registration}")
        self.talk.hears("Unregistered notify handler")


def btgatt_tree(said: str) -> Tree:
    """The database as BlueZ's two tools print it."""
    tree = Tree(set(), set(), set(), set(), set())
    for start, end, kind, uuid in re.findall(
        r"service - start: (0x....), end: (0x....), type: (\w+), uuid: ([0-9a-f-]{36})", said
    ):
        (tree.primary if kind == "primary" else tree.secondary).add((int(start, 16), int(end, 16), uuid))
    for numbers in re.findall(r"include - handle: (0x....), - start: (0x....), end: (0x....)", said):
        tree.includes.add(tuple(int(number, 16) for number in numbers))
    for value, bits, uuid in re.findall(
        r"charac - start: 0x...., value: (0x....), props: (0x..), ext_props?: 0x....,? uuid: ([0-9a-f-]{36})", said
    ):
        tree.characteristics.add((int(value, 16), int(bits, 16), uuid))
    for handle, uuid in re.findall(r"descr - handle: (0x....), uuid: ([0-9a-f-]{36})", said):
        tree.descriptors.add((int(handle, 16), uuid))
    return tree
