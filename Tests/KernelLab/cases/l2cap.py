# SPDX-License-Identifier: GPL-2.0-or-later
"""Credit-based channels: with Bumble's, and from one adapter of this kernel to the other."""

import hashlib
import signal

from guest.catalogue import limit, needs_kernel
from guest.checks import equal, true, within
from guest.peers import PSM_ECHO, PSM_MISER, PSM_SINK, PSM_SOURCE
from guest.schema import obeys

LETTER = bytes(number * 7 % 256 for number in range(100_000))


def _connect(blectl, peer, psm, *options, stdin=b"", **settings):
    return blectl("l2cap", "connect", "-d", peer, "--psm", psm, *options, stdin=stdin, **settings)


def what_is_piped_in_comes_back(blectl, air, echo):
    run = _connect(blectl, echo, PSM_ECHO, stdin=b"ping\n\x00\xff").exits(0)
    equal(run.out, b"ping\n\x00\xff", "what came back")
    air.wait_for_no_link()


@limit(90)
def a_long_input_arrives_whole(blectl, air, echo):
    run = _connect(blectl, echo, PSM_SINK, stdin=LETTER, patience=80).exits(0)
    within(5, "the peer has seen the end", lambda: echo.journal("channel"))
    (told,) = echo.journal("channel")
    equal(told["octets"], len(LETTER), "the octets that arrived")
    equal(told["digest"], hashlib.sha256(LETTER).hexdigest(), "their digest")
    print(f"    blectl to Bumble: {len(LETTER) * 8 / run.seconds / 1_000:.0f} kbit/s with the connection")


@limit(90)
def a_long_output_arrives_whole_and_its_end_is_the_peers(blectl, echo):
    run = _connect(blectl, echo, PSM_SOURCE, "--wait", "10", patience=80).exits(0)
    equal(len(run.out), len(LETTER), "the octets that arrived")
    equal(hashlib.sha256(run.out).hexdigest(), hashlib.sha256(LETTER).hexdigest(), "their digest")
    print(f"    Bumble to blectl: {len(LETTER) * 8 / run.seconds / 1_000:.0f} kbit/s with the connection")


def the_records_of_a_channel(blectl, echo):
    run = _connect(blectl, echo, PSM_ECHO, "--hex", "--json", "--mtu", "300", stdin=b"00 ff\n").exits(0)
    records = [obeys(record) for record in run.records()]
    equal([record["type"] for record in records], ["channel", "sdu", "sdu", "channel-end"], "the records")
    equal((records[0]["receive_mtu"], records[0]["send_mtu"]), (300, 1_000), "the largest units")
    equal([record["data"] for record in records[1:3]], ["00ff", "00ff"], "the units")


def a_service_that_the_device_does_not_have(blectl, air, echo):
    _connect(blectl, echo, 0x99, stdin=b"x").exits(68).says("0x0002", "no service with that number").is_quiet()
    air.wait_for_no_link()


def a_device_that_gives_no_credits(blectl, air, echo):
    _connect(blectl, echo, PSM_MISER, "--timeout", "2", stdin=LETTER).exits(124).says("no credits")
    air.wait_for_no_link()


# Our own host has all units before a signal comes.
@needs_kernel
def ctrl_c_leaves_no_link(blectl, air, echo):
    live = blectl.start("l2cap", "connect", "-d", echo, "--psm", PSM_SOURCE, "--json", stdin=b"")
    within(15, "units come", lambda: len(live.collected["out"]) > 1)
    live.signal(signal.SIGINT)
    live.finish(patience=10).is_ended_by(signal.SIGINT)
    air.wait_for_no_link()


@limit(90)
def from_one_adapter_to_the_other_and_back(blectl, btvirt):
    answer = LETTER[:20_000]
    listener = blectl.start("l2cap", "listen", "--psm", 0x85, "--name", "Sink", "--adapter", "hci0", stdin=answer)
    place = ("-d", btvirt.address(0), "--address-type", "public", "--adapter", "hci1")
    run = blectl("l2cap", "connect", "--psm", 0x85, *place, "--wait", "3", stdin=LETTER, patience=80).exits(0)
    heard = listener.finish(patience=20).exits(0)
    equal(hashlib.sha256(heard.out).hexdigest(), hashlib.sha256(LETTER).hexdigest(), "what the listener heard")
    equal(run.out, answer, "what the other one heard")
    true(run.seconds < 80, "it ends by itself")
    print(f"    kernel to kernel: {len(LETTER) * 8 / run.seconds / 1_000:.0f} kbit/s with the connection")
