# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults of served devices, as other people's clients see them."""

import time

from guest.catalogue import limit
from guest.checks import equal, true
from guest.clients import Gatttool, Refused
from guest.served import Served

# Handles of the strap.
BATTERY_LEVEL, LOCATION = 0x0018, 0x0013
READ_NOT_PERMITTED = 0x02


def _served(blectl, *faults: str, count: int = 1) -> Served:
    options = [word for fault in faults for word in ("--fault", fault)]
    return Served(blectl, "pulse-strap", "--count", str(count), *options)


@limit(120)
def a_client_meets_errors_delays_truncated_answers_and_silence(blectl, btvirt):
    served = _served(
        blectl,
        "read battery-level: error read-not-permitted once",
        "read body-sensor-location #1: delay 2s",
        "read body-sensor-location #2: truncate to 1",
        "read body-sensor-location #3: no answer",
    )
    with Gatttool.session(served.place) as session:
        try:
            session.read(BATTERY_LEVEL)
            code = None
        except Refused as refused:
            code = refused.code
        equal(code, READ_NOT_PERMITTED, "the error")
        equal(len(session.read(BATTERY_LEVEL)), 1, "the length of the value of the second request")
        begun = time.monotonic()
        equal(session.read(LOCATION), b"\x01", "the delayed value")
        true(time.monotonic() - begun > 1.9, "it comes two seconds late")
        equal(session.read(LOCATION), b"", "the value of the truncated answer")
        session.talk.say(f"char-read-hnd 0x{LOCATION:04x}")
        true(session.talk.may_hear(r"Characteristic value/descriptor: [0-9a-f]", 3) is None, "the third one has no answer")
    served.next("disconnected")
    served.live.finish().exits(0).says("met a fault: read body-sensor-location: no answer #3")


@limit(90)
def a_client_is_dropped_and_connects_again(blectl, btvirt):
    served = _served(blectl, "read battery-level: drop once", count=2)
    with Gatttool.session(served.place) as session:
        session.talk.say(f"char-read-hnd 0x{BATTERY_LEVEL:04x}")
        ended = served.next("disconnected")
        equal(ended["requests"], 0, "the requests that were served")
    with Gatttool.session(served.place) as session:
        equal(len(session.read(BATTERY_LEVEL)), 1, "the length of the value, on the next connection")
    served.next("disconnected")
    served.live.finish().exits(0).says("met a fault: read battery-level: drop before once")
