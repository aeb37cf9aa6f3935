# SPDX-License-Identifier: GPL-2.0-or-later
"""A live device as a file: cloned, compared, served, and cloned again; and a device that only a capture shows."""

import json
import signal
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from guest.catalogue import limit
from guest.checks import contains, equal, true, within
from guest.conversation import Conversation
from guest.peers import CALIBRATION, LONG, SAFE_BOLT, SAFE_LABEL, SAFE_NOTE, SAFE_STATE, SHORT, TICKS
from guest.served import Served
from guest.servers import SERVERS
from guest.stack import Adapter
from guest.trace import written

from .device_files import forty

INSUFFICIENT_ENCRYPTION = 0x0F
NAMES = {"pulse-strap": "Pulse HR", "workbench": "Workbench", "museum": "Museum"}


def _folder():
    return tempfile.TemporaryDirectory(prefix="blectl-clone-")


def _cloned(blectl, path: Path, *arguments) -> None:
    blectl("clone", *arguments, "-o", str(path)).exits(0)
    true(path.stat().st_size > 100, "the clone has a content")


@limit(120)
def what_is_served_on_one_adapter_is_cloned_through_the_other(blectl, btvirt):
    with _folder() as name:
        for device in NAMES:
            clone = Path(name) / f"{device}.json"
            served = Served(blectl, device)
            _cloned(blectl, clone, served.address, "-i", "hci1", "--values")
            served.live.signal(signal.SIGTERM)
            served.live.finish().is_ended_by(signal.SIGTERM)
            # The clone of the same device in the simulated world.
            original = Path(name) / f"{device}-original.json"
            blectl("--simulate", "--simulate-time", "virtual", "clone", NAMES[device], "--values", "-o", str(original))
            run = blectl("diff", str(original), str(clone), "--ignore-advertising", "--json")
            equal(run.records("difference"), [], f"how the clone of {device} differs")
            run.exits(0)


def _cloned_from_hci0(blectl, device: str, file: Path) -> Path:
    """Serves a device on hci0, and clones it through hci1."""
    served = Served(blectl, device)
    _cloned(blectl, file, served.address, "-i", "hci1", "--values")
    served.live.signal(signal.SIGTERM)
    served.live.finish().is_ended_by(signal.SIGTERM)
    return file


def _do_not_differ(blectl, first: Path, second: Path, *arguments) -> None:
    """BlueZ's emulator reports an advertiser once for each scan, so that nobody can know its interval there."""
    run = blectl("diff", str(first), str(second), "--json", *arguments)
    differences = [record for record in run.records("difference") if record["aspect"] != "interval"]
    equal(differences, [], f"how {second.stem} differs from {first.stem}")


@limit(150)
def a_served_file_its_clone_and_the_clone_of_that_do_not_differ(blectl, btvirt):
    with _folder() as name:
        for device in ("sensor-tag", forty()):
            original, clone, second = (Path(name) / f"{each}.json" for each in ("original", "clone", "second"))
            original.write_text(blectl("device", "show", device).exits(0).stdout)
            _cloned_from_hci0(blectl, str(original), clone)
            btvirt.end_links()
            _cloned_from_hci0(blectl, str(clone), second)
            btvirt.end_links()
            _do_not_differ(blectl, original, clone)
            _do_not_differ(blectl, original, second)
            _do_not_differ(blectl, clone, second)


@contextmanager
def _bumbles_app(folder: str):
    """The device that Bumble has for trying out pairing, on hci1: its program as it is, with some more services in its
    configuration. It uses the adapter exclusively."""
    configuration = Path(folder) / "bumble.json"
    readable = {"properties": "READ", "permissions": "READABLE"}
    configuration.write_text(
        json.dumps(
            {
                "name": "Bumble",
                "gatt_services": [
                    {"uuid": "180F", "characteristics": [{"uuid": "2A19", **readable}]},
                    {
                        "uuid": "D901B45B-4916-412E-ACCA-376ECB603B2C",
                        "characteristics": [
                            {
                                "uuid": "552957FB-CF1F-4A31-9535-E78847E1A714",
                                "properties": "READ,WRITE,NOTIFY",
                                "permissions": "READABLE,WRITEABLE",
                                "descriptors": [{"descriptor_type": "2901", "permissions": "READABLE"}],
                            }
                        ],
                    },
                ],
            }
        )
    )
    adapter = Adapter("hci1")
    adapter.down()
    app = Conversation(
        *(sys.executable, "-u", "-m", "bumble.apps.pair", "--advertising-address", "public", "--io", "none"),
        *(str(configuration), "hci-socket:1"),
    )
    try:
        app.hears("connected")
        yield
    finally:
        Adapter("hci0").hang_up()  # the emulator does not tell it when the other side is reset
        app.process.terminate()
        app.end()
        adapter.up()


@limit(120)
def a_device_of_bumbles_own_does_not_differ_from_its_clone(blectl, btvirt):
    with _folder() as name:
        clone, second = (Path(name) / f"{each}.json" for each in ("clone", "second"))
        address = btvirt.address(1)
        with _bumbles_app(name):
            _cloned(blectl, clone, address, "--values")
            btvirt.end_links()
            run = blectl("diff", str(clone), address, "--json")
            equal(run.records("difference"), [], "how the device differs from its clone")
            run.exits(0)
        btvirt.end_links()
        _cloned_from_hci0(blectl, str(clone), second)
        _do_not_differ(blectl, clone, second)


@limit(60)
def a_device_on_bumble_does_not_differ_from_its_clone(blectl, strap):
    with _folder() as name:
        clone = Path(name) / "clone.json"
        _cloned(blectl, clone, strap, "--values")
        strap.hang_up()
        run = blectl("diff", str(clone), strap, "--json")
        equal(run.records("difference"), [], "how the device differs from its clone")
        run.exits(0)
        in_memory = Path(name) / "in-memory.json"
        blectl(f"--simulate={clone}", "--simulate-time", "virtual", "clone", strap, "--values", "-o", str(in_memory)).exits(0)
        run = blectl("diff", str(clone), str(in_memory), "--json").exits(0)
        true(run.record("comparison")["advertising_compared"], "advertising is compared")


@limit(120)
def other_peoples_servers_do_not_differ_from_their_clones(blectl, sockets):
    for server in SERVERS:
        with _folder() as name, server.open(blectl, sockets, "socket") as there:
            files = [str(Path(name) / f"{number}.json") for number in (1, 2)]
            for file in files:
                there.ask("clone", "--values", "-o", file).exits(0)
            run = blectl("diff", *files, "--json")
            equal(run.records("difference"), [], f"how two clones of {server.name} differ")
            run.exits(0)


# A device as a capture shows it

# What a client does by itself, without being told: Service Changed, Database Hash and the features of GATT.
OF_GATT = ("0x2A05", "0x2B29", "0x2B2A", "0x2B3A", None)


def _operations(blectl, path: Path, device: str, *options: str) -> list[tuple]:
    """What the application did with the device, and what came of it."""
    run = blectl("trace", str(path), "--values", "-d", device, "--json", *options).exits(0)
    return [
        tuple(record[key] for key in ("operation", "handle", "value", "outcome", "att_error"))
        for record in run.records("operation")
        if record["characteristic"] not in OF_GATT
    ]


def _comes_back(
    blectl, captures: dict[str, Path], device: str, folder: Path, live: Path, unseen: tuple[str, ...] = ()
) -> list[tuple]:
    """A clone is made of each capture, and what the application did is done to it: the same operations have the same
    octets. The clones have the attributes of the live device, which the application has discovered, except for those
    that are `unseen`. Returns the operations."""
    found = {}
    for name, capture in captures.items():
        clone, script, replay = (folder / f"{name}{end}" for end in (".json", ".blectl", "-replay.btsnoop"))
        _cloned(blectl, clone, "--from", str(capture), "-d", device)
        run = blectl("diff", str(live), str(clone), "--ignore-values", "--ignore-advertising", "--json")
        differences = [record for record in run.records("difference") if not record["path"].endswith(unseen)]
        equal(differences, [], f"how the clone of {name} differs from the device")
        script.write_bytes(blectl("trace", str(capture), "--script", "-d", device).exits(0).out)
        blectl(
            *(f"--simulate={clone}", "--simulate-time", "virtual", "--capture", str(replay), "run", str(script)),
            patience=60,
        ).exits(0)
        found[name] = _operations(blectl, capture, device, "--gatt", str(clone))
        again = _operations(blectl, replay, device, "--gatt", str(clone))
        equal(_once(again, found[name]), found[name], f"the operations of the replay of {name}")
    operations, *others = found.values()
    for other in others:
        equal(other, operations, "the operations in the captures of the same run")
    return operations


def _once(replayed: list[tuple], operations: list[tuple]) -> list[tuple]:
    """Without the notifications that came again: a clone sends its values from the beginning when the time of the
    subscription in the capture is over."""
    left = Counter(each for each in operations if each[0] == "notification")
    kept = []
    for each in replayed:
        if each[0] == "notification":
            left[each] -= 1
        if each[0] != "notification" or left[each] >= 0:
            kept.append(each)
    return kept


def _stranger(blectl):
    """The program without remembered devices, so that it scans, and its captures have advertisements."""
    return blectl.with_environment(XDG_STATE_HOME=f"{blectl.directory}/stranger")


def _monitored(trace, folder: Path) -> Path:
    path = folder / "monitor.btsnoop"
    path.write_bytes(written(trace.now().records))
    return path


@limit(150)
def a_capture_of_an_open_device_is_its_clone_and_a_script(blectl, strap, trace):
    with _folder() as name:
        folder = Path(name)
        live, own = folder / "live.json", folder / "own.btsnoop"
        _cloned(blectl, live, strap, "--no-cache")
        strap.hang_up()
        trace.restart()
        script = folder / "first.blectl"
        script.write_text(
            f"""device strap -d {strap}
              inspect strap --values
              read strap battery-level
              write strap {LONG} hex:{bytes(range(200)).hex()}
              read strap {LONG}
              write strap {SHORT} 0xcafe
              write strap {SHORT} 0x0102030405 expect error 0x0d
              write strap heart-rate-control-point 0x02 expect error 0x80
              notify strap {TICKS} as ticks
              await ticks 4
              stop ticks
            """
        )
        _stranger(blectl)("run", str(script), "--capture", str(own), patience=60).exits(0)
        strap.hang_up()
        operations = _comes_back(blectl, {"own": own, "monitored": _monitored(trace, folder)}, str(strap), folder, live)
        outcomes = [(operation, outcome) for operation, _, _, outcome, _ in operations]
        for operation in ("read", "write", "subscription", "notification"):
            contains(outcomes, (operation, "success"), "the operations")
        contains(outcomes, ("write", "refused"), "the operations")


@limit(150)
def a_capture_of_a_served_device_is_the_device(blectl, btvirt, trace):
    """The monitor hears both adapters: its capture has each packet as the client saw it, and as the server did."""
    with _folder() as name:
        folder = Path(name)
        live, own = folder / "live.json", folder / "own.btsnoop"
        served = Served(blectl, "pulse-strap")
        there = ("-i", "hci1", "-d", served.address, "--address-type", "public")
        _cloned(blectl, live, *there, "--no-cache")
        btvirt.end_links()
        trace.restart()
        script = folder / "first.blectl"
        script.write_text(
            f"""device strap -d {served.address} -i hci1
              inspect strap --values
              write strap heart-rate-control-point 0x02 expect error 0x80
              write strap heart-rate-control-point 0x01
              notify strap heart-rate-measurement as beats
              await beats 3
              stop beats
            """
        )
        _stranger(blectl)("run", str(script), "--capture", str(own), patience=60).exits(0)
        btvirt.end_links()
        _comes_back(blectl, {"own": own, "monitored": _monitored(trace, folder)}, served.address, folder, live)


def _safe_comes_back(blectl, air, safe, trace, *refused: str) -> None:
    """The clones of the safe, to which a stranger does what is `refused`, and a friend pairs."""
    with _folder() as name:
        folder = Path(name)
        live, own = folder / "live.json", folder / "own.btsnoop"
        safe.unmute()
        safe.will_pair("none", secure=True)
        _cloned(blectl, live, safe, "--no-cache")
        safe.hang_up()
        air.wait_for_no_link()
        trace.restart()
        script = folder / "first.blectl"
        steps = "\n              ".join(refused)
        script.write_text(
            f"""device stranger -d {safe} --no-pair
              device friend -d {safe}
              inspect stranger
              read stranger {SAFE_LABEL}
              {steps}
              disconnect stranger
              pair friend --io none
              read friend {SAFE_STATE}
              notify friend {SAFE_STATE} as state
              write friend {SAFE_BOLT} 0x00
              await state
              write friend {SAFE_BOLT} 0x07 expect error 0x80
              write friend {SAFE_BOLT} 0x01
              await state
              stop state
              write friend {SAFE_NOTE} hex:{bytes(range(60))[::-1].hex()}
              read friend {SAFE_NOTE}
            """
        )
        _stranger(blectl)("run", str(script), "--capture", str(own), patience=60).exits(0)
        safe.hang_up()
        air.wait_for_no_link()
        monitored = _monitored(trace, folder)
        operations = _comes_back(blectl, {"own": own, "monitored": monitored}, str(safe), folder, live)
        outcomes = [(operation, outcome) for operation, _, _, outcome, _ in operations]
        for operation in ("read", "write"):
            contains(outcomes, (operation, "refused"), "the operations")
        for operation in ("read", "write", "notification"):
            contains(outcomes, (operation, "success"), "the operations")
        packets = blectl("trace", str(monitored), "--json", patience=60).exits(0).records("packet")
        true([packet for packet in packets if packet["kind"] == "smp"], "the pairing is in the capture")
        true([packet for packet in packets if packet["name"] == "Encryption Change"], "so is the encryption")
        # A client without a key gets nothing of the clone, either.
        for clone in ("own", "monitored"):
            run = blectl(
                *(f"--simulate={folder / clone}.json", "--simulate-time", "virtual", "read", SAFE_STATE),
                *("-d", str(safe), "--no-pair"),
            )
            run.exits(76).is_quiet()


@limit(150)
def a_capture_with_a_pairing_is_a_device_that_demands_one(blectl, air, pairing, safe, trace):
    _safe_comes_back(blectl, air, safe, trace, f"read stranger {SAFE_STATE} expect error 0x05")


@limit(150)
def a_refusal_that_came_after_one_for_want_of_security_is_the_same_one(blectl, air, pairing, safe, trace):
    refused = f"read stranger {SAFE_STATE} expect error 0x05", f"write stranger {SAFE_BOLT} 0x00 expect error 0x05"
    _safe_comes_back(blectl, air, safe, trace, *refused)


@limit(150)
def a_device_that_demands_encryption_by_its_error_does_so_as_a_clone(blectl, air, pairing, safe, trace):
    safe.refuse_with(INSUFFICIENT_ENCRYPTION)
    _safe_comes_back(blectl, air, safe, trace, f"read stranger {SAFE_STATE} expect error 0x0f")


@limit(150)
def a_capture_without_advertisements_is_a_device_that_can_be_connected_to(blectl, air, strap):
    """The address and its type were known, so that the program has not scanned."""
    with _folder() as name:
        folder = Path(name)
        own, clone = folder / "own.btsnoop", folder / "own.json"
        there = ("-d", strap, "--address-type", "random")
        blectl("inspect", *there, "--values", "--no-cache", "--capture", str(own)).exits(0)
        _cloned(blectl, clone, "--from", str(own), "-d", strap)
        run = blectl(
            *(f"--simulate={clone}", "--simulate-time", "virtual", "read", "battery-level", *there, "--json"),
        ).exits(0)
        equal(run.record("value")["value"], "57", "the value of the clone")


@limit(150)
def a_capture_of_another_client_is_a_clone_and_a_script(blectl, air, strap, trace):
    """gatttool discovers and reads; the monitor is the only witness."""
    with _folder() as name:
        folder = Path(name)
        live = folder / "live.json"
        _cloned(blectl, live, strap, "--no-cache")
        strap.hang_up()
        air.wait_for_no_link()
        trace.restart()
        handles = {each["uuid"]: each["value_handle"] for each in _inspected(blectl, live, strap)}
        talk = Conversation("stdbuf", "-oL", "gatttool", "-b", strap.address, "-t", "random", "--interactive")
        try:
            talk.say("connect")
            talk.hears("Connection successful", 20)
            for line, answer in (
                ("primary", "b1ec71ab"),
                ("characteristics", "b1ec71ab-0008"),
                ("char-desc", "0x003f, uuid: b1ec71ab-0008"),
                (f"char-read-hnd 0x{handles['0x2A19']:04x}", "57"),
                (f"char-write-req 0x{handles[SHORT]:04x} cafe", "written successfully"),
                (f"char-read-hnd 0x{handles[SHORT]:04x}", "ca fe"),
                (f"char-write-req 0x{handles[TICKS] + 1:04x} 0100", "Notification handle"),
                (f"char-write-req 0x{handles[TICKS] + 1:04x} 0000", "written successfully"),
            ):
                talk.say(line)
                talk.hears(answer, 20)
            talk.say("exit")
        finally:
            talk.end()
        strap.hang_up()
        air.wait_for_no_link()
        # It looks neither for secondary services nor for includes.
        monitored = {"monitored": _monitored(trace, folder)}
        operations = _comes_back(blectl, monitored, str(strap), folder, live, unseen=(CALIBRATION,))
        contains(operations, ("write", handles[SHORT], "cafe", "success", None), "the operations")


@limit(150)
def a_capture_of_bluetoothd_is_a_clone_and_a_script(blectl, air, bluetoothd, safe, trace):
    """bluetoothd does not ask for the type of a descriptor that can only be a client configuration."""
    with _folder() as name:
        folder = Path(name)
        live = folder / "live.json"
        safe.unmute()
        _cloned(blectl, live, safe, "--no-cache")
        safe.hang_up()
        air.wait_for_no_link()
        trace.restart()
        safe.will_pair("none", secure=True)
        bluetoothd.agree()
        bluetoothd.pair(str(safe))
        talk = Conversation("stdbuf", "-oL", "bluetoothctl")
        try:
            talk.say("menu gatt")
            for attribute, line, answer, count in (
                (SAFE_STATE, "read", "01", 0),
                (SAFE_STATE, "notify on", "Notify started", 0),
                (SAFE_BOLT, "write 0x00", "Attempting to write", 1),
                (SAFE_BOLT, "write 0x07", "Failed to write", 2),
                (SAFE_BOLT, "write 0x01", "Attempting to write", 3),
            ):
                talk.say(f"select-attribute {attribute}")
                talk.say(line)
                talk.hears(answer, 20)
                # bluetoothd refuses a write by itself while another one is under way.
                safe.waits_for("write", count)
        finally:
            talk.end()
        # bluetoothd switches notifications off when it finds that its client has gone.
        within(10, "bluetoothd switched notifications off", lambda: not safe.journal("subscription")[-1]["notify"])
        safe.hang_up()
        air.wait_for_no_link()
        operations = _comes_back(blectl, {"monitored": _monitored(trace, folder)}, str(safe), folder, live)
        outcomes = [(operation, outcome) for operation, _, _, outcome, _ in operations]
        for outcome in (("subscription", "success"), ("notification", "success"), ("write", "refused")):
            contains(outcomes, outcome, "the operations")


@limit(90)
def a_private_device_goes_by_its_identity_in_a_capture(blectl, air, pairing, safe, trace):
    """The pairing tells the identity address."""
    with _folder() as name:
        safe.unmute()
        safe.will_pair("none", secure=True)
        private = safe.rotate()
        blectl("pair", private, "--io", "none").exits(0)
        blectl("read", SAFE_STATE, "-d", private).exits(0)
        safe.hang_up()
        air.wait_for_no_link()
        capture = _monitored(trace, Path(name))
        by_address = _operations(blectl, capture, private)
        true(by_address, "there are operations")
        equal(_operations(blectl, capture, str(safe)), by_address, "the operations with the identity")


def _inspected(blectl, clone: Path, device) -> list[dict]:
    run = blectl(f"--simulate={clone}", "--simulate-time", "virtual", "inspect", device, "--json").exits(0)
    return run.records("characteristic")
