# SPDX-License-Identifier: GPL-2.0-or-later
"""What commands cost beside gatttool's, in turn on one adapter, and our own host beside the kernel's. They print figures, and `make bench` shows them: `make lab` runs none
of them, because a machine that is busy says nothing about costs."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from guest.btvirt import BtvirtServer
from guest.catalogue import limit
from guest.checks import equal, true, within
from guest.peers import PSM_COUNT
from guest.served import Served

ROUNDS = 9
READS = 3
VALUES, FEW, SIZE = 3_000, 100, 20
NOTIFIED = "016a2cc7-e14b-4819-935f-1f56eae4098d"


def _figure(name: str, unit: str, ours: list[float], theirs: list[float] = (), peer: str = "gatttool") -> None:
    """A row of the table: `Tests/Benchmarks/run` reads it from the machine's console."""
    print("figure " + json.dumps({"name": name, "unit": unit, "ours": list(ours), "theirs": list(theirs), "peer": peer}))


def _run(blectl, command: list[str]) -> tuple[float, float]:
    """Runs a command to its end. Returns milliseconds on the clock and of CPU."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, env=blectl.surroundings({}), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    equal(process.returncode, 0, f"the exit status of {' '.join(command)}")
    return seconds * 1_000, (usage.ru_utime + usage.ru_stime) * 1_000


def _reads(blectl, device) -> dict[str, list[str]]:
    address = ["-b", device.address, "-t", "random"]
    return {
        "ours": [blectl.program, "read", "battery-level", "-d", device.address, "--address-type", "random"],
        "theirs": ["gatttool", *address, "--char-read", "--uuid=2a19"],
    }


@limit(180)
def a_read_of_a_device_that_has_to_be_connected(blectl, air, strap):
    times = {"ours": [], "theirs": []}
    commands = _reads(blectl, strap)
    for _ in range(ROUNDS):
        for whose, command in commands.items():
            times[whose].append(_run(blectl, command)[0])
            air.wait_for_no_link()
    _figure("a read, its connection included", "ms", **times)


@limit(180)
def a_read_on_a_link_that_is_there(blectl, air, strap):
    """The kernel keeps a link for two seconds after the last command on it."""
    times = {"ours": [], "theirs": []}
    commands = _reads(blectl, strap)
    for _ in range(ROUNDS):
        for whose, command in commands.items():
            _run(blectl, commands["theirs"])
            times[whose].append(_run(blectl, command)[0])
            equal(len(strap.journal("connected")) - len(strap.journal("disconnected")), 1, "links of the device")
            air.wait_for_no_link()
    _figure("a read on a link that is there", "ms", **times)


@limit(180)
def what_a_read_touches_first(blectl, air, strap):
    """For `make order`, with a program that has its symbols: the first read, and one of a device that is remembered."""
    sys.path.append(str(Path(__file__).resolve().parents[2] / "StartOrder"))
    from touched import Touched  # noqa: PLC0415  # no other case needs it

    touched = Touched(blectl.program)
    surroundings = blectl.surroundings({})
    for _ in range(2):
        touched.look("--quiet", *_reads(blectl, strap)["ours"][1:], **surroundings)
        air.wait_for_no_link()
    for word, names in (("called", touched.called), ("written", touched.written)):
        print("\n".join(f"{word} {name}" for name in names))


@limit(240)
def notifications_to_text(blectl, air, bench):
    """The CPU time of each program for each value. Its start and its connection, which few values have too, are left out."""
    bench.unmute()
    costs = {"ours": [], "theirs": []}
    notify = [blectl.program, "notify", NOTIFIED, "-d", bench.address, "--address-type", "random", "--count"]
    for _ in range(3):
        bench.stream(VALUES, SIZE)
        whole = _run(blectl, [*notify, str(VALUES)])[1]
        air.wait_for_no_link()
        bench.stream(FEW, SIZE)
        start = _run(blectl, [*notify, str(FEW)])[1]
        air.wait_for_no_link()
        costs["ours"].append((whole - start) * 1_000 / (VALUES - FEW))
        many, few = _listening(air, bench, VALUES), _listening(air, bench, FEW)
        costs["theirs"].append((many[0] - few[0]) * 1_000 / (many[1] - few[1]))
    _figure(f"CPU of a notification, {VALUES} as text", "us", **costs)


def _listening(air, bench, count: int) -> tuple[float, int]:
    """The milliseconds of CPU of gatttool while it prints values, and how many it has printed. It ends by a signal only, and loses
    values that come faster than it prints."""
    bench.stream(count, SIZE)
    configuration = _configuration(bench)
    listen = ["gatttool", "-b", bench.address, "-t", "random", "--char-write-req", f"--handle=0x{configuration:04x}", "--value=0100"]
    process = subprocess.Popen(["stdbuf", "-oL", *listen, "--listen"], stdout=subprocess.PIPE, bufsize=0)
    said = b""
    while select.select([process.stdout], [], [], 3)[0]:
        said += os.read(process.stdout.fileno(), 65536)
    process.terminate()
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    air.wait_for_no_link()
    return (usage.ru_utime + usage.ru_stime) * 1_000, said.count(b"Notification handle")


def _configuration(bench) -> int:
    """The handle behind the value that it notifies."""
    characteristics = {uuid: value for value, _, uuid in bench.tree().characteristics}
    return characteristics[NOTIFIED] + 1


@limit(240)
def twelve_reads_at_once_on_four_devices(blectl, air):
    air.peers["mover"].unmute()
    devices = [air.peers[name] for name in ("Bumble HR", "echo", "awkward", "mover")]
    costs = {"ours": [], "theirs": []}
    for number in range(4):
        fresh = blectl.with_environment(XDG_STATE_HOME=f"{blectl.directory}/round-{number}")
        began = time.perf_counter()
        reads = [
            subprocess.Popen(
                [blectl.program, "read", "device-name", "-d", str(device)],
                env=fresh.surroundings({}), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
            for device in devices
            for _ in range(READS)
        ]  # fmt: skip
        true(all(read.wait() == 0 for read in reads), "all reads succeed")
        costs["ours"].append(time.perf_counter() - began)
        air.wait_for_no_link()
        costs["theirs"].append(_one_after_the_other(blectl, devices))
        air.wait_for_no_link()
    _figure("12 reads on 4 devices, at once (gatttool's one after the other)", "s", **costs)


def _one_after_the_other(blectl, devices) -> float:
    """The seconds that gatttool takes. It cannot wait for a device, and has to be told the type of its address."""
    return sum(
        _run(blectl, ["gatttool", "-b", device.address, "-t", device.address_type, "--char-read", "--uuid=2a00"])[0] / 1_000
        for device in devices
        for _ in range(READS)
    )


# Each of them a thousand times a second, which together are more than a link takes here.
STREAMED = [f"0xFF0{number}" for number in range(1, 9)]
QUICK = {
    "schema": "blectl-device/1",
    "name": "Quick",
    "advertising": [{"interval": "20 ms", "data": {"name": "Quick"}}],
    "channels": [{"psm": PSM_COUNT, "does": "sink"}],
    "services": [
        {
            "uuid": "0xFF00",
            "characteristics": [{"uuid": uuid, "properties": ["notify"], "value": "00" * SIZE, "every": "1 ms"} for uuid in STREAMED],
        }
    ],
}  # fmt: skip
COUNT = 6_000


def _of_a_channel(size: int):
    """The octets a second of a channel, in units of that size."""

    def rate(blectl, device) -> float:
        words = ["bench", "l2cap", "--psm", PSM_COUNT, "--one-way", "--size", size, "--count", COUNT, "--json"]
        record = blectl(*words, *device, patience=60).exits(0).record("bench")
        return record["octets"] / record["duration_ms"] * 1_000

    return rate


def _of_notifications(blectl, device) -> float:
    """The octets a second of notifications, from the first to the last. They go to a file: a pipe would have its reader woken
    for each."""
    output = Path(blectl.directory, "values")
    with output.open("wb") as file:
        command = [blectl.program, "-i", blectl.adapter, "notify", *STREAMED, "--count", str(COUNT), *device, "--json"]
        subprocess.run(command, env=blectl.surroundings({}), stdout=file, stderr=subprocess.DEVNULL, check=True)
    first, *_, last = output.read_text().splitlines()
    elapsed = json.loads(last)["monotonic_ns"] - json.loads(first)["monotonic_ns"]
    return (COUNT - 1) * SIZE / elapsed * 1e9


def _to_listen(blectl, device, count: int) -> tuple[float, float]:
    """The milliseconds of CPU of a program that prints so many values as text, and its peak of memory until half of them, in MiB."""
    command = [blectl.program, "-i", blectl.adapter, "notify", *STREAMED, "--count", str(count), *device]
    process = subprocess.Popen(command, env=blectl.surroundings({}), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    peak = 0.0
    for number, _ in enumerate(process.stdout):
        if number == count // 2:
            status = Path(f"/proc/{process.pid}/status").read_text()
            # A program that has ended meanwhile has no such line.
            if size := status.partition("VmHWM:")[2].split():
                peak = int(size[0]) / 1_024
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    equal(process.returncode, 0, "the exit status of notify")
    return (usage.ru_utime + usage.ru_stime) * 1_000, peak


RATES = {
    "units of 20 octets over a channel": _of_a_channel(20),
    "units of 480 octets over a channel": _of_a_channel(480),
    "notifications of 20 octets": _of_notifications,
}
CPU, MEMORY = "CPU of a notification as text", "memory of notify"


# Our own host has the emulator at a Unix socket, without the kernel's Bluetooth, and beside it by the kernel's user channel.
PATHS = ("our own host", "our own host on the user channel", "kernel")


@limit(600)
def octets_a_second_of_our_own_host_and_of_the_kernel(blectl, btvirt, trace):
    """Over one emulator, whose packets take 192 octets, one at a time. Nothing is recorded meanwhile: the packets of a Unix
    socket never are."""
    file = Path(blectl.directory, "quick.json")
    file.write_text(json.dumps(QUICK))
    figures = {name: {path: [] for path in PATHS} for name in (*RATES, CPU, MEMORY)}
    with ExitStack() as stack:
        stack.enter_context(trace.monitor.paused())
        air = BtvirtServer(subprocess.DEVNULL)
        stack.callback(air.stop)
        places = dict(zip(PATHS, ((air.place, air.place), ("user:hci1", "user:hci0"), ("hci1", "hci0")), strict=True))
        for path in PATHS * 3:
            device_side, client_side = places[path]
            served = Served(blectl.on(device_side), str(file), adapter=None)
            device, client = ["-d", served.address, "--address-type", "public"], blectl.on(client_side)
            for name, rate in RATES.items():
                figures[name][path].append(rate(client, device))
            (few, _), (many, peak) = (_to_listen(client, device, count) for count in (FEW, COUNT))
            figures[CPU][path].append((many - few) * 1_000 / (COUNT - FEW))
            figures[MEMORY][path].append(peak)
            served.live.signal(signal.SIGTERM)
            served.live.finish(5)
            within(5, "the adapters are up", lambda: all(adapter.is_up() for adapter in btvirt.adapters))
    for name, by_path in figures.items():
        unit = {CPU: "us", MEMORY: "MiB"}.get(name, "octets_a_second")
        for path in PATHS[:-1]:
            _figure(f"{name}, {path}", unit, by_path[path], by_path["kernel"], peer="kernel")
