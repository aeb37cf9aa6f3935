# SPDX-License-Identifier: GPL-2.0-or-later
"""New firmware over the air. Others' servers: one with PyPI's codec `smp`, and boot loaders of the lab. Others' clients:
smpclient, smpmgr and nrf-ota, these two by bleak and bluetoothd. Others' files: the zips of nrfutil and adafruit-nrfutil."""

import hashlib
import io
import json
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import zipfile
from contextlib import contextmanager
from pathlib import Path

from guest.catalogue import in_one_world, limit
from guest.checks import contains, equal, true, within
from guest.schema import obeys
from guest.served import Served

PACKAGES = Path(__file__).parents[2] / "FirmwareUpdateTests/Vectors/packages.json"
FIRMWARE_REVISION = "00002a26-0000-1000-8000-00805f9b34fb"
# What a client on bluetoothd sees of the application that is back, which it may not find at once.
READ = """
import asyncio, sys
from bleak import BleakClient, BleakScanner
async def main(address, uuid):
    for _ in range(20):
        if device := await BleakScanner.find_device_by_address(address, timeout=5):
            try:
                async with BleakClient(device) as client:
                    return print(bytes(await client.read_gatt_char(uuid)).decode())
            except Exception as error:
                print(repr(error), file=sys.stderr)
asyncio.run(main(*sys.argv[1:3]))
"""


def _image(version: int, length: int = 60_000) -> bytes:
    """An image for MCUboot. Spec: MCUboot, Image format"""
    program = bytes(number * 7 % 251 for number in range(length))
    header = struct.pack("<IIHHIIBBHII", 0x96F3B83D, 0, 32, 0, length, 0, version, 0, 0, 0, 0)
    return header + program + struct.pack("<HHHH", 0x6907, 40, 0x10, 32) + hashlib.sha256(header + program).digest()


def _update(blectl, board, *options, version=2):
    return blectl("update", "-", "--radio", f"unix:{board.path}", "--json", *options, stdin=_image(version), patience=60)


def _steps(run) -> list[str]:
    return [obeys(record)["step"] for record in run.records("update") if record["step"] != "progress"]


def an_image_is_uploaded_tested_and_confirmed(blectl, board):
    run = _update(blectl, board).exits(0)
    equal(_steps(run), ["uploaded", "chosen", "reset", "running", "confirmed"], "the steps")
    equal(board.running(), {"version": "2.0.0", "confirmed": True}, "what runs")


def a_part_that_gets_lost_is_sent_again(blectl, board):
    board.lose_part(7)
    _update(blectl, board).exits(0)
    equal(board.running(), {"version": "2.0.0", "confirmed": True}, "what runs")


def an_image_that_is_there_is_not_sent_again(blectl, board):
    _update(blectl, board).exits(0)
    before = len(board.journal("request"))
    equal(_steps(_update(blectl, board).exits(0)), ["present"], "the steps")
    equal(len(board.journal("request")) - before, 1, "the requests")


def a_test_is_put_back_by_the_next_start(blectl, board):
    _update(blectl, board, "--test").exits(0)
    equal(board.running(), {"version": "2.0.0", "confirmed": False}, "what runs")
    blectl("mcumgr", "reset", "--radio", f"unix:{board.path}").exits(0)
    within(5, "the old image runs", lambda: board.running()["version"] == "1.0.0")
    run = blectl("mcumgr", "images", "--radio", f"unix:{board.path}").exits(0)
    contains(run.stdout, "image 0 slot 0: 1.0.0 (active, confirmed)", "what is printed")


def an_echo_of_several_packets_comes_back(blectl, board):
    text = "ä" * 600
    equal(blectl("mcumgr", "echo", text, "--radio", f"unix:{board.path}").exits(0).stdout, text + "\n", "the echo")


@contextmanager
def _file(octets: bytes, name: str = "firmware.bin"):
    """The path of a file with these octets."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        Path(path).write_bytes(octets)
        yield path


def _uploads(board) -> int:
    """How many requests of uploads the board has got."""
    return sum((each["group"], each["command"]) == (1, 1) for each in board.journal("request"))


# Ctrl-C


def ctrl_c_leaves_what_was_uploaded_and_the_next_attempt_goes_on(blectl, board):
    with _file(_image(2, 300_000)) as path:
        update = ("update", path, "--radio", f"unix:{board.path}", "--json")
        live = blectl.start(*update)
        within(10, "the upload has begun", lambda: _uploads(board) > 20)
        live.signal(signal.SIGINT)
        run = live.finish(patience=3).is_ended_by(signal.SIGINT)
        contains(run.stderr, "octets of the new image, and runs the old one; the same command goes on", "what is told")
        state = re.search(r"the device has (\d+) of 300072 ", run.stderr)
        true(state and int(state[1]) > 20_000, f"the state of the device is told:\n{run.stderr}")
        equal(board.running(), {"version": "1.0.0", "confirmed": True}, "what runs")
        before = _uploads(board)
        blectl(*update, patience=60).exits(0)
    equal(board.running(), {"version": "2.0.0", "confirmed": True}, "what runs")
    # As many as the rest needs, and the announcement; the interrupted one may have had some more on their way.
    equal(_uploads(board) - before <= 2 + -(-(300_072 - int(state[1])) // (2_048 - 60)), True, "only the rest is sent")


@in_one_world
@limit(120)
def an_update_by_the_kernel_is_ended_by_ctrl_c_and_goes_on(blectl, btvirt):
    served = Served(blectl, "mcuboot-board")
    with _file(_image(2, 60_000)) as path:
        update = ("--adapter", "hci1", "update", path, "-d", served.address, "--address-type", "public", "--json")
        live = blectl.start(*update)
        # The first record of the upload comes after a second of it.
        while (record := live.next_record(20))["step"] != "progress":
            pass
        live.signal(signal.SIGINT)
        run = live.finish(patience=5).is_ended_by(signal.SIGINT)
        contains(run.stderr, "octets of the new image, and runs the old one; the same command goes on", "the state")
        run = blectl(*update, patience=90).exits(0)
    equal(_steps(run), ["uploaded", "chosen", "reset", "running", "confirmed"], "the steps")
    first = next(each for each in run.records("update") if each["step"] in ("progress", "uploaded"))
    true(first["octets"] >= record["octets"], "the second attempt goes on where the first has ended")


# Others' clients


def another_client_updates_a_board_that_is_served(blectl):
    served = Served(blectl, "mcuboot-board", socket=True)
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(_image(2))
        file.flush()
        client = [sys.executable, "-m", "peers.smp_client", served.path, file.name]
        run = subprocess.run(client, capture_output=True, text=True, timeout=60)
    equal(run.returncode, 0, f"the status of smpclient, which says {run.stderr[-500:]}")
    seen = json.loads(run.stdout)
    equal({**seen, "requests": 0}, {"requests": 0, "version": "2.0.0", "confirmed": True}, "what smpclient has seen")


def an_upload_has_no_more_requests_than_that_of_another_client(blectl, board):
    with _file(_image(2)) as path:
        client = [sys.executable, "-m", "peers.smp_client", board.path, path]
        subprocess.run(client, check=True, capture_output=True, timeout=60)
    theirs = _uploads(board)
    _update(blectl, board, version=3).exits(0)
    ours = _uploads(board) - theirs
    print(f"        requests for 60,072 octets in buffers of 2,048: {ours} of blectl, {theirs} of smpclient", flush=True)
    # The first one of the program is one packet: whether the board can join several is not known yet.
    true(ours <= theirs + 1, f"an upload has {ours} requests, and that of smpclient {theirs}")


@in_one_world
@limit(240)
def smpmgr_on_bluetoothd_updates_a_board_that_is_served(blectl, btvirt, neighbour):
    neighbour.begin("NoInputNoOutput", True)
    served = Served(blectl, "mcuboot-board")
    image = _image(2, 20_000)
    with neighbour.programs() as program, _file(image) as path:

        def smpmgr(*words: str) -> str:
            return program("-m", "smpmgr", "--ble", served.address, "--timeout", "20", *words, patience=90)

        smpmgr("image", "upload", path)
        smpmgr("image", "state-write", image[-32:].hex())
        smpmgr("os", "reset")
        contains(smpmgr("image", "state-read"), "version='2.0.0'", "the images")
        smpmgr("image", "state-write", "--confirm")
        first = smpmgr("image", "state-read").split("slot=1")[0]
    true(re.search(r"slot=0.*version='2\.0\.0'.*confirmed=True", first, re.DOTALL), f"the new image is confirmed:\n{first}")


def _nrf_ota(buttonless: bool):
    @in_one_world
    @limit(240)
    def case(blectl, btvirt, neighbour):
        neighbour.begin("NoInputNoOutput", True)
        device = {
            "schema": "blectl-device/1",
            "label": "watch",
            "name": "Watch",
            "advertising": [{"interval": "100 ms", "data": {"name": "Watch"}}],
            "services": [
                {
                    "uuid": "device-information",
                    "characteristics": [{"uuid": "firmware-revision-string", "properties": ["read"], "value": "text:1"}],
                }
            ],
            "dfu": {"kind": "legacy", "version": "1", "buttonless": buttonless},
        }
        if not buttonless:
            device["advertising"][0]["scan_response"] = {"services": ["00001530-1212-efde-1523-785feabcd123"]}
        served = Served(blectl, blectl.file("watch.json", device))
        with neighbour.programs() as program, _file(_archive("legacy application"), "firmware.zip") as path:
            said = program("-m", "nrf_ota", path, "--device", served.address, "--timeout", "3", patience=150)
            contains(said, "Done.", "what nrf-ota says")
            equal(program("-c", READ, served.address, FIRMWARE_REVISION, patience=90), "7\n", "the version that runs")

    return case


def _archive(name: str) -> bytes:
    """An archive that Nordic's nrfutil or Adafruit's has made."""
    return bytes.fromhex(next(each["archive"] for each in json.loads(PACKAGES.read_text()) if each["name"] == name))


# Boot loaders


def _taken(blectl, loader, archive: bytes, version: int, *steps: str) -> None:
    """A boot loader takes an application, octet for octet, and starts it."""
    with _file(archive, "firmware.zip") as path:
        run = blectl("update", path, "--radio", f"unix:{loader.path}", "--json", patience=60).exits(0)
    equal(_steps(run), [*steps, "uploaded", "reset", "running"], "the steps")
    equal(loader.journal("wrong packet"), [], "the packets that no boot loader takes")
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        names = json.loads(files.read("manifest.json"))["manifest"]["application"]
        digest, packet = hashlib.sha256(files.read(names["bin_file"])).hexdigest(), files.read(names["dat_file"]).hex()
    equal(loader.running(), {"version": version, "hash": digest, "init_packet": packet}, "what the boot loader has taken")


def legacy_dfu_of_another_author_takes_an_application(blectl, legacy_loader):
    _taken(blectl, legacy_loader, _archive("legacy application"), 7, "boot-loader")


@limit(60)
def legacy_dfu_of_another_author_that_loses_a_packet_gets_all_again(blectl, legacy_loader):
    legacy_loader.lose_part(30)
    # It starts anew, so that it forgets what it has.
    _taken(blectl, legacy_loader, _archive("legacy application"), 7, "boot-loader", "boot-loader")
    starts = [each for each in legacy_loader.journal("order") if each["value"] == "0104"]
    equal(len(starts), 3, "the orders to start: that to the application, and two of transfers")


def secure_dfu_of_another_author_takes_an_application(blectl, secure_loader):
    _taken(blectl, secure_loader, _archive("secure application"), 7)


def secure_dfu_of_another_author_that_loses_a_packet_gets_its_object_again(blectl, secure_loader):
    secure_loader.lose_part(3)
    _taken(blectl, secure_loader, _archive("secure application"), 7)
    orders = [each["value"] for each in secure_loader.journal("order")]
    equal(sum(order.startswith("0102") for order in orders), 5, "the objects of 256 octets that were created")


# Others' files


def packages_of_adafruit_nrfutil_are_taken(blectl):
    served = Served(blectl, "dfu-watch", socket=True)
    with tempfile.TemporaryDirectory() as folder:
        program, archive = os.path.join(folder, "app.bin"), os.path.join(folder, "app.zip")
        with open(program, "wb") as file:
            file.write(_image(2, 4_000))
        tool = os.path.join(os.path.dirname(sys.executable), "adafruit-nrfutil")
        options = ["--dev-type", "0x0052", "--application-version", "9", "--application", program, archive]
        # Its first line names an interpreter that was moved.
        subprocess.run([sys.executable, tool, "dfu", "genpkg", *options], check=True, capture_output=True)
        run = blectl("update", archive, "--radio", f"unix:{served.path}", "--json", patience=60).exits(0)
    equal(_steps(run), ["boot-loader", "uploaded", "reset", "running"], "the steps")
    contains(run.stdout, "the device is back, with firmware 9", "the records")


TABLE = [
    ("nrf-ota on bluetoothd updates a watch that is served", _nrf_ota(buttonless=False)),
    ("nrf-ota on bluetoothd starts the boot loader of a device that is served", _nrf_ota(buttonless=True)),
]
