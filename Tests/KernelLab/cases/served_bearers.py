# SPDX-License-Identifier: GPL-2.0-or-later
"""Enhanced bearers (EATT) of a served device, where the program is host of the controller."""

import signal

from guest.catalogue import in_one_world, limit
from guest.checks import Failure, contains, equal, within
from guest.far import HOST
from guest.lender import Lender
from guest.served import Served

# Server Supported Features say that there are bearers.
GENERIC_ATTRIBUTE = {
    "uuid": "generic-attribute",
    "characteristics": [
        {"uuid": "service-changed", "properties": ["indicate"]},
        {"uuid": "client-supported-features", "properties": ["read", "write"]},
        {"uuid": "database-hash", "properties": ["read"]},
        {"uuid": "server-supported-features", "properties": ["read"], "value": "0x01"},
    ],
}
UNACCEPTABLE_PARAMETERS = 0x0B
DEVICE = {
    "schema": "blectl-device/1",
    "name": "Bearers",
    "address": "C8:4B:1D:3A:90:5F",
    "advertising": [{"interval": "100 ms", "data": {"name": "Bearers"}}],
    "standard_services": False,
    "services": [
        GENERIC_ATTRIBUTE,
        {
            "uuid": "0xFF60",
            "characteristics": [
                {"uuid": "0xFF61", "properties": ["read", "notify"], "every": "500 ms", "value": "0x" + "2a" * 100},
                {"uuid": "0xFF62", "properties": ["indicate"], "every": "500 ms", "value": "0x" + "2b" * 100},
                {"uuid": "0xFF63", "properties": ["read", "write"], "value": "0x00"},
            ],
        },
    ],
}
FEATURES, LONG, LONG_CONFIGURATION, INDICATED, INDICATED_CONFIGURATION, STORED = 0x0A, 0x0D, 0x0E, 0x10, 0x11, 0x13


def _serve(blectl, phone, *options: str) -> Served:
    """Serves the device, and encrypts the link of the phone."""
    phone.will_pair("none", secure=True)
    served = Served(blectl, blectl.file("bearers.json", DEVICE), "--io", "none", *options, adapter=None)
    phone.connect(served.address)
    phone.begin_pair()
    served.next("paired")
    phone.waits_for("paired")
    return served


def _bearers(served: Served, count: int) -> list[tuple[int, int, bool]]:
    records = [served.next("bearer") for _ in range(count)]
    return [(record["bearer"], record["mtu"], record["open"]) for record in records]


def several_bearers_are_used_at_once(blectl, line):
    phone = line.peers["phone"]
    served = _serve(blectl, phone)
    equal(phone.session().read(FEATURES), b"\x01", "the server's features")
    equal(phone.open_bearers(3), [128, 128, 128], "the MTU of each")
    equal(_bearers(served, 3), [(1, 128, True), (2, 128, True), (3, 128, True)], "the bearers that are told of")
    equal(phone.on_all_bearers("read", handle=LONG), [{"result": "2a" * 100}] * 4, "the value, on each bearer")
    phone.session(1).write(STORED, b"\x07")
    equal([phone.session(each).read(STORED) for each in range(4)], [b"\x07"] * 4, "what was written over one of them")
    answers = phone.on_all_bearers("mtu", mtu=200)
    equal(answers[1:], [{"refused": 0x06}] * 3, "an exchange of the MTU on enhanced bearers")
    phone.close_bearer(2)
    equal(_bearers(served, 1), [(2, 128, False)], "the bearer that ends")
    equal(phone.session(3).read(STORED), b"\x07", "the value, over another")
    phone.hang_up()
    equal(sorted(_bearers(served, 2)), [(1, 128, False), (3, 128, False)], "the bearers that end with the link")
    equal(served.next("disconnected")["requests"] > 8, True, "requests of all bearers")


def they_are_served_over_a_controller_that_is_lent(blectl, lent):
    several_bearers_are_used_at_once(blectl, lent)


@limit(60)
def values_come_whole_over_a_bearer_that_has_room_for_them(blectl, line):
    phone = line.peers["phone"]
    _serve(blectl, phone)
    phone.session().write(LONG_CONFIGURATION, b"\x01\x00")
    equal({each["value"] for each in phone.waits_for("notified")}, {"2a" * 20}, "the value, cut to the MTU of the link")
    phone.open_bearers(2)
    seen = len(phone.journal("notified"))
    within(5, "a whole value comes", lambda: "2a" * 100 in [each["value"] for each in phone.journal("notified")[seen:]])
    phone.session(2).write(INDICATED_CONFIGURATION, b"\x02\x00")
    equal(phone.waits_for("indicated", 3)[-1]["value"], "2b" * 100, "the indicated value, after two confirmations")
    phone.hang_up()


@limit(60)
def bearers_whose_sizes_are_not_allowed_are_refused(blectl, line):
    phone = line.peers["phone"]
    served = _serve(blectl, phone)
    for mtu, mps in ((63, 64), (64, 63), (23, 23), (0, 64), (517, 0), (517, 65534), (65535, 65535)):
        try:
            opened = phone.open_bearers(2, mtu, mps)
        except Failure as failure:
            contains(str(failure), f"Refused({UNACCEPTABLE_PARAMETERS})", f"MTU {mtu} and MPS {mps}")
        else:
            raise Failure(f"bearers were opened: {opened}")
    # The least, an odd one, frames that are longer than units, and the most.
    for number, (mtu, mps) in enumerate(((64, 64), (65, 65533), (65535, 65533)), 1):
        equal(phone.open_bearers(1, mtu, mps)[-1], min(mtu, 517), "the MTU")
        equal(_bearers(served, 1), [(number, min(mtu, 517), True)], "the bearer that is told of")
        equal(phone.session(number).read(LONG), b"\x2a" * 100, "the value, in parts")
    phone.write_octets(3, 518)
    equal(_bearers(served, 1), [(3, 517, False)], "the bearer with a unit that is longer than its MTU")
    equal([phone.session(each).read(STORED) for each in range(3)], [b"\x00"] * 3, "the value, over the others")
    phone.hang_up()


def a_link_that_is_not_encrypted_has_no_bearers(blectl, line):
    phone = line.peers["phone"]
    served = Served(blectl, blectl.file("bearers.json", DEVICE), adapter=None)
    phone.connect(served.address)
    try:
        opened = phone.open_bearers(1)
    except Failure:
        opened = []
    equal(opened, [], "the bearers")
    equal(phone.session().read(STORED), b"\x00", "the value, over the link")
    phone.hang_up()


@in_one_world
def the_kernels_radio_has_no_bearers_and_the_device_does_not_tell_of_them(blectl, air, phone):
    served = Served(blectl, blectl.file("bearers.json", DEVICE))
    phone.connect(served.address)
    equal(phone.session().read(FEATURES), b"\x00", "the server's features")
    phone.hang_up()


def _is_read_over_them(device, ours):
    served = Served(device, device.file("bearers.json", DEVICE), "--io", "none", adapter=None)
    place = ("--address-type", "public", "--json")
    ours("pair", served.address, "--io", "none", *place).exits(0)
    run = ours("read", "0xFF61", "0xFF63", "-d", served.address, "--link-bearers", "3", *place).exits(0)
    equal([record["value"] for record in run.records("value")], ["2a" * 100, "00"], "the values")
    equal([is_open for *_, is_open in _bearers(served, 6)], [True] * 3 + [False] * 3, "the bearers")


@limit(60)
def another_program_reads_over_them(blectl, btvirt_server):
    _is_read_over_them(blectl.on(btvirt_server.place), blectl.on(btvirt_server.place))


@limit(60)
def another_program_reads_over_them_on_a_lent_controller(blectl, btvirt_server, machine):
    with machine.log("lender") as errors:
        lender = Lender(machine.program, btvirt_server.place, errors)
        try:
            _is_read_over_them(blectl.on(btvirt_server.place), blectl.on(f"unix:{lender.path}"))
        finally:
            lender.stop()


@limit(60)
def another_program_reads_over_them_through_ssh(elsewhere, btvirt_server):
    there = f"ssh:{HOST}/{btvirt_server.place}"
    _is_read_over_them(elsewhere.on(there), elsewhere.on(there))


@limit(90)
@in_one_world
def bluetoothd_opens_one_and_uses_it(blectl, btvirt, adapter, wide_neighbour):
    """The kernel below it mixes up several that it has asked for at once: Linux 6.1 takes the numbers in the answer in another
    order than those of its request."""
    neighbour = wide_neighbour
    neighbour.begin("NoInputNoOutput", True, channels=2)
    neighbour.talk.say("scan le")
    neighbour.talk.hears("Discovery started")
    served = Served(blectl.on("user:hci0"), blectl.file("bearers.json", DEVICE), "--io", "none", adapter=None)
    neighbour.talk.hears(f"Device {served.address}", 20)
    neighbour.talk.say(f"pair {served.address}")
    neighbour.person.start()
    equal(_bearers(served, 1), [(1, 517, True)], "its bearers")
    neighbour.is_paired_with(served.address)
    path = f"/org/bluez/hci1/dev_{served.address.replace(':', '_')}/service000b/char{STORED - 1:04x}"
    for line in ("menu gatt", f"select-attribute {path}", "write 0x05", "read"):
        neighbour.talk.say(line)
    neighbour.talk.hears(rf"Attribute {path} Value:\s*\n.*\b05 ", 10)
    neighbour.talk.say("back")
    neighbour.talk.say(f"disconnect {served.address}")
    equal(_bearers(served, 1), [(1, 517, False)], "its bearers at the end")
    served.live.signal(signal.SIGTERM)
    served.live.finish(5)
