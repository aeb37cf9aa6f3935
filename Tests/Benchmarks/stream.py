# SPDX-License-Identifier: GPL-2.0-or-later
"""Notifications from a packet socket whose peer sends without pause: whether all come out in order, and what they cost."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "KernelLab"))

from guest.torrent import Torrent, value  # noqa: E402

COUNT = 50_000
LENGTHS = (20, 244)
FORMS = {"text": [], "JSON": ["--json"]}


def values(path, form):
    """The values of the output, as hexadecimal digits."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["value"] if form == "JSON" else line.split()[1].removeprefix("0x")


def run(binary, peak, folder, length, form):
    """Runs `notify` on a torrent. Returns wall seconds, CPU seconds, peak memory in KiB, and whether all is there."""
    output = os.path.join(folder, "output")
    with Torrent() as peer:

        def pour(connection):
            peer.notify(connection, COUNT, length)

        peer.then = pour
        command = [peak, output, binary, *peer.options, "-q", "notify", "0xFF01", "--count", str(COUNT), *FORMS[form]]
        began = time.perf_counter()
        result = subprocess.run(command, stdout=subprocess.PIPE, env={"PATH": "/usr/bin", "HOME": folder}, check=True)
        wall = time.perf_counter() - began
    kibibytes, microseconds = map(int, result.stdout.split())
    expected = (value(number, length).hex() for number in range(COUNT))
    complete = list(values(output, form)) == list(expected)
    return wall, microseconds / 1e6, kibibytes, complete


def table(binary, peak, folder):
    """Rows of the table: name, values per second, microseconds of CPU for each, peak memory in MiB, and whether all is
    there."""
    for length in LENGTHS:
        for form in FORMS:
            wall, cpu, kibibytes, complete = run(binary, peak, folder, length, form)
            name = f"{COUNT} notifications of {length} octets, {form}"
            yield name, COUNT / wall, cpu / COUNT * 1e6, kibibytes / 1024, complete
