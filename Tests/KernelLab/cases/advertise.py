# SPDX-License-Identifier: GPL-2.0-or-later
"""Beacons and other advertisements: heard by a second adapter as they were said, and gone at the end."""

import signal

from guest.catalogue import in_one_world, limit
from guest.checks import contains, equal, true, within
from guest.schema import obeys
from guest.trace import DISCONNECT

SET_ADVERTISING_ENABLE = 0x200A
SET_EXTENDED_DATA, SET_EXTENDED_ENABLE, REMOVE_SET = 0x2037, 0x2039, 0x203C
UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
KINDS = {
    "ibeacon": ("ibeacon", UUID, "--major", "1", "--minor", "2", "--power", "-60"),
    "altbeacon": ("altbeacon", "000102030405060708090a0b0c0d0e0f10111213"),
    "eddystone-uid": ("eddystone-uid", "0102030405060708090a", "a1a2a3a4a5a6"),
    "eddystone-url": ("eddystone-url", "https://example.com/blectl"),
    "eddystone-eid": ("eddystone-eid", "0102030405060708"),
    "fields": ("--local-name", "Lab", "--service-uuid", "heart-rate", "--tx-power", "4", "--manufacturer-data", "apple:0102"),
    "raw": ("raw", "0201060709424c4543544c"),
}


class Advertising:
    """The program while it advertises on hci0."""

    def __init__(self, blectl, *arguments: str, sets: int = 1):
        self.live = blectl.start("advertise", "--adapter", "hci0", "--json", *arguments)
        self.records = [obeys(self.live.next_record()) for _ in range(sets)]
        equal({record["type"] for record in self.records}, {"advertising"}, "the first records")

    def next(self, kind: str) -> dict:
        record = obeys(self.live.next_record())
        equal(record["type"], kind, "the next record")
        return record

    def ends(self, number: signal.Signals = signal.SIGINT) -> None:
        self.live.signal(number)
        self.live.finish().is_ended_by(number)


def _heard(blectl, address: str, *options: str) -> list[dict]:
    scan = blectl("scan", "--adapter", "hci1", "--json", "-d", address, "--duration", "1.5", *options).exits(0)
    reports = scan.records("advertisement")
    true(reports, "hci1 hears it")
    return reports


# Each kind on each of two emulated controllers would take minutes, and the second one shows nothing new.
@in_one_world
@limit(90)
def each_kind_is_heard_by_a_second_adapter_as_it_was_said(blectl, btvirt):
    for name, arguments in KINDS.items():
        advertising = Advertising(blectl, *arguments)
        [said] = advertising.records
        equal((said["adapter"], said["address"]), ("hci0", btvirt.address(0)), f"{name}: where it is sent")
        heard = _heard(blectl, said["address"])[-1]
        equal(heard["data"], said["data"], f"{name}: the octets")
        equal((heard["beacon"], heard["name"]), (said["beacon"], said["name"]), f"{name}: what they mean")
        equal((heard["connectable"], heard["legacy"]), (False, True), f"{name}: the kind of report")
        if said["beacon"]:
            equal(said["beacon"]["kind"], name, "the kind of beacon")
        advertising.ends()


@in_one_world
def telemetry_counts_on(blectl, btvirt):
    advertising = Advertising(blectl, "eddystone-tlm", "--battery", "3000", "--temperature", "21.5")
    [said] = advertising.records

    def state() -> dict:
        return _heard(blectl, said["address"], "--duplicates")[-1]["beacon"]

    first = state()
    equal((first["battery_mv"], first["temperature_c"]), (3000, 21.5), "what does not change")
    within(10, "the uptime is later", lambda: state()["uptime_s"] > first["uptime_s"])
    advertising.ends()


@in_one_world
def a_scan_response_is_given_to_those_who_ask(blectl, btvirt):
    advertising = Advertising(blectl, "--service-uuid", "heart-rate", "--scan-response", "--local-name", "Asked")
    [said] = advertising.records
    equal((said["scannable"], said["connectable"]), (True, False), "the kind of advertisement")
    heard = _heard(blectl, said["address"], "--active", "--duplicates")
    equal({report["data"] for report in heard if not report["scan_response"]}, {said["data"]}, "the data")
    equal({report["data"] for report in heard if report["scan_response"]}, {said["scan_response"]}, "the answers")
    advertising.ends()


@in_one_world
def a_legacy_controller_has_room_for_one_of_one_program(blectl, btvirt, trace):
    advertising = Advertising(blectl, "--local-name", "First")
    equal(advertising.records[0]["commands"], "legacy", "the commands")
    second = blectl("advertise", "--adapter", "hci0", "--local-name", "Second").exits(75)
    second.says("no room", "advertise --adapter hci0")
    blectl("advertise", "--adapter", "hci1", "raw", "00", "+", "raw", "01").exits(69).says("room for 1 of 2")
    equal(_heard(blectl, advertising.records[0]["address"])[-1]["name"], "First", "who is still heard")
    advertising.ends(signal.SIGTERM)
    for adapter in (0, 1):
        commands = [command for command in trace.now().commands if command.adapter == adapter]
        switches = [command.parameters[0] for command in commands if command.opcode == SET_ADVERTISING_ENABLE]
        equal(switches[-1], 0, f"the last switch of hci{adapter}")


@in_one_world
def a_central_that_connects_is_told(blectl, btvirt, trace):
    advertising = Advertising(blectl, "--connectable", "--local-name", "Door", "--count", "1")
    address = advertising.records[0]["address"]
    client = blectl.start(
        *("read", "0x2A00", "-i", "hci1", "-d", address, "--address-type", "public", "--timeout", "20"),
    )
    connected = advertising.next("connected")
    equal(connected["central"]["address"], btvirt.address(1), "who has connected")
    client.kill()
    btvirt.end_links()
    ended = advertising.next("disconnected")
    equal((ended["mtu"], ended["requests"]), (None, None), "what a server would tell")
    advertising.live.finish().exits(0)
    commands = [command for command in trace.now().commands if command.adapter == 0]
    equal(
        [command.parameters[0] for command in commands if command.opcode == SET_ADVERTISING_ENABLE][-1],
        0,
        "the last switch",
    )


# With Basic Rate the same commands are sent.
@in_one_world
def several_sets_of_several_programs_by_extended_commands(blectl, air, trace):
    first = Advertising(blectl, *KINDS["ibeacon"], "+", *KINDS["eddystone-url"], sets=2)
    second = Advertising(blectl, "--extended", "--local-name", "L" * 200, "--sid", "5")
    equal([record["commands"] for record in [*first.records, *second.records]], ["extended"] * 3, "the commands")
    said = {record["data"] for record in first.records}
    second.ends()
    first.ends()
    commands = [command for command in trace.now().commands if command.adapter == 0]
    sent = [command.parameters for command in commands if command.opcode == SET_EXTENDED_DATA]
    equal({data[4:].hex() for data in sent} >= said, True, "the data of the first program are sent")
    removed = [command.parameters[0] for command in commands if command.opcode == REMOVE_SET]
    equal(len(set(removed)), 3, "each set has a number of its own, and is removed")
    contains([command.opcode for command in commands], SET_EXTENDED_ENABLE, "the commands")


@in_one_world
def a_present_day_central_is_told_and_sent_away_at_the_end(blectl, air, phone, trace):
    advertising = Advertising(blectl, "--connectable", "--local-name", "Door")
    phone.connect(advertising.records[0]["address"])
    equal(advertising.next("connected")["central"]["address"], phone.address, "who has connected")
    advertising.live.signal(signal.SIGINT)
    equal(advertising.next("disconnected")["reason"], "closed by blectl", "why it has ended")
    advertising.live.finish().is_ended_by(signal.SIGINT)
    contains([command.opcode for command in trace.now().commands], DISCONNECT, "the commands")


def beside_a_served_device(blectl, air, phone):
    """Both advertise at once, and the central gets the attributes of the one that serves."""
    served = blectl.start("serve", "pulse-strap", "--adapter", "hci0", "--json", "--count", "1")
    address = obeys(served.next_record())["address"]
    advertising = Advertising(blectl, *KINDS["ibeacon"])
    phone.connect(address)
    true(phone.session().tree().primary, "the services")
    phone.hang_up()
    served.finish().exits(0)
    advertising.ends()


@in_one_world
def an_adapter_that_is_switched_off_ends_it(blectl, air, adapter):
    advertising = Advertising(blectl, "--local-name", "Gone")
    adapter.down()
    advertising.live.finish(patience=10).exits(69).says("down")


@in_one_world
def without_the_capability_it_says_so(blectl, btvirt):
    blectl.as_nobody()("advertise", "--local-name", "A", "--adapter", "hci0").exits(77).says("CAP_NET_RAW", "setcap")
