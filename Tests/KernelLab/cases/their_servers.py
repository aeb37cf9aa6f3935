# SPDX-License-Identifier: GPL-2.0-or-later
"""Other projects' servers against this program's client: the same database, the same values, and every procedure that
they support.

Each server is tested for each point of the list below, over the kernel of both sides, over a packet socket, and with the
program's own host, on each controller of `guest/twins.py`. `Tests/KernelLab/run --matrix` prints the result.
"""

from guest.catalogue import limit
from guest.checks import contains, equal, true
from guest.schema import full_uuid, obeys
from guest.servers import (
    AGREED_MTU,
    COMMANDED,
    DATABASE,
    INDICATED,
    LONG_VALUE,
    LONG_WRITTEN,
    NOTIFIED,
    ONE_REQUEST,
    REFUSED,
    RELIABLY_WRITTEN,
    REMEMBERED,
    SERVERS,
    SEVERAL,
    TWINS,
    VALUES,
    WRITTEN,
)
from guest.tree import Tree

LETTER = bytes(number * 5 % 256 for number in range(300))
# 95 octets in each packet of 100.
PREPARED_AND_EXECUTED = 4 * ["Prepare Write Request"] + ["Execute Write Request write"]


def _database(server):
    declared, run = server.tree_while(lambda options: server.blectl("inspect", "--json", *options))
    found = Tree.inspected([obeys(record) for record in run.exits(0).records()])
    true(found.primary, "services were found")
    declared.is_listed_by(found, "blectl")


def _values(server):
    run = server.ask("inspect", "--values", "--json").exits(0)
    found = {record["uuid"]: record["value"] for record in run.records("characteristic")}
    equal({uuid: found[uuid] for uuid in server.values}, server.values, "the values")


def _agreed_mtu(server):
    server.with_its_mtu()
    run = server.ask("inspect", "--values", "-v").exits(0)
    contains(run.stderr, f"Exchange MTU Response {server.mtu}\n", "what was agreed")


def _long_value(server):
    uuid, value = server.long
    record = server.ask("read", uuid, "--json").exits(0).record("value")
    equal(record["value"], value.hex(), "the long value")


def _one_request(server):
    uuid, value = server.one
    run = server.ask("read", uuid, "--json", "-v").exits(0)
    equal(run.record("value")["value"], value, "the value")
    equal(_sent(run), ["Read By Type Request"], "the requests")


def _several(server):
    records = server.ask("read", *server.several, "--json").exits(0).records("value")
    equal({record["target"]: record["value"] for record in records}, server.several, "the values")


def _twins(server):
    uuid, values = server.twins
    run = server.ask("inspect", "--values", "--json").exits(0)
    found = [record["value"] for record in run.records("characteristic") if full_uuid(record["uuid"]) == uuid]
    equal(found, values, "the values of the twins")


def _refused(server):
    target, code = server.refused
    arguments = ("write", target, "u8:2") if code >= 0x80 else ("read", target)
    server.ask(*arguments).exits(76).says(f"0x{code:02x}")


def _written(server):
    target, value = server.written
    record = server.ask("write", target, "0x" + value.hex(), "--json").exits(0).record("write")
    equal(record["procedure"], "write-request", "the procedure")
    server.saw_write()


def _commanded(server):
    target, value = server.commanded
    record = server.ask("write", target, "0x" + value.hex(), "--no-response", "--json").exits(0).record("write")
    equal(record["procedure"], "write-command", "the procedure")
    server.saw_command()


def _long_written(server):
    server.with_short_packets()
    arguments = (server.long_written, "0x" + LETTER.hex(), "--verify", "--json", "-v")
    run = server.ask("write", *arguments).exits(0)
    record = run.record("write")
    equal((record["procedure"], record["verified"]), ("long-write", True), "how, and whether it reads the same")
    equal([name for name in _sent(run) if "Write" in name], PREPARED_AND_EXECUTED, "the writes")
    server.saw_long_write(LETTER)


def _reliably_written(server):
    """In one piece, because only there a reliable write differs from others: the value is echoed nevertheless."""
    run = server.ask("write", server.reliable, "text:echoed", "--reliable", "--verify", "--json", "-v").exits(0)
    record = obeys(run.record("write"))
    equal((record["procedure"], record["verified"]), ("reliable-write", True), "how, and whether it reads the same")
    equal([name for name in _sent(run) if "Write" in name], PREPARED_AND_EXECUTED[-2:], "the writes")


def _notified(server):
    run = server.ask("notify", server.notified, "--count", "2", "--json").exits(0)
    equal([obeys(record)["sequence"] for record in run.records("notification")], [1, 2], "the notifications")


def _indicated(server):
    target, values = server.indicated
    live = server.start("notify", target, "--count", "2", "--json")
    server.indicate()
    records = [obeys(record) for record in live.finish().exits(0).records("indication")]
    equal([record["sequence"] for record in records], [1, 2], "the indications")
    if values:
        equal([record["value"] for record in records], values, "what is indicated")


def _remembered(server):
    first, second = (server.ask("inspect", "--json", "-v").exits(0) for _ in range(2))
    found, remembered = (Tree.inspected(run.records()) for run in (first, second))
    equal(remembered, found, "the database at the second visit")
    equal(_sent(second), ["Read By Type Request"], "the requests of the second visit: the Database Hash")


def _sent(run) -> list[str]:
    """The names of the PDUs that `-v` reports as sent."""
    lines = [line.split(" > att ")[1] for line in run.stderr.splitlines() if " > att " in line]
    return [line.split(" ", 1)[1].split(" 0x")[0] for line in lines]


CHECKLIST = {
    DATABASE: _database,
    VALUES: _values,
    AGREED_MTU: _agreed_mtu,
    LONG_VALUE: _long_value,
    ONE_REQUEST: _one_request,
    SEVERAL: _several,
    TWINS: _twins,
    REFUSED: _refused,
    WRITTEN: _written,
    COMMANDED: _commanded,
    LONG_WRITTEN: _long_written,
    RELIABLY_WRITTEN: _reliably_written,
    NOTIFIED: _notified,
    INDICATED: _indicated,
    REMEMBERED: _remembered,
}


def _case(server, link: str, check):
    """One point of the list for one server over one link."""

    def visit(blectl, place):
        with server.open(blectl, place, link) as there:
            check(there)

    # The name of a case's parameter is the world that it runs in.
    cases = {
        "btvirt": lambda blectl, btvirt: visit(blectl, btvirt),
        "air": lambda blectl, air: visit(blectl, air),
        "sockets": lambda blectl, sockets: visit(blectl, sockets),
    }
    return limit(60)(cases["sockets" if link == "socket" else server.world])


WAYS = {"air": "on the air", "socket": "over a socket"}
TABLE = [
    (f"{server.name} {WAYS[link]}: {point}", _case(server, link, check))
    for server in SERVERS
    for link in server.links
    for point, check in CHECKLIST.items()
    if point not in server.lacks
]
