# SPDX-License-Identifier: GPL-2.0-or-later
import json
import os
import subprocess
from pathlib import Path

import pytest

HEATER = Path(__file__).with_name("heater.json")
SETPOINT = "0xfff1"


@pytest.fixture(scope="module", autouse=True)
def world(tmp_path_factory):
    """Keeps a world in virtual time alive for the tests."""
    path = str(tmp_path_factory.mktemp("world") / "socket")
    serve = ["blectl", "simulate", "serve", HEATER, "--socket", path]
    serve += ["--simulate-time", "virtual"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE) as process:
        process.stdout.readline()  # commands can join
        os.environ |= {"BLECTL_SIMULATE": path, "BLECTL_DEVICE": "Heater"}
        yield
        process.terminate()


def blectl(*arguments, status=0):
    """Runs blectl, and returns its records."""
    run = subprocess.run(
        ["blectl", "--json", "--deadline", "1m", *arguments],
        stdout=subprocess.PIPE,
    )
    records = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == status, records
    return records


def setpoint():
    [record] = blectl("read", SETPOINT)
    return int.from_bytes(bytes.fromhex(record["value"]), "little") / 100


@pytest.mark.parametrize("degrees", range(5, 36))
def test_takes(degrees):
    blectl("write", SETPOINT, f"u16:{100 * degrees}")
    assert setpoint() == degrees


@pytest.mark.parametrize("degrees", [*range(5), *range(36, 60)])
def test_refuses(degrees):
    before = setpoint()
    value = f"u16:{100 * degrees}"
    *_, error = blectl("write", SETPOINT, value, status=76)
    assert error["att_error_name"] == "out of range"
    assert setpoint() == before


def test_is_there_again_after_a_power_cycle():
    blectl("write", SETPOINT, "u16:1900")
    blectl("write", SETPOINT, "ff")
    assert setpoint() == 21


def test_keeps_its_setpoint_for_a_day():
    blectl("write", SETPOINT, "u16:1900")
    subprocess.run(["blectl", "run", "-"], input=b"pause 24h", check=True)
    assert setpoint() == 19
