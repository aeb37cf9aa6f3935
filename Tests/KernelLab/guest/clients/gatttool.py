# SPDX-License-Identifier: GPL-2.0-or-later
"""BlueZ's former GATT client."""

from contextlib import contextmanager

from ..checks import Failure
from ..conversation import Conversation
from ..tree import Tree
from .common import MULTIPLE, RELIABLE, Place, Refused, octets, on_the_air


# The errors that it prints as text. It has meanings of its own for those of applications.
ERRORS = {
    "Attribute can't be read": 0x02,
    "Attribute can't be written": 0x03,
    "Internal application error: I/O": 0x80,
    "A timeout occurred": 0x81,
}


class Gatttool:
    """BlueZ's former client, in its interactive mode."""

    name = "gatttool"
    links = ("air",)
    sees_secondary_services = True
    overlooks: dict[str, set[int]] = {}
    longest = 512
    tells_application_errors = False
    lacks = {
        MULTIPLE: "it has no command for it",
        RELIABLE: "it does not compare what it has prepared with what comes back",
    }

    def __init__(self, place: Place, mtu: int | None = None):
        options = ("--adapter=hci1", f"--device={place.address}", "--addr-type=public", "--interactive")
        self.talk = Conversation("stdbuf", "-oL", "gatttool", *options)
        self.talk.say("connect")
        self.talk.hears("Connection successful", 20)
        if mtu:
            self.talk.say(f"mtu {mtu}")
            self.agreed = int(self.talk.hears(r"MTU was exchanged successfully: (\d+)")[1])

    @classmethod
    @contextmanager
    def session(cls, place: Place, mtu: int | None = None):
        with on_the_air(place):
            session = cls(place, mtu)
            try:
                yield session
                session.leave()
            finally:
                session.talk.end()

    def leave(self) -> None:
        """Ends it. It may have ended by itself when the link was lost during a request."""
        try:
            self.talk.say("exit")
        except Failure:
            pass

    def mtu(self) -> int:
        return self.agreed

    def tree(self) -> Tree:
        """It lists all attributes. Those that are neither declarations nor values are descriptors."""
        self.talk.say("primary")
        primary = {
            (int(start, 16), int(end, 16), uuid)
            for start, end, uuid in self.lines(r"attr handle: (0x....), end grp handle: (0x....) uuid: (\S+)")
        }
        self.talk.say("characteristics")
        declared = self.lines(r"handle: (0x....), char properties: (0x..), char value handle: (0x....), uuid: (\S+)")
        characteristics = {(int(value, 16), int(bits, 16), uuid) for _, bits, value, uuid in declared}
        self.talk.say("char-desc")
        known = {value for value, _, _ in characteristics}
        attributes = {(int(handle, 16), uuid) for handle, uuid in self.lines(r"handle: (0x....), uuid: (\S+)")}
        descriptors = {
            (handle, uuid)
            for handle, uuid in attributes
            if handle not in known and not uuid.startswith(("00002800", "00002801", "00002802", "00002803"))
        }
        return Tree(primary=primary, characteristics=characteristics, descriptors=descriptors)

    def lines(self, pattern: str) -> list[tuple]:
        """All lines of this form. The list has ended when no further line comes."""
        found = [self.talk.hears(pattern).groups()]
        while more := self.talk.may_hear(pattern, 2):
            found.append(more.groups())
        return found

    def read(self, handle: int) -> bytes:
        self.talk.say(f"char-read-hnd 0x{handle:04x}")
        return self.value(r"Characteristic value/descriptor: ([0-9a-f ]*)$")

    read_long = read

    def read_by_uuid(self, uuid: str) -> list[bytes]:
        self.talk.say(f"char-read-uuid {uuid}")
        return [octets(value) for (value,) in self.lines(r"handle: 0x.... \t value: ([0-9a-f ]*)$")]

    def value(self, pattern: str) -> bytes:
        found = self.talk.hears(rf"{pattern}|read failed: (.*)$")
        if found[1] is not None:
            return octets(found[1])
        raise self.error(found[2])

    def error(self, words: str) -> Exception:
        return Refused(ERRORS[words]) if words in ERRORS else Failure(f"gatttool: {words}")

    def write(self, handle: int, value: bytes) -> None:
        self.talk.say(f"char-write-req 0x{handle:04x} {value.hex()}")
        found = self.talk.hears("Characteristic value was written successfully|Characteristic Write Request failed: (.*)$")
        if found[1] is not None:
            raise self.error(found[1])

    write_long = write

    def write_command(self, handle: int, value: bytes) -> None:
        self.talk.say(f"char-write-cmd 0x{handle:04x} {value.hex()}")

    def subscribe(self, handle: int, configuration: int, indicate: bool) -> None:
        self.write(configuration, b"\x02\x00" if indicate else b"\x01\x00")

    def heard(self, handle: int) -> bytes:
        found = self.talk.hears(rf"(?:Notification|Indication  ) handle = 0x{handle:04x} value: ([0-9a-f ]*)$")
        return octets(found[1])

    def unsubscribe(self, handle: int, configuration: int) -> None:
        self.write(configuration, b"\x00\x00")
