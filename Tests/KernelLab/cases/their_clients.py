# SPDX-License-Identifier: GPL-2.0-or-later
"""Other projects' clients against this program's server: the same database, the same values, and every procedure that
they support.

Each client is tested for each point of the list below, over each link that it supports: on the air through a second
adapter and the kernel of both sides, over a packet socket, and with the program's own host, on each controller of
`guest/twins.py`. `Tests/KernelLab/run --matrix` prints the result.
"""

from dataclasses import replace

from guest import clients
from guest.catalogue import limit
from guest.checks import contains, equal
from guest.clients import CLIENTS, BumbleCentral, Refused
from guest.clients.common import (
    ALL_SERVICES,
    ALL_VALUES,
    BY_UUID,
    COMMAND,
    INDICATIONS,
    LONG_READ,
    LONG_WRITE,
    MTU,
    MULTIPLE,
    NOTIFICATIONS,
    REFUSAL,
    RELIABLE,
    WRITE,
)
from guest.schema import full_uuid
from guest.served import Served, layout

# The values that the workbench and the sports watch serve.
LONG, VARIABLE, FIXED, WRITE_ONLY, RELIABLE_VALUE, TICKER, WITH_AN_ERROR = (
    f"b1ec0{number}-5ec7-4c3a-9d0e-51a1b1ec0001" for number in ("101", "102", "103", "105", "106", "107", "304")
)
SELECTION, SELECTED = (f"5afe000{number}-72c4-4e0b-8a31-7d0652b91c44" for number in (2, 3))
# The battery's level, and the descriptors that each client configures for itself.
OF_THE_MOMENT = ("0x2A19", "0x2902", "0x2B29")
MODEL = full_uuid("0x2A24")
LETTER = bytes(number * 5 % 256 for number in range(512))
THEIR_MTU, OUR_MTU = 185, 247
READ_NOT_PERMITTED, APPLICATION_ERROR = 0x02, 0x85


class Visit:
    """A client that is connected to a served device."""

    device = "workbench"
    options: tuple[str, ...] = ()
    mtu: int | None = None

    def __init__(self, blectl):
        self.layout = layout(blectl.program, self.device, *self.options)
        self.handle, self.configuration = self.layout.handle, self.layout.configuration

    def check(self, session) -> None:
        raise NotImplementedError

    def check_requests(self, requests: list[str]) -> None:
        """Expects these requests in the server's records."""


class Database(Visit):
    def check(self, session):
        ours = self.layout.tree().without(session.overlooks.get(self.device, set()))
        if not session.sees_secondary_services:
            ours = ours.of_primary_services()
        ours.is_listed_by(session.tree(), session.name)


class BigDatabase(Database):
    device = "sports-watch"


class OddDatabase(Database):
    """Every structure that the specification allows, up to a service at the last handle."""

    device = "museum"


class Values(Visit):
    """All values that can be read and do not depend on the client."""

    device = "sports-watch"
    options = ("--values",)

    def check(self, session):
        for record in self.layout.records:
            handle = record["handle"]
            if record.get("value") is not None and record["uuid"] not in OF_THE_MOMENT:
                read = session.read if len(record["value"]) <= 2 * 22 else session.read_long
                equal(read(handle).hex(), record["value"], f"the value of {record['uuid']}")


class AgreedMTU(Visit):
    mtu = THEIR_MTU

    def check(self, session):
        equal(session.mtu(), THEIR_MTU, "the smaller one of both MTUs")
        equal(session.read_long(self.handle(LONG)), _first_letter(), "a long value, in parts of that size")


class LongRead(Visit):
    def check(self, session):
        equal(session.read_long(self.handle(LONG)), _first_letter(), "all 512 octets, 22 at a time")


class ByUUID(Visit):
    device = "sports-watch"

    def check(self, session):
        equal(session.read_by_uuid(MODEL), [b"SW-12"], "the model's name")


class Multiple(Visit):
    def check(self, session):
        values = session.read_multiple([self.handle(FIXED), self.handle(VARIABLE)])
        equal(values, b"\x01\x02\x03\x04hello", "two values, one after the other")


class Refusal(Visit):
    def check(self, session):
        self.is_refused(session, WRITE_ONLY, READ_NOT_PERMITTED)
        if session.tells_application_errors:
            self.is_refused(session, WITH_AN_ERROR, APPLICATION_ERROR)
        equal(session.read(self.handle(FIXED)), b"\x01\x02\x03\x04", "what is read after it")


    def is_refused(self, session, uuid: str, code: int) -> None:
        try:
            value = session.read(self.handle(uuid))
        except Refused as refusal:
            equal(refusal.code, code, "the code of the error")
        else:
            equal(value, None, "a value that is refused")


class Write(Visit):
    def check(self, session):
        session.write(self.handle(FIXED), b"\xca\xfe\xf0\x0d")
        equal(session.read(self.handle(FIXED)), b"\xca\xfe\xf0\x0d", "what was written")


class Command(Visit):
    def check(self, session):
        session.write_command(self.handle(VARIABLE), b"without a word")
        equal(session.read(self.handle(VARIABLE)), b"without a word", "what was written")

    def check_requests(self, requests):
        contains(requests, "Write Command", "what was asked")


class LongWrite(Visit):
    def check(self, session):
        letter = LETTER[: session.longest]
        session.write_long(self.handle(LONG), letter)
        equal(session.read_long(self.handle(LONG)), letter, "what was written")

    def check_requests(self, requests):
        contains(requests, "Prepare Write Request", "what was asked")
        contains(requests, "Execute Write Request", "what was asked")


class ReliableWrite(Visit):
    def check(self, session):
        session.write_reliable(self.handle(RELIABLE_VALUE), LETTER[:100])
        equal(session.read_long(self.handle(RELIABLE_VALUE)), LETTER[:100], "what was written")

    check_requests = LongWrite.check_requests


class Notifications(Visit):
    def check(self, session):
        session.subscribe(self.handle(TICKER), self.configuration(TICKER), indicate=False)
        first, second = (int.from_bytes(session.heard(self.handle(TICKER)), "little") for _ in range(2))
        equal(second, first + 1, "the tick after the first")
        session.unsubscribe(self.handle(TICKER), self.configuration(TICKER))
        equal(session.read(self.configuration(TICKER)), b"\x00\x00", "what is left of the subscription")


class Indications(Visit):
    """The second indication is sent only after the first has been confirmed."""

    device = "sports-watch"

    def check(self, session):
        session.subscribe(self.handle(SELECTED), self.configuration(SELECTED), indicate=True)
        for number in (7, 8, 9):
            session.write(self.handle(SELECTION), bytes([number]))
            equal(session.heard(self.handle(SELECTED)), bytes([number]), "what is indicated")
        session.unsubscribe(self.handle(SELECTED), self.configuration(SELECTED))
        equal(session.read(self.configuration(SELECTED)), b"\x00\x00", "what is left of the subscription")


def _first_letter() -> bytes:
    return bytes((number ^ number >> 8) & 0xFF for number in range(512))


CHECKLIST = {
    ALL_SERVICES: (Database, BigDatabase, OddDatabase),
    ALL_VALUES: (Values,),
    MTU: (AgreedMTU,),
    LONG_READ: (LongRead,),
    BY_UUID: (ByUUID,),
    MULTIPLE: (Multiple,),
    REFUSAL: (Refusal,),
    WRITE: (Write,),
    COMMAND: (Command,),
    LONG_WRITE: (LongWrite,),
    RELIABLE: (ReliableWrite,),
    NOTIFICATIONS: (Notifications,),
    INDICATIONS: (Indications,),
}
assert tuple(CHECKLIST) == clients.EVERYTHING


def _visit(blectl, client, visit: Visit, socket: bool = False, central=None) -> None:
    served = Served(blectl, visit.device, "--count", "1", socket=socket)
    with client.session(replace(served.place, central=central), visit.mtu) as session:
        visit.check(session)
    visit.check_requests([record["name"] for record in served.requests_until_it_is_left()])
    served.live.finish().exits(0)


def _case(client, link: str, visits):
    """One point of the list for one client over one link."""

    def on_the_air(blectl, btvirt):
        for visit in visits:
            _visit(blectl, client, visit(blectl))

    def over_a_socket(blectl, sockets):
        for visit in visits:
            _visit(blectl, client, visit(blectl), socket=True)

    def with_our_own_host(blectl, line):
        for visit in visits:
            _visit(blectl, client, visit(blectl), central=line.peers["phone"])

    return limit(60)({"air": on_the_air, "socket": over_a_socket, "own host": with_our_own_host}[link])


CLIENTS = (*CLIENTS, BumbleCentral)
WAYS = {"air": "on the air", "socket": "over a socket", "own host": "with our own host"}
TABLE = [
    (f"{client.name} {WAYS[link]}: {point}", _case(client, link, visits))
    for client in CLIENTS
    for link in client.links
    for point, visits in CHECKLIST.items()
    if point not in client.lacks
]
