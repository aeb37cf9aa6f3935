# SPDX-License-Identifier: GPL-2.0-or-later
import json
import subprocess

import pytest


def blectl(*arguments, status=0):
    """Runs blectl, and returns its records."""
    run = subprocess.run(
        ["blectl", "--json", "--deadline", "20", *arguments],
        stdout=subprocess.PIPE,
    )
    records = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == status, records
    return records


@pytest.fixture(scope="module", autouse=True)
def connection():
    command = ["blectl", "session"]
    subprocess.run([*command, "start", "-d", "Pulse HR"], check=True)
    yield
    subprocess.run([*command, "stop"], check=True)


def test_has_charge():
    [level] = blectl("read", "battery-level")
    assert level["decoded"]["battery_level_percent"] >= 20


def test_refuses_what_it_does_not_know():
    target = "heart-rate-control-point"
    *_, error = blectl("write", target, "02", status=76)
    assert error["att_error"] == 0x80


def test_beats():
    beats = blectl("watch", "heart-rate", "--count", "3")
    assert len(beats) == 3
    for beat in beats:
        assert beat["decoded"]["heart_rate_bpm"] > 40
