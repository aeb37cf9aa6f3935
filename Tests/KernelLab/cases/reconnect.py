# SPDX-License-Identifier: GPL-2.0-or-later
"""Links that are restored, and databases that change during a subscription."""

import signal
import struct

from guest.catalogue import limit
from guest.checks import equal, true, within
from guest.peers import STEPS, TICKS
from guest.schema import obeys

OTHER_ADAPTER = "00:AA:01:00:00:99"


def _until(live, kind: str, seconds: float = 15) -> list[dict]:
    """The records up to the first of a kind, inclusive."""
    records = [obeys(live.next_record(seconds))]
    while records[-1]["type"] != kind:
        records.append(obeys(live.next_record(seconds)))
    return records


def _goes_on(live, *between: str) -> list[dict]:
    """Expects a gap with all its records, and a value behind it."""
    gap = [record for kind in ("link-lost", "link-restored", *between) for record in _until(live, kind)]
    value = _until(live, "notification")[-1]
    moments = [record["monotonic_ns"] for record in [*gap, value]]
    equal(moments, sorted(moments), "time goes on")
    return [record for record in gap if record["type"] != "notification"]


def _stops(live) -> None:
    live.signal(signal.SIGINT)
    live.finish().is_ended_by(signal.SIGINT)


def a_device_that_hangs_up_is_connected_again(blectl, strap):
    live = blectl.start("notify", TICKS, "-d", strap, "--reconnect", "--json")
    _until(live, "notification")
    strap.hang_up()
    lost, restored = _goes_on(live)
    true(lost["reason"], "there is a reason")
    true(restored["gap_ms"] >= 0 and restored["attempts"] >= 1, "the gap has a length, and took an attempt")
    equal([entry["notify"] for entry in strap.journal("subscription")], [True, True], "the peer's own journal")
    _stops(live)
    equal(strap.journal("subscription")[-1]["notify"], False, "the last subscription")


def without_the_option_that_is_the_end(blectl, strap):
    live = blectl.start("notify", TICKS, "-d", strap, "--json")
    _until(live, "notification")
    strap.hang_up()
    live.finish().exits(75)


@limit(60)
def a_device_that_was_out_of_range_is_connected_again(blectl, strap):
    live = blectl.start("notify", TICKS, "-d", strap, "--reconnect", "--json", "--connect-timeout", "1")
    _until(live, "notification")
    strap.vanish()
    _until(live, "link-lost")
    within(10, "an attempt has failed", lambda: b"attempt 1" in live.collected["err"])
    strap.unmute()
    restored = _until(live, "link-restored", 20)[-1]
    true(restored["attempts"] >= 2, f"the first attempt could not succeed, and {restored['attempts']} were told")
    _until(live, "notification")
    _stops(live)


@limit(60)
def an_adapter_that_was_switched_off_and_on(blectl, strap, adapter):
    live = blectl.start("notify", TICKS, "-d", strap, "--reconnect", "--json")
    _until(live, "notification")
    adapter.down()
    _until(live, "link-lost")
    within(10, "an attempt has failed", lambda: b"attempt 1" in live.collected["err"])
    adapter.up()
    restored = _until(live, "link-restored", 20)[-1]
    true(restored["attempts"] >= 2, "the attempts are counted")
    _until(live, "notification")
    _stops(live)


@limit(60)
def an_adapter_that_was_blocked_and_unblocked(blectl, strap, adapter):
    live = blectl.start("watch", "heart-rate", "-d", strap, "--reconnect", "--json")
    _until(live, "measurement")
    adapter.block(True)
    _until(live, "link-lost")
    within(10, "an attempt has failed", lambda: b"attempt 1" in live.collected["err"])
    adapter.block(False)
    adapter.up()
    _until(live, "link-restored", 20)
    _until(live, "measurement")
    _stops(live)


def _replugged(index: int, *options: str, address: str | None = None):
    """Pulls the adapter out during the run, and plugs one in."""

    @limit(60)
    def case(blectl, strap, dongle):
        live = blectl.start("notify", TICKS, "-d", strap, "--reconnect", "--json", *options)
        _until(live, "notification")
        dongle.pull_out()
        _until(live, "link-lost")
        within(10, "an attempt has failed", lambda: b"attempt 1" in live.collected["err"])
        true(b"unplugged" in live.collected["err"], f"why: {live.collected['err'].decode()}")
        dongle.plug_in(index, address)
        _until(live, "link-restored", 20)
        _until(live, "notification")
        _stops(live)

    return case


an_adapter_that_was_pulled_out_and_plugged_in = _replugged(0)
an_adapter_that_comes_back_under_another_index = _replugged(1)
an_adapter_that_was_named_and_comes_back_under_another_index = _replugged(1, "--adapter", "hci0")
a_link_that_is_changed_on_an_adapter_under_another_index = _replugged(1, "--link-interval", "15ms")
another_adapter_where_none_was_named = _replugged(1, address=OTHER_ADAPTER)
another_adapter_that_has_the_name = _replugged(0, "--adapter", "hci0", address=OTHER_ADAPTER)


@limit(60)
def no_other_adapter_is_taken_than_the_one_that_was_named(blectl, strap, dongle):
    live = blectl.start("notify", TICKS, "-d", strap, "--reconnect", "--json", "--adapter", "hci0", "-v")
    _until(live, "notification")
    dongle.pull_out()
    _until(live, "link-lost")
    dongle.plug_in(1, OTHER_ADAPTER)
    before = live.collected["err"].count(b"attempt")
    within(20, "two more attempts have failed", lambda: live.collected["err"].count(b"attempt") >= before + 2)
    equal(len(strap.journal("connected")), 1, "connections that the device saw")
    _stops(live)


@limit(60)
def a_device_that_comes_back_as_another_is_subscribed_to_where_it_is_now(blectl, mover):
    mover.unmute()
    live = blectl.start("notify", STEPS, "-d", mover, "--reconnect", "--json")
    before = _until(live, "notification")[-1]["handle"]
    mover.restart()
    _goes_on(live)
    after = _until(live, "notification")[-1]
    true(after["handle"] != before, "the handle is another")
    equal(after["handle"], mover.handle(), "the handle")
    equal(len(bytes.fromhex(after["value"])), 4, "octets: a step, not what stands at the old handle now")
    _stops(live)


@limit(60)
def service_changed_is_confirmed_and_followed(blectl, mover, trace):
    mover.unmute()
    live = blectl.start("notify", STEPS, "-d", mover, "--json")
    before = _until(live, "notification")[-1]["handle"]
    mover.waits_for("wants news")
    mover.move()
    equal(len(mover.journal("confirmed")), 1, "confirmations of Service Changed")
    changed = _until(live, "database-changed")[-1]
    equal(changed["end_handle"], 0xFFFF, "the last handle that has changed")
    after = _until(live, "notification")[-1]
    true(after["handle"] != before, "the handle is another")
    equal(after["handle"], mover.handle(), "the handle")
    number = struct.unpack("<I", bytes.fromhex(after["value"]))[0]
    equal(_until(live, "notification")[-1]["value"], struct.pack("<I", number + 1).hex(), "the next value")
    _stops(live)
    equal(len(trace.now().sent("Handle Value Confirmation")), 1, "confirmations in the trace")


@limit(60)
def a_count_goes_on_behind_a_gap(blectl, strap):
    live = blectl.start("notify", TICKS, "-d", strap, "--reconnect", "--count", "10", "--json")
    for _ in range(3):
        _until(live, "notification")
    strap.hang_up()
    run = live.finish().exits(0)
    equal([record["sequence"] for record in run.records("notification")], list(range(1, 11)), "the numbers")


def ctrl_c_while_it_connects_again(blectl, air, strap):
    """While the kernel waits for a device, it scans; our own host lets the controller wait."""

    def looks() -> bool:
        controller = air.controller()
        return controller["scanning"] or controller["connecting"]

    live = blectl.start("watch", "heart-rate", "-d", strap, "--reconnect", "--json")
    _until(live, "measurement")
    strap.vanish()
    _until(live, "link-lost")
    within(5, "the controller looks for it", looks)
    _stops(live)
    within(4, "the controller no longer looks for it", lambda: not looks())


def a_deadline_while_it_connects_again(blectl, strap):
    live = blectl.start("notify", TICKS, "-d", strap, "--reconnect", "--json", "--deadline", "4")
    _until(live, "notification")
    strap.vanish()
    _until(live, "link-lost")
    live.finish().exits(124)


def octets_alone_stay_alone(blectl, strap):
    live = blectl.start("notify", TICKS, "-d", strap, "--reconnect", "--as", "raw", "--count", "10")
    strap.waits_for("subscription")
    strap.hang_up()
    run = live.finish().exits(0)
    equal(len(run.out), 40, "octets on standard output")
    run.says("connecting again", "connected again")
