# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab itself: peers, monitor and comparisons are correct, checked by programs other than the one under test."""

from guest.checks import contains, equal, true, within
from guest.peers import ABSENT
from guest.stack import command, find_by_btmgmt, gatttool


def gatttool_reads_the_battery_with_one_request(strap, trace):
    answer = gatttool(strap, "--char-read", "--uuid=2a19")
    contains(answer[0], "value: 57", "the value")
    seen = trace.now()
    equal([pdu.name for pdu in seen.requests], ["Read By Type Request"], "the requests in the trace")
    equal(seen.connected, [strap.address], "the links in the trace")
    equal(len(strap.journal("read")), 1, "reads in the peer's own journal")


def btmgmt_finds_the_connectable_devices_and_the_trace_shows_the_scan_end(strap, echo, trace):
    heard = find_by_btmgmt(strap.address, echo.address)
    contains(heard, "name Bumble HR", "names heard")
    seen = trace.now()
    equal((seen.scan_switches[0], seen.scan_switches[-1]), (True, False), "the scanner's first and last switch")
    true(seen.scanning is False, "the scanner is off at the end")
    true(seen.reports > 0, "there are reports in the trace")


def a_muted_device_cannot_be_reached(air, strap, trace):
    strap.mute()
    answer = command("timeout", "2", "gatttool", "-b", strap.address, "-t", "random", "--primary", check=False)
    equal(answer, "", "what gatttool says")
    equal(trace.now().connected, [], "links in the trace")
    within(5, "the kernel gives up", lambda: not air.controller()["connecting"])


def nobody_answers_for_the_absent_device(air):
    true(ABSENT not in [peer.address for peer in air.peers.values()], "the absent device is absent")
