# SPDX-License-Identifier: GPL-2.0-or-later
"""BlueZ's emulated controllers: legacy commands and reports, two adapters, and one that is pulled out."""

from guest.checks import contains, equal, lacks, true, within
from guest.schema import obeys
from guest.trace import SET_EXTENDED_SCAN_ENABLE, SET_SCAN_ENABLE

NAMED = b"\x02\x01\x06\x09\x09Emulated\x03\x03\x0f\x18"


def a_legacy_controller_is_scanned_with_legacy_commands(blectl, btvirt, trace):
    btvirt.advertise(1, NAMED)
    reports = blectl("scan", "--json", "--duration", "1.5", "--adapter", "hci0").exits(0).records("advertisement")
    found = [obeys(report) for report in reports if report["address"] == btvirt.address(1)]
    true(found, "hci1 was heard by hci0")
    equal((found[0]["name"], found[0]["services"]), ("Emulated", ["0x180F"]), "what it said")
    equal((found[0]["legacy"], found[0]["connectable"]), (True, False), "the kind of report")
    equal(found[0]["address_type"], "public", "the type of its address")
    seen = trace.now()
    opcodes = [command.opcode for command in seen.commands]
    contains(opcodes, SET_SCAN_ENABLE, "the commands")
    lacks(opcodes, SET_EXTENDED_SCAN_ENABLE, "the commands")
    true(seen.scanning is False, "the scanner is off")


def the_first_usable_adapter_is_taken(blectl, btvirt, trace):
    btvirt.advertise(1, NAMED)
    btvirt.adapters[0].down()
    try:
        blectl("scan", "--json", "--duration", "500ms").exits(0)
        used = {command.adapter for command in trace.now().commands if command.opcode == SET_SCAN_ENABLE}
        equal(used, {1}, "the adapters that scanned")
    finally:
        btvirt.adapters[0].up()


def an_adapter_that_is_pulled_out_ends_the_scan(blectl, btvirt):
    btvirt.advertise(1, NAMED)
    live = blectl.start("scan", "--json", "--duplicates", "--adapter", "hci0")
    within(5, "the scan runs", lambda: live.collected["out"])
    btvirt.unplug()
    try:
        run = live.finish(patience=8).exits(69, 74, 75)
        true(run.stderr, "there is a message")
    finally:
        btvirt.plug_in()
