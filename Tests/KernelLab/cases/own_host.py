# SPDX-License-Identifier: GPL-2.0-or-later
"""The program as the host of a controller at a socket: no kernel has Bluetooth, and no privilege is needed.

What the program does for devices there is held to the cases of other areas (`OWN_HOST_AREAS` in `guest/twins.py`). These
are about the controller, the line to it, and the peripheral role.
"""

import json
import signal
import tempfile
import time
from pathlib import Path

from guest.catalogue import in_one_world, limit
from guest.checks import Failure, equal, true, within
from guest.clients import BumbleClient
from guest.lender import Lender
from guest.noisy import NoisyLine
from guest.peers import ABSENT, TICKS
from guest.private_peer import IDENTITY, PrivatePeer
from guest.rootcanal import Rootcanal
from guest.schema import obeys
from guest.served import Served
from guest.stack import Adapter

def the_controller_is_described(blectl, line):
    adapter = blectl("adapters", "--json").exits(0).record("adapter")
    equal((adapter["name"], adapter["state"]), (f"unix:{line.line}", "up"), "the adapter")
    equal(adapter["address"], "00:AA:01:00:00:00", "its address")


def no_capability_is_needed_here(blectl, line):
    """Of all cases without a machine, so that one of them that starts to need a capability fails."""
    live = blectl.start("notify", TICKS, "-d", line.peers["Bumble HR"], "--json")
    equal(obeys(live.next_record())["type"], "notification", "the first record")
    facts = dict(each.split(":\t") for each in Path(f"/proc/{live.process.pid}/status").read_text().splitlines())
    equal({facts[kind] for kind in ("CapInh", "CapPrm", "CapEff", "CapAmb")}, {16 * "0"}, "the capabilities")
    live.signal(signal.SIGTERM)
    live.finish(5)


def the_link_ends_with_the_command(blectl, line):
    strap = line.peers["Bumble HR"]
    blectl("read", "battery-level", "-d", strap).exits(0)
    equal([entry["event"] for entry in strap.journal()][-1], "disconnected", "the strap's last event, at once")
    equal(line.controller()["links"], [], "the links of the controller")


def a_link_that_was_not_established_is_made_again(blectl, line):
    line.fail_connections(("lost", 0x3E))
    blectl("read", "battery-level", "-d", line.peers["Bumble HR"]).exits(0)
    equal(line.controller()["connection_attempts"], 2, "attempts")


def an_absent_device_is_given_up_in_time(blectl, line):
    run = blectl("read", "battery-level", "-d", ABSENT, "--address-type", "random", "--connect-timeout", "1")
    run.exits(124)
    true(run.seconds < 4, "it ends after the limit")
    true(not line.controller()["connecting"], "the controller does not go on")


def where_no_controller_is_none_is_used(blectl, line):
    blectl.on("unix:/nonexistent")("scan", "--duration", "1").exits(69).says("no controller", "unix:/nonexistent")
    blectl.on("tcp:localhost:1")("scan", "--duration", "1").exits(69).says("no controller", "tcp:localhost:1")
    blectl.on("tcp:localhost")("scan", "--duration", "1").exits(64).says("tcp:HOST:PORT")


def the_end_of_the_line_ends_a_command(blectl, line):
    for what, status in ((lambda: line.tell(None, "cut"), 75), (lambda: line.tell(None, "babble", octets="99"), 76)):
        live = blectl.start("notify", TICKS, "-d", line.peers["Bumble HR"], "--json")
        equal(obeys(live.next_record())["type"], "notification", "the first record")
        what()
        run = live.finish(5).exits(status)
        true(run.stderr, "it says why")


def a_served_device_is_found_read_and_heard(blectl, line):
    phone = line.peers["phone"]
    served = Served(blectl, "pulse-strap", adapter=None)
    phone.connect(served.address)
    equal(served.next("connected")["central"]["address"], phone.address, "who has connected")
    session = phone.session()
    true(session.tree().primary, "the services")
    phone.hang_up()
    equal(served.next("disconnected")["central"]["address"], phone.address, "who has left")
    phone.connect(served.address)
    equal(served.next("connected")["central"]["address"], phone.address, "who has connected again")
    served.live.signal(signal.SIGTERM)
    served.live.finish(5)
    within(2, "the phone is told", lambda: "disconnected" in [entry["event"] for entry in phone.journal()])


def a_central_that_asks_to_pair_is_told_that_it_cannot(blectl, line):
    phone = line.peers["phone"]
    served = Served(blectl, "pulse-strap", adapter=None)
    phone.connect(served.address)
    phone.begin_pair()
    served.next("connected")
    true(phone.session().tree().primary, "the link goes on")
    served.live.signal(signal.SIGTERM)
    served.live.finish(5)


def two_devices_are_used_at_once_on_a_lent_controller(blectl, lent):
    strap, echo = lent.peers["Bumble HR"], lent.peers["echo"]
    live = blectl.start("notify", TICKS, "-d", strap, "--json")
    equal(obeys(live.next_record())["type"], "notification", "the first record")
    runs = [blectl.start("read", "device-name", "-d", echo, "--json") for _ in range(4)]
    found = blectl("scan", "--address", strap.address, "--count", "1", "--duration", "2", "--json")
    for run in runs:
        equal(len(run.finish(20).exits(0).records("value")), 1, "values of each")
    true(found.status in (0, 1), "a scan beside links")
    equal(obeys(live.next_record())["type"], "notification", "the other link goes on")
    live.signal(signal.SIGTERM)
    live.finish(5)
    lent.wait_for_no_link()


def one_device_is_read_by_many_in_turn_on_a_lent_controller(blectl, lent):
    runs = [blectl.start("read", "battery-level", "-d", lent.peers["Bumble HR"], "--json") for _ in range(6)]
    for run in runs:
        equal(run.finish(30).exits(0).record("value")["value"], "57", "the value")


def twelve_reads_on_four_devices_at_once_on_a_lent_controller(blectl, lent):
    peers = [lent.peers[name] for name in ("Bumble HR", "echo", "bench", "tag")]
    for peer in peers:
        peer.unmute()
    runs = [blectl.start("read", "device-name", "-d", peer, "--json") for peer in peers * 3]
    for run in runs:
        true(run.finish(30).exits(0).record("value")["text"], "the name")


@limit(90)
def twenty_devices_are_heard_at_once(blectl, rootcanal, machine):
    """On Android's emulator: BlueZ's gives the data of a second link a wrong handle. It is one for this case alone, because
    on a slow machine it has work from twenty devices for some seconds more."""
    with machine.log("lender") as errors, machine.log("rootcanal") as log:
        emulator = Rootcanal(log)
        lender = Lender(machine.program, emulator.place, errors)
        try:
            devices = [Served(blectl.on(emulator.place), "pulse-strap", adapter=None) for _ in range(20)]
            ours = blectl.on(f"unix:{lender.path}")
            words = ("notify", "heart-rate-measurement", "--address-type", "public", "--connect-timeout", "30", "--json")
            heard = [ours.start(*words, "-d", device.address) for device in devices]
            # No link has ended when the last one has brought a value.
            for live in heard:
                equal(obeys(live.next_record(40))["type"], "notification", "the first record of each")
            for live in heard:
                equal(obeys(live.next_record())["type"], "notification", "the next one")
                live.signal(signal.SIGTERM)
            for live in heard:
                live.finish(10).is_ended_by(signal.SIGTERM)
        finally:
            lender.stop()
            emulator.stop()


def a_killed_program_leaves_nothing_on_a_lent_controller(blectl, lent):
    scan = blectl.start("scan", "--duplicates", "--json")
    equal(obeys(scan.next_record())["type"], "advertisement", "the first record")
    true(lent.controller()["scanning"], "the controller scans")
    notify = blectl.start("notify", TICKS, "-d", lent.peers["Bumble HR"], "--json")
    equal(obeys(notify.next_record())["type"], "notification", "the first record")
    for live in (scan, notify):
        live.signal(signal.SIGKILL)
        live.finish(5)
    within(2, "the controller has no link", lambda: not lent.controller()["links"])
    within(2, "the controller does not scan", lambda: not lent.controller()["scanning"])
    equal(blectl("read", "battery-level", "-d", lent.peers["Bumble HR"], "--json").exits(0).record("value")["value"], "57", "a value")


def a_killed_program_leaves_no_privacy_on_a_lent_controller(blectl, lent):
    strap = lent.peers["Bumble HR"]
    live = blectl.start("notify", TICKS, "-d", strap, "--privacy", "--json")
    equal(obeys(live.next_record())["type"], "notification", "the first record")
    live.signal(signal.SIGKILL)
    live.finish(5)
    within(2, "the controller has no link", lambda: not lent.controller()["links"])
    blectl("read", "battery-level", "-d", strap).exits(0)
    private, own = [event["peer"].split("/")[0] for event in strap.journal("connected")]
    true(private != own, "the killed program had a private address")
    equal(own, "00:AA:01:00:00:00", "the address of the next one")


def the_end_of_the_lender_ends_all_that_use_its_controller(blectl, lent, lender):
    live = blectl.start("notify", TICKS, "-d", lent.peers["Bumble HR"], "--json")
    equal(obeys(live.next_record())["type"], "notification", "the first record")
    lender.stop()
    run = live.finish(5).exits(75)
    true(run.stderr, "it says why")
    within(2, "the controller has no link", lambda: not lent.controller()["links"])
    blectl("scan", "--duration", "1").exits(69)


def the_end_of_the_line_ends_the_lender_and_all(blectl, lent, lender):
    live = blectl.start("notify", TICKS, "-d", lent.peers["Bumble HR"], "--json")
    equal(obeys(live.next_record())["type"], "notification", "the first record")
    lent.tell(None, "cut")
    live.finish(5).exits(75)
    equal(lender.process.wait(5), 75, "the status of the lender")


FAST = {
    "schema": "blectl-device/1",
    "name": "Fast",
    "advertising": [{"interval": "20 ms", "data": {"name": "Fast"}}],
    "services": [
        {
            "uuid": "0xFF00",
            "characteristics": [{"uuid": f"0xFF{number:02X}", "properties": ["notify"], "value": "00", "every": "1 ms"} for number in range(1, 21)],
        },
        {"uuid": "battery", "characteristics": [{"uuid": "battery-level", "properties": ["read"], "value": "0x57"}]},
    ],
}  # fmt: skip


@limit(90)
def a_device_that_notifies_faster_than_its_link_carries_keeps_it(blectl, btvirt_server):
    ours = blectl.on(btvirt_server.place)
    file = Path(blectl.directory, "fast.json")
    file.write_text(json.dumps(FAST))
    served = Served(ours, str(file), adapter=None)
    device = ("-d", served.address, "--address-type", "public", "--json")
    names = [each["uuid"] for each in FAST["services"][0]["characteristics"]]
    live = ours.start("notify", *names, "--duration", "4", *device)
    live.next_record()
    # The controllers take nothing meanwhile: a fast machine carries 20,000 values a second.
    btvirt_server.process.send_signal(signal.SIGSTOP)
    time.sleep(1)
    btvirt_server.process.send_signal(signal.SIGCONT)
    run = live.finish(60).exits(0)
    true(len(run.records("notification")) > 100, "values come")
    equal(ours("read", "battery-level", *device).exits(0).record("value")["value"], "57", "a value on the next link")
    served.live.signal(signal.SIGTERM)
    served.live.finish(10).says("dropped: its link is slower than the device")


@limit(60)
def two_programs_meet_on_an_emulator(blectl, btvirt_server):
    ours = blectl.on(btvirt_server.place)
    served = Served(ours, "pulse-strap", adapter=None)
    report = ours("scan", "--json", "--address", served.address, "--count", "1").exits(0).record("advertisement")
    equal(report["connectable"], True, "what is heard")
    device = ("-d", served.address, "--address-type", "public", "--json")
    equal(ours("read", "battery-level", *device).exits(0).record("value")["value"], "57", "the value")
    equal(len(ours("notify", "heart-rate-measurement", "--count", "2", *device).exits(0).records("notification")), 2, "values")
    ours("write", "heart-rate-control-point", "01", *device).exits(0)
    trees = ours("inspect", *device).exits(0).records("service")
    true(len(trees) >= 4, "its services")


@limit(60)
def bumble_reads_what_is_served_on_an_emulator(blectl, btvirt_server):
    served = Served(blectl.on(btvirt_server.place), "pulse-strap", adapter=None)
    session = BumbleClient([btvirt_server.transport, served.address], None)
    try:
        equal(session.read_by_uuid("2A19"), [b"\x57"], "the battery level")
        true(session.tree().primary, "the services")
    finally:
        session.end()
    equal(served.next("disconnected")["central"]["address_type"], "random", "who has left")


@limit(60)
def a_controller_recognises_a_bonded_device_by_any_address(blectl, rootcanal, machine):
    with machine.log("private") as log, machine.log("lender") as errors:
        peer = PrivatePeer(rootcanal.transport, log)
        lender = Lender(machine.program, rootcanal.place, errors)
        try:
            ours = blectl.on(f"unix:{lender.path}")
            ours("pair", peer.address, "--address-type", "random", "--io", "none").exits(0)
            heard = set()
            for _ in range(3):
                peer.move()
                heard.add(peer.address)
                words = ("read", "battery-level", "-d", IDENTITY, "--address-type", "random", "--security", "medium", "--json")
                equal(ours(*words).exits(0).record("value")["value"], "39", "the value, through an encrypted link")
            equal(len(heard), 3, "addresses")
            # Who scans without the bond still sees the address that is on the air.
            peer.move()
            stranger = ours.with_environment(XDG_STATE_HOME=f"{ours.directory}/other")
            report = stranger("scan", "--name", "Private", "--count", "1", "--json").exits(0).record("advertisement")
            equal(report["address"], peer.address, "what a scan shows")
        finally:
            lender.stop()
            peer.stop()


def _another_name(server) -> str:
    """The same emulator, as another controller of the same `-i`: it gives each connection another one."""
    if server.place.startswith("tcp:"):
        return server.place.replace("127.0.0.1", "localhost")
    link = Path(tempfile.mkdtemp(prefix="other-")) / "controller"
    link.symlink_to(server.path)
    return f"unix:{link}"


@limit(60)
def two_controllers_are_one_machine(blectl, btvirt_server):
    places = [btvirt_server.place, _another_name(btvirt_server)]
    both = blectl.on(",".join(places))
    served = Served(blectl.on(btvirt_server.place), "pulse-strap", adapter=None)
    found = both("adapters", "--json").exits(0).records("adapter")
    equal([record["name"] for record in found], places, "the adapters")
    equal(len({record["index"] for record in found}), 2, "numbers")
    reports = both("scan", "--json", "--duration", "3", "--duplicates").exits(0).records("advertisement")
    heard = {record["adapter"] for record in reports if record["address"] == served.address}
    equal(heard, set(places), "those that have heard it")
    for place in places:
        alone = ("-i", place) if place != places[0] else ()
        device = ("-d", served.address, "--address-type", "public", "--json", *alone)
        equal(both("read", "battery-level", *device).exits(0).record("value")["value"], "57", "the value")
    mixed = blectl.on(f"{places[0]},unix:/nonexistent")
    mixed("scan", "--duration", "500ms").exits(0, 1).says("going on without unix:/nonexistent", "no controller")
    equal(mixed("read", "battery-level", "-d", served.address, "--json").exits(0).record("value")["value"], "57", "the value")
    blectl.on("unix:/nonexistent,tcp:localhost:1")("scan", "--duration", "1").exits(69).says("unix:/nonexistent")


@limit(120)
def programs_that_scan_and_search_on_two_controllers_at_once_all_hear(blectl, rootcanal, machine):
    """On Android's emulator: on BlueZ's a controller cannot have two links. Each program names them in another order."""
    with machine.log("lender") as errors:
        lenders = [Lender(machine.program, rootcanal.place, errors) for _ in range(2)]
        try:
            places = [f"unix:{lender.path}" for lender in lenders]
            orders = [",".join(places), ",".join(reversed(places))]
            devices = [Served(blectl.on(rootcanal.place), name, adapter=None) for name in ("pulse-strap", "workbench")]
            scans = [blectl.on(order).start("scan", "--duplicates", "--json") for order in orders]
            second = []
            for number in range(2):
                fresh = blectl.with_environment(XDG_STATE_HOME=f"{blectl.directory}/round-{number}")
                words = ("read", "device-name", "-v", "--json", "--name")
                reads = [fresh.on(order).start(*words, name) for name in ("Pulse HR", "Workbench") for order in orders]
                runs = [read.finish(patience=40).exits(0) for read in reads]
                equal([len(run.records("value")) for run in runs], [1] * 4, "the values of each")
                second.append(sorted(run.seconds for run in runs)[1])
            # Of two that wait for each other, both search without a turn after three seconds.
            true(min(second) < 3, f"the second program did not wait in vain: {second}")
            for scan in scans:
                scan.signal(signal.SIGTERM)
                reports = scan.finish(5).is_ended_by(signal.SIGTERM).records("advertisement")
                heard = {(report["address"], report["adapter"]) for report in reports}
                for device in devices:
                    equal({place for address, place in heard if address == device.address}, set(places), "who has heard it")
        finally:
            for lender in lenders:
                lender.stop()


@limit(60)
@in_one_world
def a_controller_of_two_that_ends_is_told_and_the_other_goes_on(blectl, btvirt_server, machine):
    with machine.log("lender") as errors:
        lender = Lender(machine.program, btvirt_server.place, errors)
        lent = f"unix:{lender.path}"
        Served(blectl.on(btvirt_server.place), "pulse-strap", adapter=None)
        live = blectl.on(f"{lent},{btvirt_server.place}").start("scan", "--duplicates", "--json")
        within(5, "both hear something", lambda: all(place.encode() in live.collected["out"] for place in (lent, btvirt_server.place)))
        lender.stop()
        within(5, "it is told", lambda: f"going on without {lent}".encode() in live.collected["err"])
        # The emulator reports an advertiser once.
        later = Served(blectl.on(btvirt_server.place), "workbench", adapter=None)
        within(5, "the other goes on", lambda: later.address.encode() in live.collected["out"])
        live.signal(signal.SIGTERM)
        live.finish(5)


@limit(60)
def programs_that_scan_on_a_lent_controller_do_not_end_each_others_scan(blectl, lent):
    first = blectl.start("scan", "--duplicates", "--json")
    equal(obeys(first.next_record())["type"], "advertisement", "the first record")
    second = blectl.start("scan", "--duplicates", "--json")
    equal(obeys(second.next_record())["type"], "advertisement", "the first record of another")
    second.signal(signal.SIGKILL)
    second.finish(5)
    true(lent.controller()["scanning"], "the controller scans for the first one")
    first.signal(signal.SIGTERM)
    first.finish(5)
    within(2, "the controller does not scan", lambda: not lent.controller()["scanning"])


RUNS = 40


@in_one_world
@limit(10 * RUNS)
def an_octet_that_is_lost_doubled_changed_or_the_last_leads_to_a_status(blectl, btvirt_server):
    served = Served(blectl.on(btvirt_server.place), "pulse-strap", adapter=None)
    words = ("read", "battery-level", "-d", served.address, "--address-type", "public", "--connect-timeout", "2", "--deadline", "8", "--json")
    seen: dict[int, int] = {}
    for seed in range(RUNS):
        line = NoisyLine(str(btvirt_server.path), seed, 900)
        run = blectl.on(f"unix:{line.path}")(*words, patience=15)
        line.close()
        seen[run.status] = seen.get(run.status, 0) + 1
        # A value, a controller that is silent, gone or talks nonsense, a device that is none or does not answer, and the deadline.
        if run.status not in (0, 1, 69, 75, 76, 124):
            raise Failure(f"{line}: {run.report()}")
        blectl.runs.clear()
    print(f"statuses and how often: {seen}")


def _two_programs_pair(secure: bool, method: str, level: str, central: tuple[str, ...], here: tuple[str, ...]):
    """Two of our own hosts pair on BlueZ's controllers, and the bond encrypts the next link."""

    @limit(60)
    def case(blectl, btvirt_server):
        device, ours = (blectl.on(btvirt_server.place) for _ in range(2))
        kind = () if secure else ("--secure-connections", "off")
        served = Served(device, "workbench", "--count", "2", *here)
        place = (served.address, "--address-type", "public")
        paired = ours("pair", *place, *central, *kind, "--json").exits(0).record("paired")
        equal((paired["method"], paired["level"], paired["secure_connections"]), (method, level, secure), "the pairing")
        equal(served.next("paired")["level"], level, "what the other side says")
        run = ours("read", "device-name", "-d", *place, "--security", level if secure else "medium", "--json")
        equal(run.exits(0).record("value")["text"], "Workbench", "the value, through an encrypted link")
        ended = served.live.finish().exits(0).records("disconnected")[-1]
        equal((ended["connection"], ended["security"]["encrypted"]), (2, True), "the second link was encrypted")

    return case


YES = ("--io", "yes-no", "--confirm", "yes")
NONE = ("--io", "none")
TABLE = [
    ("just works between two programs on an emulator", _two_programs_pair(True, "just works", "medium", NONE, NONE)),
    ("the same of bluetooth 4", _two_programs_pair(False, "just works", "medium", NONE, NONE)),
    ("both show the same digits on an emulator", _two_programs_pair(True, "numeric comparison", "fips", YES, YES)),
]


@limit(90)
@in_one_world
def an_adapter_of_the_kernel_is_taken_and_given_back(blectl, air, strap):
    ours = blectl.on("user:hci0")
    for _ in range(2):
        equal(ours("read", "battery-level", "-d", strap, "--json").exits(0).record("value")["value"], "57", "the value")
        within(5, "the adapter is up again", Adapter().is_up)
    equal(blectl("read", "battery-level", "-d", strap, "--json").exits(0).record("value")["value"], "57", "through the kernel")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        live = ours.start("notify", TICKS, "-d", strap, "--json")
        equal(obeys(live.next_record())["type"], "notification", "the first record")
        live.signal(number)
        live.finish(5).is_ended_by(number)
        within(5, "the adapter is up again", Adapter().is_up)
    live = ours.start("notify", TICKS, "-d", strap, "--json")
    equal(obeys(live.next_record())["type"], "notification", "the first record")
    live.kill()
    blectl("scan", "--duration", "500ms").exits(69).says("blectl adapter power on")
    blectl("adapter", "power", "on").exits(0)
    Adapter().down()
    ours("scan", "--duration", "500ms").exits(0, 1)
    true(not Adapter().is_up(), "an adapter that was off is off again")
    Adapter().up()
    ours.as_nobody()("scan", "--duration", "500ms").exits(77).says("CAP_NET_ADMIN")
    blectl.on("user:hci7")("scan", "--duration", "500ms").exits(69).says("no adapter hci7")
    live = ours.start("scan", "--duplicates", "--json")
    live.next_record()
    ours("doctor").exits(69).says("another program uses the adapter exclusively")
    live.signal(signal.SIGTERM)
    live.finish(5)
