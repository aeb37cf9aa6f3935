# SPDX-License-Identifier: GPL-2.0-or-later
"""bluetoothd as a client, through its own tool."""

import re
from contextlib import contextmanager

from ..checks import Failure, within
from ..conversation import Conversation
from ..stack import Adapter, command
from .common import Place, octets, on_the_air

# The start of a line, which has the prompt before it if nothing was typed there; and a line of a hexadecimal dump.
START = r"^(?:\[[^\]\n]+\][#>] )*"
DUMP = rf"{START} {{2}}((?:[0-9a-f]{{2}} )+).*\n"


class Bluetoothctl:
    """`bluetoothctl` of BlueZ, whose daemon connects by hci1.

    It has only the verbs for values: the daemon keeps Generic Access and Generic Attribute to itself, and does not tell
    the codes of errors."""

    name = "bluetoothctl"

    def __init__(self, place: Place):
        adapter = Adapter("hci1").address()
        self.address = place.address
        self.selected: int | None = None
        self.talk = Conversation("stdbuf", "-oL", "bluetoothctl")
        within(10, "bluetoothctl knows the adapter", lambda: self.answers("list", f"Controller {adapter}"))
        self.talk.say(f"select {adapter}")
        self.talk.say("scan le")
        self.talk.hears("Discovery started")
        within(20, "bluetoothd has found the device", self.is_found)
        self.talk.say("scan off")
        self.talk.hears("Discovery stopped")
        self.talk.say(f"connect {self.address}")
        self.talk.hears("Connection successful", 20)
        info = (f"info {self.address}", "ServicesResolved: yes")
        within(20, "bluetoothd has found the services", lambda: self.answers(*info))
        self.talk.say("menu gatt")
        self.talk.say(f"list-attributes {self.address}")
        self.talk.hears("Characteristic")

    def answers(self, line: str, pattern: str) -> bool:
        self.talk.say(line)
        return self.talk.may_hear(pattern, 1) is not None

    @classmethod
    @contextmanager
    def session(cls, place: Place, mtu: None = None):
        with on_the_air(place):
            talk = None
            try:
                session = cls(place)
                talk = session.talk
                yield session
            except Failure as failure:
                raise Failure(f"{failure}\n{talk and talk.said}") from failure
            finally:
                if talk:
                    talk.say("back")
                    talk.say(f"disconnect {place.address}")
                    talk.may_hear("Successful disconnected", 5)
                    talk.end()

    def select(self, handle: int) -> str:
        """The daemon names a characteristic by the handle of its declaration, which is the one before its value."""
        pattern = re.compile(rf"/org/bluez/hci1/\S+/char{handle - 1:04x}$", re.MULTILINE)
        path = within(5, f"there is a value at 0x{handle:04x}", lambda: pattern.search(self.talk.said))[0]
        if handle != self.selected:
            self.talk.say(f"select-attribute {path}")
            self.selected = handle
        return path

    def is_found(self) -> bool:
        """The emulator reports an advertiser once, when the scan begins, and Linux does not look for devices yet. It
        reports it again when the advertising is switched on again."""
        for switch in ("0x00", "0x01"):
            command("hcitool", "-i", "hci0", "cmd", "0x08", "0x000a", switch)
        return self.talk.may_hear(f"Device {self.address}", 1) is not None

    def read(self, handle: int) -> bytes:
        """It prints a value without its end. What it knows of the attribute afterwards has the same value, and more
        lines behind it."""
        self.select(handle)
        self.talk.say("read")
        self.heard(handle)
        self.talk.say("attribute-info")
        found = self.talk.hears(rf"{START}\tValue:\s*\n((?:{DUMP})+){START}\t")
        return octets("".join(re.findall(DUMP, found[1], re.MULTILINE)))

    def write(self, handle: int, value: bytes) -> None:
        """It tells only when a write is refused; the next answer shows that this one was not."""
        self.select(handle)
        self.talk.say(f"write '{' '.join(f'0x{octet:02x}' for octet in value)}'")
        self.talk.hears("Attempting to write")

    def is_refused(self) -> None:
        """Waits until the last write is refused."""
        self.talk.hears("Failed to write: ")

    def subscribe(self, handle: int, configuration: int, indicate: bool) -> None:
        self.select(handle)
        self.talk.say("notify on")
        self.talk.hears("Notify started")

    def heard(self, handle: int) -> bytes:
        """The next value, or the first line of a long one."""
        return octets(self.talk.hears(rf"Attribute {self.select(handle)} Value:\s*\n{DUMP}")[1])

    def unsubscribe(self, handle: int, configuration: int) -> None:
        self.select(handle)
        self.talk.say("notify off")
        self.talk.hears("Notify stopped")
