# SPDX-License-Identifier: GPL-2.0-or-later
"""Our own host on controllers of others, which need no Bluetooth in the kernel: BlueZ's emulator at a Unix socket, and
rootcanal where one controller has several links, for which the emulator mixes up their handles."""

import json
import os
import selectors
import socket
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "KernelLab"))

from guest.btvirt import BtvirtServer  # noqa: E402
from guest.rootcanal import Rootcanal  # noqa: E402

# Each of them notifies a thousand times a second, which together is less than a link takes here.
NOTIFIED = [f"0xFF0{number}" for number in range(1, 9)]
DEVICE = {
    "schema": "blectl-device/1",
    "name": "Quick",
    "advertising": [{"interval": "20 ms", "data": {"name": "Quick"}}],
    "services": [
        {"uuid": "battery", "characteristics": [{"uuid": "battery-level", "properties": ["read"], "value": "57"}]},
        {"uuid": "0xFF00", "characteristics": [{"uuid": uuid, "properties": ["notify"], "value": "00" * 20, "every": "1 ms"} for uuid in NOTIFIED]},
    ],
}


class Relay:
    """Forwards the octets between one host and a controller, and notes when the host sends its first command, and its
    first request of attributes (the L2CAP channel 4)."""

    def __init__(self, path, place):
        self.path, self.place = path, place
        self.first_command = self.first_request = None
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(1)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        host, _ = self.listener.accept()
        controller = socket.socket(socket.AF_UNIX)
        controller.connect(self.place.removeprefix("unix:"))
        with selectors.DefaultSelector() as selector, host, controller:
            selector.register(host, selectors.EVENT_READ, controller)
            selector.register(controller, selectors.EVENT_READ, host)
            while True:
                for key, _ in selector.select():
                    octets = key.fileobj.recv(65_536)
                    if not octets:
                        return
                    if key.fileobj is host:
                        self.look_at(octets)
                    key.data.sendall(octets)

    def look_at(self, octets):
        """The host writes whole packets, and the first request is not the second half of anything."""
        if self.first_command is None:
            self.first_command = time.perf_counter()
        if self.first_request is None and octets[0] == 0x02 and octets[7:9] == b"\x04\x00":
            self.first_request = time.perf_counter()


def wait_for(condition, seconds=10):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            sys.exit("it did not come up")
        time.sleep(0.005)


class Programs:
    """The program, with a folder for what it keeps."""

    def __init__(self, binary, folder, peak):
        self.binary = binary
        self.folder = folder
        self.peak = peak
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder}
        self.count = 0

    def start(self, place, *words, **options):
        command = [self.binary, "-i", place, *words]
        return subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)

    def serve(self, place, device):
        """Serves a device until the program ends. Returns the process, and what chooses the device."""
        process = self.start(place, "serve", device, "--json", stdout=subprocess.PIPE)
        served = json.loads(process.stdout.readline())
        threading.Thread(target=process.stdout.read, daemon=True).start()
        return process, ["-d", served["address"], "--address-type", "public"]

    def run(self, place, *words):
        """Runs a command to its end: what it printed, seconds on the clock, seconds of CPU, and peak memory in KiB."""
        output = Path(self.folder, "output")
        began = time.perf_counter()
        usage = subprocess.run(
            [self.peak, output, self.binary, "-i", place, *words],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
        seconds = time.perf_counter() - began
        if usage.returncode != 0:
            sys.exit(f"{' '.join(words)} failed")
        memory, cpu = map(int, usage.stdout.split())
        return output.read_bytes(), seconds, cpu / 1e6, memory

    def relayed(self, place, *words):
        """Runs a command through a relay to a controller. Returns the seconds to its first command, and to its first request."""
        self.count += 1
        relay = Relay(os.path.join(self.folder, f"relay{self.count}"), place)
        began = time.perf_counter()
        if self.start(f"unix:{relay.path}", *words, stdout=subprocess.DEVNULL).wait() != 0:
            sys.exit(f"{' '.join(words)} failed")
        return relay.first_command - began, relay.first_request - began

    def version(self):
        began = time.perf_counter()
        subprocess.run([self.binary, "version"], stdout=subprocess.DEVNULL, env=self.environment, check=True)
        return time.perf_counter() - began


def table(binary, folder, peak):
    """Rows: the name, whether it is as good as it should be, and the figures by their units."""
    programs = Programs(binary, folder, peak)
    quick = os.path.join(folder, "quick.json")
    Path(quick).write_text(json.dumps(DEVICE))
    for emulator, rows in ((BtvirtServer, alone), (Rootcanal, parallel)):
        air = emulator(subprocess.DEVNULL)
        running = []

        def serve(device, place=air.place, running=running):
            process, chosen = programs.serve(place, device)
            running.append(process)
            return chosen

        try:
            yield from rows(programs, air.place, serve, quick)
        finally:
            for process in running:
                process.terminate()
                process.wait()
            air.stop()


def alone(programs, place, serve, quick):
    """One command and one device: what there is before the first packets, and what a link carries."""
    device = serve(quick)
    read = ["read", "battery-level", *device]
    version = statistics.median(programs.version() for _ in range(20)) * 1_000
    both = [programs.relayed(place, *read) for _ in range(20)]
    first = statistics.median(command for command, _ in both) * 1_000 - version
    request = statistics.median(request for _, request in both) * 1_000
    yield "to the first HCI command, beyond 'version'", first <= 5, {"ms": first}
    yield "to the first ATT request, a device each 20 ms", request <= 60, {"ms": request}
    count = 5_000

    def row(name, octets, seconds, cpu, memory):
        figures = {"octets_a_second": octets / seconds, "us_of_CPU_each": cpu / count * 1e6, "MiB_at_most": memory / 1024}
        return name, True, figures

    _, seconds, cpu, memory = programs.run(place, "notify", *NOTIFIED, "--count", str(count), *device)
    yield row("notifications of 20 octets", count * 20, seconds, cpu, memory)
    bench = serve("bench")
    for size in (20, 480):
        command = ["bench", "l2cap", "--psm", "0x81", "--one-way", "--count", str(count), "--size", str(size), *bench, "--json"]
        out, _, cpu, memory = programs.run(place, *command)
        record = json.loads(out)
        yield row(f"units of {size} octets over a channel", record["octets"], record["duration_ms"] / 1_000, cpu, memory)


def parallel(programs, place, serve, quick):
    """Three reads at once on each of four devices, through one program that holds the controller."""
    devices = [serve(quick) for _ in range(4)]
    held = os.path.join(programs.folder, "held")
    holder = programs.start(place, "radio", "serve", "--socket", held, stdout=subprocess.DEVNULL)
    try:
        wait_for(lambda: os.path.exists(held))
        began = time.perf_counter()
        words = [("read", "battery-level", *device) for device in devices for _ in range(3)]
        reads = [programs.start(f"unix:{held}", *command, stdout=subprocess.DEVNULL) for command in words]
        done = sum(process.wait() == 0 for process in reads)
        seconds = time.perf_counter() - began
        yield "12 reads at once on 4 devices, one holder", done == 12 and seconds < 2, {"succeed": done, "s": seconds}
    finally:
        holder.terminate()
        holder.wait()
