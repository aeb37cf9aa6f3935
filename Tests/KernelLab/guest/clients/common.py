# SPDX-License-Identifier: GPL-2.0-or-later
"""The common verbs of all clients."""

from contextlib import contextmanager
from dataclasses import dataclass

from ..stack import Adapter

ALL_SERVICES = "the database"
ALL_VALUES = "the values"
MTU = "the MTU"
LONG_READ = "a long value"
BY_UUID = "a value by its UUID"
MULTIPLE = "several values in one request"
REFUSAL = "a refusal and its code"
WRITE = "a write"
COMMAND = "a write without response"
LONG_WRITE = "a long write"
RELIABLE = "a reliable write"
NOTIFICATIONS = "notifications"
INDICATIONS = "indications"
EVERYTHING = (
    *(ALL_SERVICES, ALL_VALUES, MTU, LONG_READ, BY_UUID, MULTIPLE, REFUSAL),
    *(WRITE, COMMAND, LONG_WRITE, RELIABLE, NOTIFICATIONS, INDICATIONS),
)


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, code: int):
        super().__init__(f"error 0x{code:02x}")
        self.code = code


@dataclass(frozen=True)
class Place:
    """The place of a server: a packet socket, or an address on the air, for a central that is there as well or for hci1."""

    socket: str | None = None
    address: str | None = None
    central: object = None


@contextmanager
def on_the_air(place: Place):
    """Connects by hci1, and disconnects afterwards, because the kernel would keep the link for some seconds."""
    try:
        yield
    finally:
        if place.address:
            Adapter("hci1").hang_up()


def octets(text: str) -> bytes:
    return bytes.fromhex(text.replace("0x", ""))
