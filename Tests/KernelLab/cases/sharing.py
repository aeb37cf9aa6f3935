# SPDX-License-Identifier: GPL-2.0-or-later
"""A controller performs one scan at a time: the program's scan while other programs start and stop theirs."""

import signal

from guest.checks import true, within


def _scan(blectl, peer):
    scan = blectl.start("scan", "--json", "--duplicates", "--address", peer)
    scan.next_record()
    return scan


def _goes_on(air, scan, who):
    within(5, f"the controller scans for {who}", lambda: air.controller()["scanning"])
    before = len(scan.collected["out"])
    within(5, f"{who} still hears", lambda: len(scan.collected["out"]) > before)


def _end(scan):
    scan.signal(signal.SIGINT)
    scan.finish(patience=3).is_ended_by(signal.SIGINT)


def a_scan_goes_on_when_the_copy_ends_with_which_it_listened_along(blectl, air, strap):
    first, second = _scan(blectl, strap), _scan(blectl, strap)
    _end(first)
    _goes_on(air, second, "the second")
    _end(second)
    within(3, "the scanner is off", lambda: not air.controller()["scanning"])


def two_scans_that_begin_together_leave_nothing_on(blectl, air, strap):
    scans = [blectl.start("scan", "--json", "--duplicates", "--address", strap) for _ in range(3)]
    for scan in scans:
        scan.next_record()
    for number, scan in enumerate(scans):
        _goes_on(air, scan, f"scan {number}")
        _end(scan)
    within(3, "the scanner is off", lambda: not air.controller()["scanning"])


def a_scan_goes_on_when_bluetoothd_has_discovered(blectl, air, strap, bluetoothd):
    bluetoothd.discover()
    within(5, "the controller scans", lambda: air.controller()["scanning"])
    scan = _scan(blectl, strap)
    bluetoothd.control.stdin.write(b"scan off\n")
    within(10, "bluetoothd does not discover any more", lambda: not bluetoothd.discovering())
    _goes_on(air, scan, "us")
    _end(scan)
    within(3, "the scanner is off", lambda: not air.controller()["scanning"])


def bluetoothd_that_discovers_while_we_scan_is_not_disturbed(blectl, air, strap, bluetoothd):
    scan = _scan(blectl, strap)
    bluetoothd.discover()
    _goes_on(air, scan, "us")
    _end(scan)
    true(bluetoothd.discovering(), "bluetoothd still discovers")
    within(5, "the controller scans for bluetoothd", lambda: air.controller()["scanning"])


def a_scan_goes_on_when_the_kernel_has_connected_for_another_copy(blectl, air, strap, echo):
    scan = _scan(blectl, echo)
    blectl("read", "battery-level", "-d", strap, "--address-type", "random").exits(0)
    _goes_on(air, scan, "us")
    _end(scan)
    within(3, "the scanner is off", lambda: not air.controller()["scanning"])
