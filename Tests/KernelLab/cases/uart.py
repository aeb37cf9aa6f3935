# SPDX-License-Identifier: GPL-2.0-or-later
"""A terminal over the Nordic UART Service, against a serial port that echoes."""

import signal

from guest.checks import contains, equal, within
from guest.schema import obeys


def _arrived(echo) -> bytes:
    return b"".join(bytes.fromhex(entry["value"]) for entry in echo.journal("write") if entry["key"] == "uart")


def what_is_piped_in_is_sent_and_its_echo_printed(blectl, echo, trace):
    run = blectl("watch", "uart", "-d", echo, stdin=b"AT\nhello\n").exits(0)
    equal(_arrived(echo), b"AT\nhello\n", "what arrived")
    equal(run.out, b"AT\nhello\n", "what is printed")
    switches = [pdu.value.hex() for pdu in trace.now().sent("Write Request") if len(pdu.value) == 2]
    equal(switches, ["0100", "0000"], "the switches in the trace")


def four_kilobytes_in_pieces_come_back_whole(blectl, echo):
    letter = bytes(number * 7 % 256 for number in range(4_096))
    run = blectl("watch", "uart", "-d", echo, stdin=letter, patience=60).exits(0)
    equal(_arrived(echo), letter, "what arrived")
    equal(run.out, letter, "what came back")


def the_ends_of_lines_as_they_are_wanted(blectl, echo):
    run = blectl("watch", "uart", "-d", echo, "--newline", "crlf", "--duration", "2", stdin=b"AT\n").exits(0)
    equal(_arrived(echo), b"AT\r\n", "what arrived")
    equal(run.out, b"AT\r\n", "what is printed")


def records_of_both_directions(blectl, echo):
    run = blectl("watch", "uart", "-d", echo, "--hex", "--json", stdin=b"00 ff\n").exits(0)
    records = [obeys(record) for record in run.records("serial")]
    equal(
        [(record["direction"], record["data"], record["sequence"]) for record in records],
        [("sent", "00ff", 1), ("received", "00ff", 1)],
        "the records",
    )


def a_terminal_until_ctrl_d(blectl, echo):
    live = blectl.start_on_terminal("watch", "uart", "-d", echo)
    within(10, "somebody listens", lambda: echo.journal("subscription"))
    live.press(b"ping\r")
    within(10, "the line is sent", lambda: _arrived(echo) == b"ping\n")
    live.press(b"\x04")
    run = live.finish(patience=10).exits(0)
    contains(run.stdout, "ping", "what is on the terminal")


def a_terminal_until_ctrl_c(blectl, echo, trace):
    live = blectl.start_on_terminal("watch", "uart", "-d", echo)
    within(10, "somebody listens", lambda: echo.journal("subscription"))
    live.press(b"\x03")
    live.finish(patience=10).is_ended_by(signal.SIGINT)
    switches = [pdu.value.hex() for pdu in trace.now().sent("Write Request") if len(pdu.value) == 2]
    equal(switches, ["0100", "0000"], "the switches in the trace")
