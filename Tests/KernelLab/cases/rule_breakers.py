# SPDX-License-Identifier: GPL-2.0-or-later
"""Devices of the field that break a rule of GATT, and what a user gets from them nevertheless."""

import os

from guest.catalogue import limit
from guest.checks import contains, equal, lacks, within
from guest.peers import lab_uuid

LONG = lab_uuid(0x41)
RANDOM = ("--address-type", "random")


def _on(rogue, *rules: str) -> tuple[str, ...]:
    """The device on the air, breaking these rules: the options that name it."""
    for rule in rules:
        rogue.breaks(rule)
    rogue.unmute()
    return ("-d", str(rogue), *RANDOM)


def a_service_that_ends_at_ffff_lends_nothing_to_a_read_or_a_write(blectl, rogue, trace):
    device = _on(rogue, "ends")
    run = blectl("read", "heart-rate/battery-level", *device).exits(68)
    contains(run.stderr, "no characteristic Battery Level (0x2A19) in service Heart Rate", "the message")
    blectl("write", f"heart-rate/{LONG}", "0x0102", *device).exits(68)
    equal([pdu.name for pdu in trace.now().sent("Write Request", "Write Command")], [], "the writes in the trace")
    equal(rogue.journal("write"), [], "what arrived")
    equal(blectl("read", "battery/battery-level", "--as", "hex", *device).exits(0).stdout, "57\n", "its own value")


def services_that_all_end_at_ffff_are_shown_side_by_side(blectl, rogue):
    device = _on(rogue)
    honest = blectl("inspect", "--json", *device).exits(0).records("service")
    rogue.breaks("ends")
    run = blectl("inspect", "--json", "--no-cache", *device).exits(0)
    contains(run.stderr, "overlap", "the remark")
    equal([each["uuid"] for each in run.records("service")], [each["uuid"] for each in honest], "the services")
    starts = [each["handle"] for each in honest]
    ends = [each["end_handle"] for each in run.records("service")]
    equal(ends, [start - 1 for start in starts[1:]] + [0xFFFF], "their ends")


def short_uuids_in_their_long_form_are_found(blectl, rogue):
    device = _on(rogue, "long UUIDs")
    for target in ("battery-level", "battery/battery-level"):
        equal(blectl("read", target, "--as", "hex", *device).exits(0).stdout, "57\n", target)
    run = blectl("watch", "heart-rate", "--count", "2", "--json", *device).exits(0)
    equal([record["decoded"]["heart_rate_bpm"] for record in run.records("measurement")], [72, 72], "what is measured")


@limit(60)
def a_device_that_hangs_up_on_the_mtu_is_used_without_it_and_remembered(blectl, rogue, trace):
    device = _on(rogue, "hangs up on the MTU")
    run = blectl("inspect", *device).exits(0)
    contains(run.stderr, "hung up on the exchange of the MTU", "the message")
    # The device has answered the question for its hash before, so that the hang-up proves enough.
    equal(len(rogue.journal("hanging up")), 1, "the exchanges of the first command")
    again = blectl("inspect", *device).exits(0)
    lacks(again.stderr, "exchange of the MTU", "the second time")
    blectl("notify", "heart-rate-measurement", "--count", "2", *device).exits(0)
    equal(len(rogue.journal("hanging up")), 1, "the exchanges of all commands")
    # Without the cache nothing is remembered, and the exchange is the first request: it is made a second time.
    run = blectl("notify", "heart-rate-measurement", "--count", "2", "--no-cache", *device).exits(0)
    contains(run.stderr, "hung up on the exchange of the MTU", "the message without the cache")
    equal(len(rogue.journal("hanging up")), 3, "the exchanges without the cache")


@limit(60)
def a_device_that_ignores_the_mtu_is_used_without_it(blectl, rogue):
    device = _on(rogue, "ignores the MTU")
    run = blectl("watch", "heart-rate", "--count", "2", *device).exits(0)
    contains(run.stderr, "has not answered the exchange of the MTU within 4 s", "the message")
    equal(len(rogue.journal("ignoring")), 1, "the exchanges")
    value = bytes(range(100))
    blectl("write", LONG, "0x" + value.hex(), "--verify", *device).exits(0)
    equal([entry["value"] for entry in rogue.journal("write")], [value.hex()], "what arrived, in one piece")
    equal(len(rogue.journal("ignoring")), 1, "the exchanges of both commands")


@limit(60)
def a_session_with_a_device_that_hangs_up_on_the_mtu(blectl, rogue):
    device = _on(rogue, "hangs up on the MTU")
    folder = f"{blectl.directory}/run"
    os.makedirs(folder, mode=0o700, exist_ok=True)
    held = blectl.with_environment(XDG_RUNTIME_DIR=folder)
    held("session", "start", *device).exits(0)
    try:
        within(20, "the link is there without the exchange", lambda: len(rogue.journal("hanging up")) == 2)
        run = held("read", "battery-level", "--as", "hex", "-d", str(rogue), patience=30).exits(0)
        equal(run.stdout, "57\n", "over the session")
    finally:
        held("session", "stop", "--all", "--timeout", "60", patience=70).exits(0)


def values_without_a_configuration_are_listened_to(blectl, rogue, trace):
    device = _on(rogue, "no configuration")
    run = blectl("notify", "heart-rate-measurement", "--count", "2", *device).exits(68)
    contains(run.stderr, "hint: --listen", "the way out")
    run = blectl("notify", "heart-rate-measurement", "--count", "3", "--listen", "--json", *device).exits(0)
    equal([record["value"] for record in run.records("notification")], ["0448"] * 3, "the values")
    contains(run.stderr, "listening to what it sends without being asked", "the remark")
    equal([pdu.name for pdu in trace.now().sent("Write Request")], [], "the writes in the trace")


def values_behind_a_refused_configuration_are_listened_to(blectl, rogue):
    device = _on(rogue, "refused configuration")
    run = blectl("notify", "heart-rate-measurement", "--count", "2", *device).exits(76)
    equal(run.stdout, "", "what is printed")
    contains(run.stderr, "hint: --listen", "the way out")
    blectl("notify", "heart-rate-measurement", "--count", "3", "--listen", *device).exits(0)
    run = blectl("watch", "battery", "--count", "2", "--period", "200ms", *device).exits(0)
    equal(run.stdout.count("  87 %"), 2, "the level, which is read")


def descriptors_are_searched_in_the_service(blectl, rogue):
    device = _on(rogue, "no search to the end")
    # The last characteristic of the device: nothing shows where its descriptors end.
    run = blectl("notify", "battery-level", "--count", "2", "--as", "hex", *device).exits(0)
    equal(run.stdout.count("  57\n"), 2, "the values")


def a_device_without_prepared_writes_is_written_to_in_pieces(blectl, rogue):
    device = _on(rogue, "no prepared writes")
    rogue.limit_mtu(23)
    value = bytes(range(60))
    run = blectl("write", LONG, "0x" + value.hex(), *device).exits(76)
    contains(run.stderr, "hint: --chunk 20", "the way out")
    blectl("write", LONG, "-", "--chunk", "20", *device, stdin=value).exits(0)
    arrived = [entry["value"] for entry in rogue.journal("write")]
    equal(arrived, [value[start : start + 20].hex() for start in (0, 20, 40)], "what arrived")


def an_application_error_has_the_words_of_its_service(blectl, rogue):
    device = _on(rogue)
    words = "Heart Rate: control point not supported"
    for command in (
        ("read", "heart-rate-control-point"),
        ("read", f"handle:{rogue.handle():#06x}"),
        ("write", "heart-rate-control-point", "0x07"),
        ("write", f"handle:{rogue.handle():#06x}", "0x07"),
        ("profile", "heart-rate", "reset-energy"),
    ):
        contains(blectl(*command, *device).exits(76).stderr, words, " ".join(command))
    contains(blectl("inspect", "--values", *device).exits(0).stdout, words, "the tree")
