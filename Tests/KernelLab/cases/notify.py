# SPDX-License-Identifier: GPL-2.0-or-later
"""Values as they arrive, and the silence afterwards."""

import json
import os
import struct
import subprocess

from guest.catalogue import limit, needs_kernel
from guest.checks import contains, equal, true
from guest.peers import ALARMS, BURST, QUIET, TICKS, UART_RECEIVE, UART_TRANSMIT
from guest.schema import obeys

ON, INDICATE, OFF = "0100", "0200", "0000"


def _switches(trace) -> list[str]:
    """The values written into client characteristic configurations, in order."""
    return [pdu.value.hex() for pdu in trace.now().sent("Write Request") if len(pdu.value) == 2]


def three_notifications_and_off_again(blectl, strap, trace):
    records = blectl("notify", TICKS, "-d", strap, "--count", "3", "--json").exits(0).records("notification")
    equal([obeys(record)["sequence"] for record in records], [1, 2, 3], "the sequence")
    numbers = [struct.unpack("<I", bytes.fromhex(record["value"]))[0] for record in records]
    equal(numbers, list(range(numbers[0], numbers[0] + 3)), "the values: none is missing")
    moments = [record["monotonic_ns"] for record in records]
    true(all(later > earlier for earlier, later in zip(moments, moments[1:])), "time moves on from value to value")
    equal(_switches(trace), [ON, OFF], "the switches in the trace")
    equal([entry["notify"] for entry in strap.journal("subscription")], [True, False], "the peer's own journal")


def indications_are_confirmed(blectl, strap, trace):
    records = blectl("notify", ALARMS, "-d", strap, "--count", "3", "--json").exits(0).records("indication")
    equal([obeys(record)["sequence"] for record in records], [1, 2, 3], "the sequence")
    seen = trace.now()
    arrived, confirmed = seen.received("Handle Value Indication"), seen.sent("Handle Value Confirmation")
    equal(len(confirmed), len(arrived), "confirmations, one for each indication")
    true(len(confirmed) >= 3, "there are three at least")
    equal(_switches(trace), [INDICATE, OFF], "the switches in the trace")


def several_at_once(blectl, strap, trace):
    run = blectl("notify", TICKS, ALARMS, "heart-rate-measurement", "-d", strap, "--duration", "1.5", "--json").exits(0)
    records = run.records()
    equal({record["target"] for record in records}, {TICKS, ALARMS, "heart-rate-measurement"}, "who sent")
    equal({record["type"] for record in records}, {"notification", "indication"}, "the kinds")
    equal(sorted(_switches(trace)), sorted([ON, ON, INDICATE, OFF, OFF, OFF]), "the switches in the trace")


def a_known_characteristic_is_decoded(blectl, strap):
    records = blectl("notify", "heart-rate-measurement", "-d", strap, "--count", "4", "--json").exits(0).records()
    for record in records:
        true(record["decoded"]["heart_rate_bpm"] >= 60, "the rate is there")
    equal({record["characteristic_name"] for record in records}, {"Heart Rate Measurement"}, "the name")


def without_a_device_by_the_service_of_the_target(blectl, strap):
    record = blectl("notify", "heart-rate-measurement", "--count", "1", "--json").exits(0).record("notification")
    equal(record["device"]["address"], strap.address, "the device")


def a_duration_ends_it(blectl, strap, trace):
    run = blectl("notify", TICKS, "-d", strap, "--duration", "1s").exits(0)
    true(5 <= len(run.lines) <= 12, f"about ten values arrive in a second, not {len(run.lines)}")
    equal(_switches(trace), [ON, OFF], "the switches in the trace")


def fewer_values_than_counted_are_a_failure(blectl, awkward, trace):
    run = blectl("notify", QUIET, "-d", awkward, "--count", "3", "--duration", "1s").exits(1).is_quiet()
    run.says("0 of 3 values received", "--duration")
    equal(_switches(trace), [ON, OFF], "the switches in the trace")


def a_device_that_falls_silent_is_no_error(blectl, awkward, trace):
    blectl("notify", QUIET, "-d", awkward, "--duration", "1s", "--timeout", "500ms").exits(0).is_quiet()
    equal(_switches(trace), [ON, OFF], "the switches in the trace")


def a_deadline_for_the_whole_command(blectl, awkward, trace):
    blectl("notify", QUIET, "-d", awkward, "--count", "1", "--deadline", "3").exits(124).is_quiet()
    equal(_switches(trace), [ON, OFF], "the switches in the trace")


def lines_come_as_they_happen_even_into_a_pipe(blectl, strap):
    live = blectl.start("notify", TICKS, "-d", strap, "--count", "15")
    first = live.line()
    true(first, "the first line is there while the program runs")
    equal(live.process.poll(), None, "the program's status meanwhile")
    live.finish().exits(0)


def values_that_came_before_the_link_was_lost_are_there(blectl, awkward):
    run = blectl("notify", BURST, "-d", awkward, "--json").exits(75)
    equal([record["value"] for record in run.records("notification")], ["00", "01", "02"], "the values")
    true(run.stderr, "there is a message")


def what_a_serial_port_says(blectl, echo):
    live = blectl.start("notify", UART_TRANSMIT, "-d", echo, "--count", "1", "--json")
    echo.waits_for("subscription")
    echo.send(b"marco")
    record = live.finish().exits(0).record("notification")
    equal(record["value"], b"marco".hex(), "the value")


def the_frames_in_what_a_serial_port_says(blectl, echo):
    live = blectl.start("notify", UART_TRANSMIT, "-d", echo, "--frames", "line", "--count", "2", "--json")
    echo.waits_for("subscription")
    for piece in (b"mar", b"co\r\npo", b"lo\nrest"):
        echo.send(piece)
    values = [record["value"] for record in live.finish().exits(0).records("notification")]
    equal(values, [b"marco".hex(), b"polo".hex()], "the lines")


def a_characteristic_that_sends_nothing(blectl, strap, trace):
    run = blectl("notify", "body-sensor-location", "-d", strap, "--count", "1", "--timeout", "3")
    true(run.status in (68, 76), f"it is refused, not status {run.status}")
    equal(_switches(trace), [], "the switches in the trace")


def a_descriptor_is_no_target(blectl, strap):
    run = blectl("notify", f"{UART_RECEIVE}/0x2901", "-d", strap, "--count", "1", "--timeout", "3")
    true(run.status in (64, 68), f"it is refused, not status {run.status}")


# It starts the program by itself, on hci0.
@needs_kernel
@limit(150)
def values_that_a_stopped_reader_has_no_room_for_leave_a_gap_in_their_place(blectl, echo):
    """A link has no flow control. Dropped values are counted in their place, and `--count` reaches its end."""
    count, step = 12_000, 200
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [blectl.program, "notify", UART_TRANSMIT, "-d", str(echo), "--json", "--count", str(count)],
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=subprocess.PIPE,
        env=blectl.surroundings({}),
    )
    os.close(writing)
    try:
        echo.waits_for("subscription")
        for first in range(0, count, step):
            echo.count_up(first, step)
        with os.fdopen(reading, "rb") as lines:
            records = [obeys(json.loads(line)) for line in lines]
        equal(process.wait(20), 0, "the exit status")
    finally:
        process.kill()
        process.wait()
    gaps = [record for record in records if record["type"] == "values-dropped"]
    true(gaps, "there is a gap")
    last = 0
    for record in records:
        if record["type"] == "values-dropped":
            equal(record["first_sequence"], last + 1, "where the gap begins")
            last += record["count"]
        else:
            last += 1
            equal(record["sequence"], last, "the number of a value")
            equal(record["value"], (last - 1).to_bytes(4, "little").hex(), "the value of that number")
    equal(last, count, "all that was sent is printed or counted")
    dropped = sum(gap["count"] for gap in gaps)
    contains(process.stderr.read().decode(), f"{dropped} values dropped", "what is said at the end")
