# SPDX-License-Identifier: GPL-2.0-or-later
"""Devices from files: other people's clients find, read, write and hear what a file describes, and programs answer."""

import functools
import json
import os
import tempfile

from guest import clients
from guest.catalogue import in_one_world, limit
from guest.checks import contains, equal, true, within
from guest.clients import CLIENTS, Bluetoothctl, Gatttool, Refused
from guest.served import Served, layout

SERVICES, CHARACTERISTICS = 4, 10


def _uuid(service: int, number: int) -> str:
    return f"f1fe{service:02x}{number:02x}-0000-4000-8000-00000000b1ec"


def _constant(service: int, number: int) -> bytes:
    """A value of each length up to that which takes several packets."""
    return bytes((service * 16 + number + index) % 256 for index in range(1 + (service * CHARACTERISTICS + number) * 5))


def _characteristic(service: int, number: int) -> dict:
    """The first eight can be read, and every second of them written; then one that counts, and one that echoes."""
    uuid = _uuid(service, number)
    if number == 8:
        return {
            "uuid": uuid,
            "properties": ["read", "notify"],
            "value": {"counter": 0, "step": 1, "limit": 65535, "as": "u16"},
            "every": "200 ms",
        }
    if number == 9:
        return {
            "uuid": uuid,
            "properties": ["write", "indicate"],
            "value": "0x00",
            "on_write": [{"else": True, "do": ["store", {"echo": uuid}]}],
        }
    properties = ["read", "write"] if number % 2 else ["read"]
    return {"uuid": uuid, "properties": properties, "value": "0x" + _constant(service, number).hex()}


@functools.cache
def forty() -> str:
    """The path of a file with forty characteristics."""
    device = {
        "schema": "blectl-device/1",
        "name": "Forty",
        "address": "C0:00:00:00:00:40",
        "advertising": [{"interval": "100 ms", "data": {"name": "Forty"}}],
        "limits": {"mtu": 185},
        "services": [
            {
                "uuid": _uuid(service, 0xFF),
                "characteristics": [_characteristic(service, number) for number in range(CHARACTERISTICS)],
            }
            for service in range(SERVICES)
        ],
    }
    path = os.path.join(tempfile.mkdtemp(prefix="file-"), "forty.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(device, file)
    os.chmod(os.path.dirname(path), 0o755)
    return path


def _uses_all_of_it(blectl, client, session) -> None:
    """The database, each value, a write, notifications and indications."""
    file = layout(blectl.program, forty())
    ours = file.tree()
    (ours if session.sees_secondary_services else ours.of_primary_services()).is_listed_by(session.tree(), session.name)
    for service in range(SERVICES):
        for number in range(8):
            value, handle = _constant(service, number), file.handle(_uuid(service, number))
            read = session.read if len(value) <= 22 else session.read_long
            equal(read(handle), value, f"the value of {_uuid(service, number)}")
    written = file.handle(_uuid(1, 1))
    session.write(written, b"new")
    equal(session.read(written), b"new", "what was written")
    counter = file.handle(_uuid(2, 8))
    if clients.common.NOTIFICATIONS not in client.lacks:
        configuration = file.configuration(_uuid(2, 8))
        session.subscribe(counter, configuration, indicate=False)
        first, second = (int.from_bytes(session.heard(counter), "little") for _ in range(2))
        equal(second, first + 1, "the number after the first")
        session.unsubscribe(counter, configuration)
    echo = file.handle(_uuid(3, 9))
    if clients.common.INDICATIONS not in client.lacks:
        session.subscribe(echo, file.configuration(_uuid(3, 9)), indicate=True)
        session.write(echo, b"\x2a")
        equal(session.heard(echo), b"\x2a", "the echo")


def _case(client, link: str):
    def on_the_air(blectl, btvirt):
        _visit(blectl, client, socket=False)

    def over_a_socket(blectl, sockets):
        _visit(blectl, client, socket=True)

    return limit(90)(on_the_air if link == "air" else over_a_socket)


def _visit(blectl, client, socket: bool) -> None:
    served = Served(blectl, forty(), "--count", "1", socket=socket)
    with client.session(served.place, None) as session:
        _uses_all_of_it(blectl, client, session)
    true(served.requests_until_it_is_left(), "every request is told")
    served.live.finish().exits(0)


WAYS = {"air": "on the air", "socket": "over a socket"}
TABLE = [
    (f"{client.name} {WAYS[link]} uses all of a file's forty characteristics", _case(client, link))
    for client in CLIENTS
    for link in client.links
]


@in_one_world
@limit(90)
def bluetoothctl_reads_writes_and_subscribes(blectl, btvirt, bluetoothd):
    """A third process takes part: bluetoothd on both adapters, which does not serve in the program's place."""
    file = layout(blectl.program, forty())
    served = Served(blectl, forty(), "--count", "1")
    with Bluetoothctl.session(served.place) as session:
        constant, counter = (file.handle(_uuid(*place)) for place in ((1, 1), (2, 8)))
        equal(session.read(constant), _constant(1, 1), "a value of several packets")
        session.write(constant, b"new")
        within(10, "the write is told", lambda: served.next("request")["request"].endswith("6e6577"))
        equal(session.read(constant), b"new", "what was written")
        session.subscribe(counter, file.configuration(_uuid(2, 8)), indicate=False)
        first, second = (int.from_bytes(session.heard(counter), "little") for _ in range(2))
        equal(second, first + 1, "the number after the first")
        session.unsubscribe(counter, file.configuration(_uuid(2, 8)))
    served.requests_until_it_is_left()
    served.live.finish().exits(0)


@in_one_world
@limit(60)
def a_device_that_leaves_is_off_the_air_and_comes_back(blectl, btvirt):
    leaving = {
        "schema": "blectl-device/1",
        "name": "Leaving",
        "address": "C0:00:00:00:00:41",
        "advertising": [{"interval": "100 ms", "data": {"name": "Leaving"}}],
        "services": [{"uuid": "battery", "characteristics": []}],
        "timeline": [{"at": "6 s", "do": {"leave": "6 s"}}],
    }
    served = Served(blectl, blectl.file("leaving.json", leaving))

    def is_heard() -> bool:
        scan = blectl("scan", "-i", "hci1", "--json", "-d", served.address, "--duration", "800ms").exits(0)
        return bool(scan.records("advertisement"))

    true(is_heard(), "it is heard")
    within(15, "it is gone", lambda: not is_heard())
    within(15, "it is back", is_heard)
    within(5, "the program says so", lambda: b"is back in range" in served.live.collected["err"])
    served.live.signal(2)


@limit(60)
def a_program_answers_for_a_characteristic(blectl, btvirt):
    folder = tempfile.mkdtemp(prefix="hook-")
    got = os.path.join(folder, "got")
    served = Served(
        *(blectl, "workbench", "--count", "1"),
        *("--exec", "read 0x2A00=printf Hooked"),
        *("--exec", f"write b1ec0103-5ec7-4c3a-9d0e-51a1b1ec0001=sh -c 'cat >{got}; [ $BLECTL_VALUE != 00000000 ] || exit 129'"),
    )
    workbench = layout(blectl.program, "workbench")
    name, fixed = workbench.handle("0x2A00"), workbench.handle("b1ec0103-5ec7-4c3a-9d0e-51a1b1ec0001")
    with Gatttool.session(served.place) as session:
        equal(session.read(name), b"Hooked", "what the program provides")
        session.write(fixed, b"\x01\x02\x03\x04")
        with open(got, "rb") as file:
            equal(file.read(), b"\x01\x02\x03\x04", "what the program gets")
        try:
            session.write(fixed, bytes(4))
        except Refused:
            pass
        else:
            true(False, "the program refuses it")
        equal(session.read(fixed), b"\x01\x02\x03\x04", "what is left")
    served.requests_until_it_is_left()
    served.live.finish().exits(0)


def a_file_with_faults_is_not_served(blectl, btvirt):
    path = os.path.join(tempfile.mkdtemp(prefix="file-"), "faulty.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write('{ "schema": "blectl-device/1", "nmae": "A" }')
    blectl("serve", path).exits(65).says("nmae", "name")
    blectl("serve", "/nowhere/at-all.json").exits(66).says("/nowhere/at-all.json")
