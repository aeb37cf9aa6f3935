# SPDX-License-Identifier: GPL-2.0-or-later
"""New firmware over the air: a server and a client with another author's codec (PyPI's smp and smpclient), and zips of adafruit-nrfutil."""

import hashlib
import json
import os
import struct
import subprocess
import sys
import tempfile

from guest.checks import contains, equal, within
from guest.schema import obeys
from guest.served import Served


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


def a_plain_client_needs_as_many_requests_for_an_upload(blectl, board):
    """One request at a time with the same buffers takes as many requests as several at once."""
    before = len(board.journal("request"))
    _update(blectl, board, "--no-reset").exits(0)
    uploads = [each for each in board.journal("request")[before:] if (each["group"], each["command"]) == (1, 1)]
    # Each has one buffer of 2,048 octets but the first, which is one packet. Spec: smpclient, SMPClient.upload
    equal(len(uploads) <= 1 + -(-60_072 // (2_048 - 60)), True, f"the requests of the upload are few, not {len(uploads)}")


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
