# SPDX-License-Identifier: GPL-2.0-or-later
"""After any end of the program the controller does not scan, notifications are off, and links are closed."""

import signal

from guest.catalogue import limit
from guest.checks import equal, true, within
from guest.peers import ABSENT, ALARMS, BURST, SILENT, TICKS, UART_TRANSMIT
from guest.trace import DISCONNECT

SOON = 3


def _ends_a_scan(blectl, air, trace, number: signal.Signals) -> None:
    live = blectl.start("scan", "--json", "--duplicates")
    live.next_record()
    true(air.controller()["scanning"], "the controller scans")
    live.signal(number)
    run = live.finish(patience=SOON).is_ended_by(number)
    run.records()  # whole lines to the last
    _scanner_was_switched_off(air, trace)


def _scanner_was_switched_off(air, trace) -> None:
    seen = trace.now()
    equal(seen.scan_switches[-1], False, "the last switch of the scanner in the trace")
    true(seen.scanning is False, "the trace says that the scanner is off")
    equal(air.controller()["scanning"], False, "the controller says that it scans")


def _ends_notifications(blectl, strap, trace, number: signal.Signals) -> None:
    live = blectl.start("notify", TICKS, ALARMS, "-d", strap, "--json")
    live.next_record()
    strap.waits_for("subscription", 2)
    live.signal(number)
    run = live.finish(patience=SOON).is_ended_by(number)
    run.records()
    _all_is_quiet_afterwards(strap, trace, 2)


def _all_is_quiet_afterwards(strap, trace, subscriptions: int) -> None:
    switches = [pdu.value.hex() for pdu in trace.now().sent("Write Request") if len(pdu.value) == 2]
    equal(switches[-subscriptions:], ["0000"] * subscriptions, "the last writes in the trace: notifications off")
    off = [entry for entry in strap.journal("subscription") if not entry["notify"] and not entry["indicate"]]
    equal(len(off), subscriptions, "what the peer was told to stop")
    within(5, "the link is closed", lambda: trace.now().disconnected)
    equal([command.opcode for command in trace.now().commands].count(DISCONNECT), 1, "Disconnect commands in the trace")
    strap.waits_for("disconnected")


def ctrl_c_in_mid_scan(blectl, air, trace):
    _ends_a_scan(blectl, air, trace, signal.SIGINT)


def sigterm_in_mid_scan(blectl, air, trace):
    _ends_a_scan(blectl, air, trace, signal.SIGTERM)


def sighup_in_mid_scan(blectl, air, trace):
    _ends_a_scan(blectl, air, trace, signal.SIGHUP)


def head_in_mid_scan(blectl, air, trace):
    run = blectl.into_head("scan", "--json", "--duplicates", patience=8).exits(0)
    equal(len(run.records()), 1, "lines that came through")
    _scanner_was_switched_off(air, trace)


def _outlives(blectl, reader: str, *arguments) -> float:
    """How many seconds the program continues after its reader has ended."""
    run, seconds = blectl.outliving(reader, *arguments, patience=12)
    equal(len(run.exits(0).lines), 1, "lines that came through")
    true(seconds < 4, f"the program ends with its reader, and not {seconds:.1f} s later")
    return seconds


def _end_within_a_second(seconds: list[float]) -> None:
    """On a machine that is busy with something else two of them may take longer."""
    slowest = ", ".join(f"{value:.2f}" for value in sorted(seconds)[-3:])
    true(sorted(seconds)[-3] < 1, f"the programs end within a second of their readers; the slowest took {slowest} s")


@limit(120)
def head_ends_a_scan_with_nothing_more_to_print_twenty_times(blectl, air, ibeacon):
    """A device is printed once: only the end of the reader itself can end the scan before its eight seconds are over."""
    arguments = ("scan", "--json", "--address", ibeacon, "--duration", "8")
    _end_within_a_second([_outlives(blectl, "head -n 1", *arguments) for _ in range(20)])


@limit(180)
def grep_ends_a_notify_with_nothing_more_to_print_twenty_times(blectl, echo, trace):
    """The device sends one value, and then nothing for the eight seconds that it is listened to."""
    seconds = []
    for _ in range(20):
        echo.send_when_subscribed(b"marco")
        arguments = ("notify", UART_TRANSMIT, "-d", echo, "--json", "--duration", "8")
        seconds.append(_outlives(blectl, "grep -m1 6d6172636f", *arguments))
    _end_within_a_second(seconds)
    switches = [pdu.value.hex() for pdu in trace.now().sent("Write Request") if len(pdu.value) == 2]
    equal(switches, ["0100", "0000"] * 20, "the switches in the trace")


def head_of_the_plain_listing(blectl, air, trace):
    run = blectl.into_head("scan", "--duplicates", patience=8).exits(0)
    equal(len(run.lines), 1, "lines that came through")
    _scanner_was_switched_off(air, trace)


def ctrl_c_in_mid_scan_on_a_terminal(blectl, air, trace):
    live = blectl.start_on_terminal("scan")
    within(5, "the controller scans", lambda: air.controller()["scanning"])
    live.press(b"\x03")
    run = live.finish(patience=SOON).is_ended_by(signal.SIGINT)
    true(b"\x1b[?25l" not in run.out or b"\x1b[?25h" in run.out, "a cursor that was hidden is shown again")
    _scanner_was_switched_off(air, trace)


def ctrl_c_in_mid_notify(blectl, strap, trace):
    _ends_notifications(blectl, strap, trace, signal.SIGINT)


def sigterm_in_mid_notify(blectl, strap, trace):
    _ends_notifications(blectl, strap, trace, signal.SIGTERM)


def sighup_in_mid_notify(blectl, strap, trace):
    _ends_notifications(blectl, strap, trace, signal.SIGHUP)


def head_in_mid_notify(blectl, strap, trace):
    run = blectl.into_head("notify", TICKS, "-d", strap, "--json", patience=8).exits(0)
    equal(len(run.records("notification")), 1, "lines that came through")
    _all_is_quiet_afterwards(strap, trace, 1)


def head_in_mid_watch(blectl, strap, trace):
    blectl.into_head("watch", "heart-rate", "-d", strap, patience=8).exits(0)
    _all_is_quiet_afterwards(strap, trace, 1)


def the_normal_end_of_notify_leaves_the_same_quiet(blectl, strap, trace):
    blectl("notify", TICKS, "-d", strap, "--count", "2").exits(0)
    _all_is_quiet_afterwards(strap, trace, 1)


def ctrl_c_while_it_looks_for_a_device(blectl, air, trace):
    live = blectl.start("read", "battery-level", "-d", ABSENT)
    within(5, "the controller scans", lambda: air.controller()["scanning"])
    live.signal(signal.SIGINT)
    live.finish(patience=SOON).is_ended_by(signal.SIGINT).is_quiet()
    _scanner_was_switched_off(air, trace)


def ctrl_c_while_it_connects(blectl, air, trace):
    live = blectl.start("read", "battery-level", "-d", ABSENT, "--address-type", "random")
    within(5, "the kernel looks for the device", lambda: air.controller()["scanning"])
    live.signal(signal.SIGINT)
    live.finish(patience=SOON).is_ended_by(signal.SIGINT).is_quiet()
    within(5, "the kernel stops to look for it", lambda: not air.controller()["scanning"])


def ctrl_c_while_an_answer_is_out(blectl, awkward, trace):
    live = blectl.start("read", SILENT, "-d", awkward)
    awkward.waits_for("silence")
    live.signal(signal.SIGINT)
    live.finish(patience=SOON).is_ended_by(signal.SIGINT).is_quiet()
    awkward.waits_for("disconnected")


def a_second_ctrl_c_does_not_wait(blectl, awkward):
    """The device never answers the write that switches notifications off, because it has disconnected or is silent."""
    live = blectl.start("notify", BURST, "-d", awkward, "--json")
    live.next_record()
    live.signal(signal.SIGINT)
    live.signal(signal.SIGINT)
    live.finish(patience=SOON).is_ended_by(signal.SIGINT)
