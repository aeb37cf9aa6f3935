# SPDX-License-Identifier: GPL-2.0-or-later
"""Other users of the same radio: the daemon, and another copy of the program."""

import signal

from guest.checks import contains, equal, true, within
from guest.peers import TICKS


def a_scan_beside_an_idle_bluetoothd(blectl, strap, bluetoothd):
    reports = blectl("scan", "--json", "--duration", "1.5").exits(0).records("advertisement")
    contains({report["address"] for report in reports}, strap.address, "who was heard")


def a_scan_listens_along_while_bluetoothd_discovers(blectl, air, strap, bluetoothd, trace):
    bluetoothd.discover()
    within(5, "the controller scans", lambda: air.controller()["scanning"])
    run = blectl("scan", "--json", "--duration", "1.5").exits(0)
    contains({report["address"] for report in run.records("advertisement")}, strap.address, "who was heard")
    run.says("along")
    true(bluetoothd.discovering(), "bluetoothd still discovers")
    within(5, "the controller scans for bluetoothd", lambda: air.controller()["scanning"])


def a_read_beside_bluetoothd(blectl, strap, bluetoothd):
    value = blectl("read", "battery-level", "-d", strap, "--json").exits(0).record("value")
    equal(value["value"], "57", "the value")


def a_read_while_bluetoothd_discovers(blectl, strap, bluetoothd):
    bluetoothd.discover()
    value = blectl("read", "battery-level", "-d", strap, "--json").exits(0).record("value")
    equal(value["value"], "57", "the value")


def notifications_beside_bluetoothd(blectl, strap, bluetoothd):
    records = blectl("notify", TICKS, "-d", strap, "--count", "3", "--json").exits(0).records("notification")
    equal(len(records), 3, "notifications")


def two_scans_hear_the_same_and_the_first_outlives_the_second(blectl, air, strap):
    first = blectl.start("scan", "--json", "--duplicates", "--address", strap)
    first.next_record()
    second = blectl("scan", "--json", "--duration", "1").exits(0)
    contains({report["address"] for report in second.records("advertisement")}, strap.address, "who the second heard")
    true(air.controller()["scanning"], "the controller still scans for the first")
    before = len(first.collected["out"])
    within(5, "the first still hears", lambda: len(first.collected["out"]) > before)
    first.signal(signal.SIGINT)
    first.finish(patience=3).is_ended_by(signal.SIGINT)
    within(3, "the scanner is off", lambda: not air.controller()["scanning"])


def two_readers_of_two_devices(blectl, strap, echo):
    first = blectl.start("notify", TICKS, "-d", strap, "--json")
    first.next_record()
    value = blectl("read", "device-name", "-d", echo, "--json").exits(0).record("value")
    equal(value["text"], "Bumble Echo", "what the second read")
    first.next_record()
    first.signal(signal.SIGINT)
    first.finish(patience=3).is_ended_by(signal.SIGINT)


def a_device_that_another_copy_holds(blectl, strap):
    first = blectl.start("notify", TICKS, "-d", strap, "--json")
    first.next_record()
    arguments = ("--address-type", "random", "--connect-timeout", "500ms", "--retries", "0")
    run = blectl("read", "battery-level", "-d", strap, *arguments).exits(75)
    run.is_quiet().says("another program", strap.address, "hint")
    first.next_record()
    first.signal(signal.SIGINT)
    first.finish(patience=3).is_ended_by(signal.SIGINT)


def a_scan_while_another_copy_is_connected(blectl, strap, echo):
    first = blectl.start("notify", TICKS, "-d", strap, "--json")
    first.next_record()
    reports = blectl("scan", "--json", "--duration", "1").exits(0).records("advertisement")
    contains({report["address"] for report in reports}, echo.address, "who was heard")
    first.next_record()
    first.signal(signal.SIGINT)
    first.finish(patience=3).is_ended_by(signal.SIGINT)


def a_connection_while_another_copy_scans(blectl, strap, echo):
    first = blectl.start("scan", "--json", "--duplicates", "--address", echo)
    first.next_record()
    value = blectl("read", "battery-level", "-d", strap, "--address-type", "random", "--json").exits(0).record("value")
    equal(value["value"], "57", "the value")
    first.signal(signal.SIGINT)
    first.finish(patience=3).is_ended_by(signal.SIGINT)
