# SPDX-License-Identifier: GPL-2.0-or-later
"""Many commands at once on one adapter: they wait for each other, and all of them succeed."""

import signal
import time

from guest.catalogue import limit, needs_kernel
from guest.checks import contains, equal, true, within
from guest.conversation import Conversation
from guest.peers import TICKS
from guest.served import Served

ROUNDS, EACH = 3, 3
REMOTE_USER_TERMINATED = 0x13


def _connectable(place) -> list:
    place.peers["mover"].unmute()
    return [place.peers[name] for name in ("Bumble HR", "echo", "awkward", "mover")]


def _reads(blectl, devices, *options) -> list:
    return [
        blectl.start("read", "device-name", "-d", device, "--json", *options)
        for device in devices
        for _ in range(EACH)
    ]


def _all_succeed(reads) -> None:
    runs = [read.finish(patience=60) for read in reads]
    outcomes = [run.status for run in runs]
    equal(outcomes, [0] * len(runs), "the exit statuses")
    for run in runs:
        true(run.record("value")["value"], "a value was read")


def _rounds_of_reads(blectl, place) -> None:
    """Each round uses programs without remembered devices, so that all of them have to find their device."""
    for number in range(ROUNDS):
        fresh = blectl.with_environment(XDG_STATE_HOME=f"{blectl.directory}/round-{number}")
        _all_succeed(_reads(fresh, _connectable(place)))


@limit(120)
def twelve_reads_of_four_devices_all_succeed_three_times_in_a_row(blectl, air):
    _rounds_of_reads(blectl, air)


@limit(120)
def twelve_reads_on_a_controller_of_former_times_all_succeed(blectl, old_air):
    _rounds_of_reads(blectl, old_air)


@limit(120)
def twelve_reads_of_remembered_devices_all_succeed(blectl, air):
    blectl("scan", "--duration", "2").exits(0)
    _all_succeed(_reads(blectl, _connectable(air)))


@limit(120)
def twelve_reads_by_programs_that_remember_nothing_of_each_other_all_succeed(blectl, air):
    reads = []
    for number in range(EACH):
        alone = blectl.with_environment(XDG_STATE_HOME=f"{blectl.directory}/alone-{number}")
        reads += [alone.start("read", "device-name", "-d", device, "--json") for device in _connectable(air)]
    _all_succeed(reads)


@needs_kernel
@limit(60)
def reads_beside_gatttool_that_holds_a_link_for_a_second(blectl, air, strap):
    """gatttool takes no turns, and does not show when it is done."""
    talk = Conversation("stdbuf", "-oL", "gatttool", "-b", strap.address, "-t", "random", "--interactive")
    try:
        talk.say("connect")
        talk.hears("Connection successful", 20)
        reads = _reads(blectl, _connectable(air))
        waiting = [read for read in reads if str(strap) in read.arguments]
        within(10, "somebody says that it waits", lambda: any(b"waiting" in read.collected["err"] for read in waiting))
        time.sleep(1)  # for as long as the case says
        talk.say("exit")
    finally:
        talk.end()
    _all_succeed(reads)


def who_is_waited_for_is_told(blectl, strap):
    first = blectl.start("notify", TICKS, "-d", strap, "--json")
    first.next_record()
    second = blectl.start("read", "battery-level", "-d", strap, "--address-type", "random", "--json")
    within(5, "it says that it waits, and for whom", lambda: b"waiting" in second.collected["err"])
    contains(bytes(second.collected["err"]).decode(), f"(process {first.process.pid})", "what it says")
    first.signal(signal.SIGINT)
    first.finish(patience=3).is_ended_by(signal.SIGINT)
    run = second.finish(patience=5).exits(0)
    equal(run.record("value")["value"], "57", "the value")


def whoever_does_not_want_to_wait_is_told_at_once(blectl, strap):
    first = blectl.start("notify", TICKS, "-d", strap, "--json")
    first.next_record()
    run = blectl("read", "battery-level", "-d", strap, "--address-type", "random", "--no-wait").exits(75).is_quiet()
    run.says(f"process {first.process.pid}", strap.address, "hint")
    true(run.seconds < 2, f"at once, not after {run.seconds:.1f} s")
    first.next_record()


def a_killed_holder_is_in_nobodys_way(blectl, strap):
    first = blectl.start("notify", TICKS, "-d", strap, "--json")
    first.next_record()
    reads = _reads(blectl, [strap], "--address-type", "random")
    within(5, "they wait", lambda: all(b"waiting" in read.collected["err"] for read in reads))
    first.process.kill()
    _all_succeed(reads)


@needs_kernel
def users_of_the_machine_wait_for_each_other(blectl, strap):
    first = blectl.start("notify", TICKS, "-d", strap, "--json")
    first.next_record()
    reads = _reads(blectl.as_nobody(), [strap], "--address-type", "random")
    within(5, "they wait", lambda: all(b"waiting" in read.collected["err"] for read in reads))
    first.signal(signal.SIGINT)
    _all_succeed(reads)


@needs_kernel
def a_connected_device_is_found_without_an_advertisement(blectl, strap):
    """Without the right to scan, and by a user without remembered devices."""
    first = blectl.start("notify", TICKS, "-d", strap, "--json")
    first.next_record()
    other = blectl.as_nobody().with_environment(XDG_STATE_HOME=f"{blectl.directory}/other")
    second = other.start("read", "battery-level", "-d", strap, "--json")
    within(5, "it waits", lambda: b"waiting" in second.collected["err"])
    first.signal(signal.SIGINT)
    equal(second.finish(patience=5).exits(0).record("value")["value"], "57", "the value")


def a_connected_device_is_found_by_its_name_without_an_advertisement(blectl, strap):
    first = blectl.start("notify", TICKS, "-d", "Bumble HR", "--json")
    first.next_record()
    second = blectl.start("read", "battery-level", "-d", "Bumble HR", "--json")
    within(5, "it waits", lambda: b"waiting" in second.collected["err"])
    first.signal(signal.SIGINT)
    equal(second.finish(patience=5).exits(0).record("value")["value"], "57", "the value")


@limit(60)
def scans_side_by_side_all_hear(blectl, air, strap, echo):
    runs = [blectl.start("scan", "--json", "--duration", "4") for _ in range(6)]
    for run in [scan.finish() for scan in runs]:
        heard = {report["address"] for report in run.exits(0).records("advertisement")}
        contains(heard, strap.address, "who was heard")
        contains(heard, echo.address, "who was heard")
    within(3, "the scanner is off", lambda: not air.controller()["scanning"])


@limit(90)
def reads_beside_a_scan_that_goes_on_afterwards(blectl, air, ibeacon):
    scan = blectl.start("scan", "--json", "--duplicates", "--address", ibeacon)
    scan.next_record()
    _all_succeed(_reads(blectl, _connectable(air)))
    before = len(scan.collected["out"])
    within(5, "the scan still hears", lambda: len(scan.collected["out"]) > before)
    scan.signal(signal.SIGINT)
    scan.finish(patience=3).is_ended_by(signal.SIGINT)


@limit(60)
def a_second_serve_waits_for_the_first(blectl, btvirt):
    first = Served(blectl, "pulse-strap")
    second = blectl.start("--adapter", "hci0", "serve", "workbench", "--json")
    within(5, "it says for whom it waits", lambda: f"(process {first.live.process.pid})" in _said(second))
    blectl("--adapter", "hci0", "serve", "workbench", "--no-wait").exits(75).is_quiet().says("another program serves")
    first.live.signal(signal.SIGINT)
    first.live.finish(patience=5).is_ended_by(signal.SIGINT)
    equal(second.next_record(5)["type"], "serving", "what the second says then")


@limit(90)
def twelve_reads_of_one_served_device_all_succeed(blectl, btvirt):
    served = Served(blectl, "pulse-strap")
    reads = [
        blectl.start("--adapter", "hci1", "read", "battery-level", "-d", served.address, "--json") for _ in range(12)
    ]
    _all_succeed(reads)


def a_device_that_hangs_up_before_it_has_said_anything_is_connected_again(blectl, air, strap):
    air.fail_connections(("lost", REMOTE_USER_TERMINATED))
    run = blectl("read", "battery-level", "-d", strap, "--address-type", "random", "--json").exits(0)
    equal(run.record("value")["value"], "57", "the value")


def _said(live) -> str:
    return bytes(live.collected["err"]).decode(errors="replace")
