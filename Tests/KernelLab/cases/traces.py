# SPDX-License-Identifier: GPL-2.0-or-later
"""What `trace` says of everything that went over the air is what Wireshark says, packet by packet: with the program as
a client, as a server, and in captures in which it has no part."""

import signal
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from guest import wireshark
from guest.catalogue import limit
from guest.checks import equal, true, within
from guest.clients import BtgattClient, Refused
from guest.clients.common import Place
from guest.conversation import Conversation
from guest.peers import LONG, REFUSED, TICKS, UART_TRANSMIT
from guest.schema import full_uuid
from guest.served import Served
from guest.trace import ACL_IN, Record, written
from guest.wireshark import Comparison, compare

# Handles of the workbench.
NOTE, TICKER, TICKER_CONFIGURATION, ENCRYPTED = 0x0012, 0x001F, 0x0020, 0x00C4
# That of btgatt-server, which is long.
DEVICE_NAME = 0x0003
# Long, and not periodic, so that a part that is missing, twice or in another place is noticed.
LETTER = bytes(number * 7 % 251 for number in range(400))
# A Handle Value Notification on the channel of ATT, complete in its packet.
NOTIFICATION = b"\x04\x00\x1b"


def _file(content: list[Record]) -> Path:
    path = Path(tempfile.mkdtemp(prefix="capture-")) / "run.btsnoop"
    path.write_bytes(written(content))
    return path


def _packets(blectl, path: Path) -> list[dict]:
    return blectl("trace", path, "--json", patience=60).exits(0).records("packet")


def _agrees(blectl, path: Path) -> Comparison:
    """Compares all packets. Nothing may be set aside, because the peers of the lab follow the rules."""
    comparison = compare(_packets(blectl, path), wireshark.frames(path))
    print(comparison.summary, flush=True)
    equal(comparison.differences, [], "where Wireshark says something else")
    equal(comparison.set_aside, {}, "what Wireshark does not know")
    return comparison


def _has(comparison: Comparison, **least: int) -> None:
    """The capture shows what the case is about."""
    for what, count in least.items():
        seen = comparison.counts[what.replace("_", " ")]
        true(seen >= count, f"at least {count} of “{what.replace('_', ' ')}”: {seen}")


@limit(280)
def a_client_of_several_devices_at_once(blectl, air, strap, echo, awkward, trace):
    strap.set("long", LETTER)
    strap.limit_mtu(100)
    first = blectl.start("notify", UART_TRANSMIT, "-d", echo, "--json")
    within(15, "the echo has a listener", lambda: echo.journal("connected"))
    second = blectl.start("read", REFUSED, "-d", awkward)
    value = blectl("read", LONG, "-d", strap, "--json").exits(0).record("value")["value"]
    equal(value, LETTER.hex(), "a value in parts of 99 octets")
    blectl("write", LONG, LETTER[::-1].hex(), "-d", strap).exits(0)
    second.finish().exits(76)
    echo.send(b"still there")
    first.next_record()
    first.signal(signal.SIGINT)
    first.finish().is_ended_by(signal.SIGINT)
    equal(strap.journal("write")[-1]["value"], LETTER[::-1].hex(), "what the device has got")
    comparison = _agrees(blectl, _file(trace.now().records))
    true(comparison.links_at_once >= 2, f"links at once: {comparison.links_at_once}")
    equal(set(comparison.roles), {"central"}, "the roles")
    _has(comparison, of_kind_att=40, of_kind_acl=10, PDUs_in_several_fragments=4, answers=20)


@limit(280)
def a_server_of_two_centrals_at_once(blectl, air, agent, phone, tablet, trace):
    served = Served(blectl, "workbench", "--count", "2")
    phone.connect(served.address)
    tablet.connect(served.address)
    first, second = phone.session(), tablet.session()
    second.exchange_mtu(517)
    second.write_long(NOTE, LETTER)
    equal(second.read(NOTE), LETTER, "the value at one central")
    equal(first.read(NOTE), LETTER, "the value at the other, in parts of 22 octets")
    phone.pair()
    equal(first.read(ENCRYPTED), b"secret", "what needs an encrypted link")
    equal(_refusal(second, ENCRYPTED), 0x05, "the refusal at the other")
    for session, indicate in ((first, False), (second, True)):
        session.subscribe(TICKER, TICKER_CONFIGURATION, indicate=indicate)
        session.heard(TICKER)
    phone.hang_up()
    tablet.hang_up()
    served.live.finish().exits(0)
    comparison = _agrees(blectl, _file(trace.now().records))
    true(comparison.links_at_once >= 2, f"links at once: {comparison.links_at_once}")
    equal(set(comparison.roles), {"peripheral"}, "the roles")
    _has(comparison, of_kind_att=60, of_kind_smp=6, of_kind_acl=10, PDUs_in_several_fragments=4, answers=30)


def _refusal(session, handle: int) -> int | None:
    try:
        session.read(handle)
    except Refused as refused:
        return refused.code
    return None


@limit(280)
def a_client_and_a_server_on_one_adapter(blectl, air, phone, strap, trace):
    """Both sides of both links send requests, and the handles of the links are all that tells them apart."""
    served = Served(blectl, "workbench", "--count", "1")
    phone.connect(served.address)
    session = phone.session()
    client = blectl.start("notify", TICKS, "-d", strap, "--json", "--count", "20")
    client.next_record(20)
    session.exchange_mtu(517)
    session.write_long(NOTE, LETTER)
    equal(session.read(NOTE), LETTER, "the value at the central")
    client.finish().exits(0)
    phone.hang_up()
    served.live.finish().exits(0)
    comparison = _agrees(blectl, _file(trace.now().records))
    true(comparison.links_at_once >= 2, f"links at once: {comparison.links_at_once}")
    equal(set(comparison.roles), {"central", "peripheral"}, "the roles")
    _has(comparison, of_kind_att=40, PDUs_in_several_fragments=4, answers=10)


@limit(280)
def two_other_stacks(blectl, btvirt, trace):
    """BlueZ's server and its client on two adapters, both of which the capture has."""
    talk = Conversation(
        "stdbuf", "-oL", "btgatt-server", "--index", "hci0", "--heart-rate", "--verbose", "--mtu", "100"
    )
    try:
        talk.hears("Started listening")
        btvirt.advertise(0, b"\x02\x01\x06\x03\x03\x0d\x18", kind=0)
        with BtgattClient.session(Place(None, btvirt.address(0)), 100) as session:
            true(session.tree().characteristics, "the client finds characteristics")
            session.read_long(DEVICE_NAME)
    finally:
        talk.end()
    comparison = _agrees(blectl, _file(trace.now().records))
    equal(set(comparison.roles), {"central", "peripheral"}, "the roles")
    _has(comparison, of_kind_att=40, answers=20)


@limit(280)
def bluetoothd_and_gatttool_on_links_of_their_own(blectl, air, bluetoothd, awkward, strap, trace):
    """With a pairing, and what bluetoothd orders of the kernel."""
    awkward.will_pair("none", secure=True)
    bluetoothd.agree()
    bluetoothd.pair(str(awkward))
    awkward.await_bond()
    talk = Conversation("stdbuf", "-oL", "gatttool", "-b", strap.address, "-t", "random", "--interactive")
    try:
        talk.say("connect")
        talk.hears("Connection successful", 20)
        talk.say("characteristics")
        talk.hears("2a19", 20)
        talk.say("exit")
    finally:
        talk.end()
    bluetoothd.tell(f"disconnect {awkward}")
    air.wait_for_no_link()
    comparison = _agrees(blectl, _file(trace.now().records))
    true(comparison.links_at_once >= 2, f"links at once: {comparison.links_at_once}")
    _has(comparison, of_kind_att=40, of_kind_smp=6, of_kind_mgmt=20, answers=20)


@limit(280)
def a_capture_that_was_changed_is_noticed(blectl, strap, trace):
    """Otherwise the cases before this one would show nothing."""
    blectl("notify", TICKS, "-d", strap, "--count", "4").exits(0)
    content = trace.now().records
    packets = _packets(blectl, _file(content))
    sound = wireshark.frames(_file(content))
    equal(compare(packets, sound).differences, [], "where Wireshark says something else")
    places = [
        number for number, record in enumerate(content) if record.kind == ACL_IN and record.data[6:9] == NOTIFICATION
    ]
    octet, handle, moment = places[:3]
    content[octet] = replace(content[octet], data=content[octet].data[:-1] + b"\xff")
    content[handle] = replace(content[handle], data=b"\x03" + content[handle].data[1:])
    content[moment] = replace(content[moment], microseconds=content[moment].microseconds + 1)
    found = compare(packets, wireshark.frames(_file(content))).differences
    changed = {int(difference.split(maxsplit=1)[0]) for difference in found}
    equal(changed, {place + 1 for place in places[:3]}, "the packets that differ")
    true(compare(packets, sound[:octet] + sound[handle:]).differences, "packets that are missing are noticed")


def _told(record: dict, kind: str) -> tuple[str, str] | None:
    """The characteristic and the value of a record of that kind, for one that was received."""
    if record["type"] != kind or not record.get("value") or record.get("operation") == "write":
        return None
    return full_uuid(record["characteristic"]), record["value"]


def _watched(profile: str, device: str, count: str = "2"):
    """The case of a profile, of which the device sends so many values soon."""

    @limit(60)
    def case(blectl, btvirt, trace):
        served = Served(blectl, device, "--io", "none")
        with tempfile.TemporaryDirectory(prefix="capture-") as folder:
            own = Path(folder) / "own.btsnoop"
            place = ("-i", "hci1", "-d", served.address, "--address-type", "public")
            options = ("--count", count, "--json", "--capture", own)
            run = blectl("watch", profile, *place, *options, patience=50).exits(0, 1)
            printed = Counter(filter(None, (_told(record, "measurement") for record in run.records())))
            true(printed, f"values were printed: {run.stderr}")
            # The monitor hears both adapters, so that it has each value twice.
            monitored = _file(trace.now().records)
            for path, adapter in ((own, None), (monitored, "hci1")):
                values = blectl("trace", path, "--values", "--json", patience=60).exits(0).records("operation")
                heard = Counter(
                    filter(None, (_told(value, "operation") for value in values if value["adapter"] == adapter))
                )
                equal(printed - heard, Counter(), f"what {path.name} does not have")
        served.live.signal(signal.SIGTERM)
        served.live.finish()
        btvirt.end_links()

    return f"what {profile} prints of {device} is in the capture", case


TABLE = [
    _watched(*line.split())
    for line in """
        battery pulse-strap 1
        blood-pressure pressure-cuff
        body-composition scale 1
        cgm glucose-sensor 1
        current-time desk-clock
        cycling-power gym-bike
        cycling-speed gym-bike
        device-info sports-watch
        environment thermometer 3
        fitness-machine gym-bike
        glucose glucose-meter
        heart-rate pulse-strap
        location navigator
        pulse-oximeter oximeter
        running-speed foot-pod
        sensortag sensor-tag
        thermometer thermometer
        thingy thingy
        weight scale 1
    """.strip().splitlines()
]
