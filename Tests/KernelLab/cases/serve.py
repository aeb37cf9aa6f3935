# SPDX-License-Identifier: GPL-2.0-or-later
"""The peripheral role: other people's centrals find, read, write and hear what the program serves."""

import os
import signal

from guest.catalogue import in_one_world, limit
from guest.checks import contains, equal, true, within
from guest.clients import Gatttool, Refused
from guest.conversation import Conversation
from guest.served import Served
from guest.trace import DISCONNECT

SET_ADVERTISING_ENABLE, SET_EXTENDED_ADVERTISING_ENABLE, REMOVE_ADVERTISING_SET = 0x200A, 0x2039, 0x203C
# Handles of the workbench and of the strap.
NOTE, TICKS, TICKS_CONFIGURATION, BATTERY_LEVEL, MEASUREMENT, MEASUREMENT_CONFIGURATION = (
    *(0x0012, 0x001F, 0x0020),
    *(0x0018, 0x0010, 0x0011),
)
AUTHENTICATED, ENCRYPTED, INSUFFICIENT_AUTHENTICATION = 0x00C2, 0x00C4, 0x05


def _advertising(trace) -> list[bool]:
    """Each on and off of hci0's advertising, in order."""
    commands = [command for command in trace.now().commands if command.adapter == 0]
    return [command.parameters[0] != 0 for command in commands if command.opcode == SET_ADVERTISING_ENABLE]


# BlueZ's emulator with Basic Rate takes extended commands, and the case looks for the legacy ones.
@in_one_world
def a_served_device_is_heard_with_its_name_and_services(blectl, btvirt):
    served = Served(blectl, "pulse-strap")
    equal(served.address, btvirt.address(0), "the address that it says it has")
    equal(served.record["advertising"], "legacy", "how it is advertised")
    scan = blectl("scan", "--adapter", "hci1", "--json", "--address", served.address, "--duration", "2").exits(0)
    reports = scan.records("advertisement")
    true(reports, "hci1 hears it")
    equal((reports[-1]["name"], reports[0]["connectable"]), ("Pulse HR", True), "what it hears")
    equal(sorted({uuid for report in reports for uuid in report["services"]}), ["0x180D", "0x180F"], "its services")


@limit(60)
def every_central_and_every_request_is_told(blectl, btvirt):
    served = Served(blectl, "workbench", "--count", "1")
    with Gatttool.session(served.place) as session:
        equal(served.next("connected")["central"]["address"], btvirt.address(1), "who has connected")
        equal(session.read(NOTE)[:4], bytes([0, 1, 2, 3]), "the start of the long value")
    requests = served.requests_until_it_is_left()
    equal([record["handle"] for record in requests], [NOTE] * 24, "which attribute was asked for")
    equal(
        [record["name"] for record in requests],
        ["Read Request"] + ["Read Blob Request"] * 23,
        "how: all of 512 octets, 22 at a time",
    )
    served.live.finish().exits(0)


@limit(60)
def who_is_there_when_it_ends_is_told_as_disconnected(blectl, btvirt):
    for stop in ("signal", "duration"):
        options = () if stop == "signal" else ("--duration", "8")
        served = Served(blectl, "workbench", *options)
        with Gatttool.session(served.place) as session:
            connected = served.next("connected")
            equal(session.read(NOTE)[:4], bytes([0, 1, 2, 3]), "the start of the long value")
            if stop == "signal":
                served.live.signal(signal.SIGINT)
            ended = served.next("disconnected")
            equal(ended["connection"], connected["connection"], "whose connection has ended")
            equal((ended["reason"], ended["requests"]), ("closed by blectl", 24), "why, and what was asked")
        run = served.live.finish()
        run.is_ended_by(signal.SIGINT) if stop == "signal" else run.exits(0)


def a_socket_leaves_no_file_behind(blectl, sockets):
    served = Served(blectl, "workbench", socket=True)
    equal(served.address, None, "a socket's address")
    true(os.path.exists(served.path), "the socket's file is there")
    served.live.signal(signal.SIGINT)
    served.live.finish().is_ended_by(signal.SIGINT)
    true(not os.path.exists(served.path), "the socket's file is gone")


def two_centrals_at_once_by_extended_commands(blectl, air, phone, tablet, trace):
    served = Served(blectl, "workbench", "--count", "2")
    equal(served.record["advertising"], "extended", "how it is advertised")
    phone.connect(served.address)
    tablet.connect(served.address)
    equal({served.next("connected")["connection"] for _ in range(2)}, {1, 2}, "the connections")
    first, second = phone.session(), tablet.session()
    # The bench takes packets of 247 octets, whatever it is offered.
    second.exchange_mtu(517)
    equal(second.mtu(), 247, "the MTU of one")
    second.write_long(NOTE, b"Z" * 300)
    equal(second.read(NOTE), b"Z" * 300, "what one wrote, read by itself")
    equal(first.read(NOTE), b"Z" * 300, "what the other one wrote, read in parts of 22 octets")
    for session in (first, second):
        session.subscribe(TICKS, TICKS_CONFIGURATION, indicate=session is second)
    for session in (first, second, first, second):
        equal(len(session.heard(TICKS)), 4, "the length of a tick")
    phone.hang_up()
    tablet.hang_up()
    ended = [served.next("disconnected") for _ in range(2)]
    equal({record["mtu"] for record in ended}, {23, 247}, "the MTUs")
    served.live.finish().exits(0)
    switches = [command for command in trace.now().commands if command.opcode == SET_EXTENDED_ADVERTISING_ENABLE]
    equal([command.parameters[0] for command in switches][-1], 0, "the last switch of the advertiser")


@limit(60)
def it_is_found_after_this_machine_has_connected_to_another_device(blectl, air, phone, strap):
    """Linux takes all advertising off the air before it makes a link, and puts only its own back."""
    served = Served(blectl, "workbench", "--count", "1")
    blectl("read", "battery-level", "-d", strap, "--address-type", "random").exits(0)
    phone.connect(served.address)
    equal(served.next("connected")["connection"], 1, "the connection")
    phone.hang_up()
    served.live.finish().exits(0)



# If Low Energy is switched on late, Linux starts no pairing.
@in_one_world
def what_needs_encryption_is_given_when_the_link_has_it(blectl, air, agent, phone):
    served = Served(blectl, "workbench", "--count", "1")
    phone.connect(served.address)
    served.next("connected")
    session = phone.session()
    equal(_refusal(session, ENCRYPTED), INSUFFICIENT_AUTHENTICATION, "without encryption")
    phone.pair()
    equal(agent.confirmed, [phone.address], "whose pairing was confirmed")
    equal(session.read(ENCRYPTED), b"secret", "the value, in the same connection")
    # Nobody has compared or typed a number, so the key protects against eavesdroppers only.
    equal(_refusal(session, AUTHENTICATED), INSUFFICIENT_AUTHENTICATION, "what needs an authenticated key")
    phone.hang_up()
    served.live.finish().exits(0)


# If Low Energy is switched on late, Linux starts no pairing.
@in_one_world
def who_comes_back_has_to_encrypt_again_and_need_not_pair_again(blectl, air, agent, phone):
    served = Served(blectl, "workbench", "--count", "2")
    phone.connect(served.address)
    phone.pair()
    equal(phone.session().read(ENCRYPTED), b"secret", "the value on the first link")
    phone.hang_up()
    served.next("disconnected")
    phone.connect(served.address)
    session = phone.session()
    equal(_refusal(session, ENCRYPTED), INSUFFICIENT_AUTHENTICATION, "on the second link, without encryption")
    phone.encrypt()
    equal(session.read(ENCRYPTED), b"secret", "the value on the second link")
    session.write(ENCRYPTED, b"told")
    equal(session.read(ENCRYPTED), b"told", "what was written")
    equal(agent.confirmed, [phone.address], "whose pairing was confirmed, once")
    phone.hang_up()
    served.live.finish().exits(0)


def _refusal(session, handle: int) -> int | None:
    """The ATT error that refuses a read; `None` if it succeeds."""
    try:
        session.read(handle)
    except Refused as refused:
        return refused.code
    return None


def ctrl_c_on_a_present_day_controller(blectl, air, phone, trace):
    served = Served(blectl, "pulse-strap")
    phone.connect(served.address)
    served.next("connected")
    served.live.process.send_signal(signal.SIGINT)
    served.live.finish().is_ended_by(signal.SIGINT)
    equal(phone.waits_for("disconnected")[0]["reason"], 0x13, "what the central is told")
    opcodes = [command.opcode for command in trace.now().commands]
    contains(opcodes, REMOVE_ADVERTISING_SET, "the commands")


def an_adapter_that_is_pulled_out_ends_it(blectl, dongle):
    served = Served(blectl, "pulse-strap")
    dongle.pull_out()
    served.live.finish(patience=10).exits(69).says("unplugged")


def an_adapter_that_is_switched_off_ends_it(blectl, air, adapter):
    served = Served(blectl, "pulse-strap")
    adapter.down()
    served.live.finish(patience=10).exits(69).says("down")


def an_adapter_that_is_pulled_out_ends_it_with_a_central_there(blectl, air, phone, dongle):
    served = Served(blectl, "pulse-strap")
    phone.connect(served.address)
    served.next("connected")
    dongle.pull_out()
    served.live.finish(patience=10).exits(69).says("unplugged")


def our_own_client_watches_it(blectl, btvirt):
    served = Served(blectl, "pulse-strap", "--count", "1")
    run = blectl(
        "watch", "heart-rate", "-i", "hci1", "-d", served.address, "--address-type", "public", "--count", "2", "--json"
    ).exits(0)
    equal(len(run.records("measurement")), 2, "the measurements")
    served.live.finish().exits(0)


# With Basic Rate, BlueZ's emulator takes extended commands, but the case expects the legacy ones.
@in_one_world
def it_is_advertised_again_after_each_connection(blectl, btvirt, trace):
    served = Served(blectl, "pulse-strap", "--count", "3")
    for _ in range(3):
        with Gatttool.session(served.place) as session:
            equal(session.read(BATTERY_LEVEL), b"\x57", "the battery's level")
        served.next("disconnected")
    served.live.finish().exits(0)
    switches = _advertising(trace)
    true(switches.count(True) >= 3, "it was switched on again")
    equal(switches[-1], False, "the last switch")


def _ended_by(number: signal.Signals):
    def case(blectl, btvirt, trace):
        served = Served(blectl, "pulse-strap")
        client = blectl.start(
            "notify", "0x2A37", "-i", "hci1", "-d", served.address, "--address-type", "public", "--count", "100"
        )
        served.next("connected")
        client.line()
        served.live.process.send_signal(number)
        served.live.finish().is_ended_by(number)
        client.finish().exits(75)
        equal(_advertising(trace)[-1], False, "the last switch of the advertiser")
        commands = [command for command in trace.now().commands if command.adapter == 0]
        contains([command.opcode for command in commands], DISCONNECT, "the commands")

    return case


ctrl_c_ends_the_link_and_the_advertising = in_one_world(_ended_by(signal.SIGINT))
sigterm_does_the_same = in_one_world(_ended_by(signal.SIGTERM))


def the_server_that_came_last_gets_the_central_and_the_other_is_told(blectl, btvirt):
    """The kernel gives the ATT channel of a link to one socket, and btgatt-server takes no turns."""
    first = Served(blectl, "pulse-strap")
    other = Conversation("stdbuf", "-oL", "btgatt-server", "--index", "hci0", "--verbose")
    other.hears("Started listening")
    # The client listens, so that the link lasts longer than the first server waits for its ATT channel.
    client = blectl.start("notify", "0x2A05", "-i", "hci1", "-d", first.address, "--address-type", "public")
    within(
        8,
        "the first says who has the attributes",
        lambda: b"another program of this machine serves attributes to it" in first.live.collected["err"],
    )
    client.kill()
    other.end()


@limit(60)
def beside_bluetoothd(blectl, air, bluetoothd, phone):
    served = Served(blectl, "pulse-strap", "--count", "1")
    phone.connect(served.address)
    served.next("connected")
    session = phone.session()
    equal(len(session.tree().primary), 5, "the services are the device's, not bluetoothd's")
    session.subscribe(MEASUREMENT, MEASUREMENT_CONFIGURATION, indicate=False)
    true(session.heard(MEASUREMENT), "a measurement is heard")
    phone.hang_up()
    served.live.finish().exits(0)


@in_one_world
def without_the_capability_it_says_so(blectl, btvirt):
    run = blectl.as_nobody()("serve", "pulse-strap", "--adapter", "hci0").exits(77)
    run.says("CAP_NET_RAW", "setcap")
