# SPDX-License-Identifier: GPL-2.0-or-later
"""New firmware over the air, for a server that speaks with another author's codec (PyPI's smp)."""

import hashlib
import struct

from guest.checks import contains, equal, within
from guest.schema import obeys


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
