# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts the ATT requests between a client's command and a served device, for any client.

Both ends are real programs: `blectl serve` at one, the client at the other. A relay of packet sockets between them
counts, so that the result does not depend on the client's own output.
"""

import os
import selectors
import socket
import subprocess
import sys
import threading
import time

REQUESTS = {0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20}
NOTIFICATION, INDICATION = 0x1B, 0x1D


class Relay:
    """Forwards the PDUs of one connection, and records their opcodes."""

    def __init__(self, here, there):
        self.there = there
        self.sent, self.received = [], []
        # The number of requests before the first notification or indication.
        self.before_the_first_value = None
        self.listener = packet_socket()
        self.listener.bind(here)
        self.listener.listen(1)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        client, _ = self.listener.accept()
        server = packet_socket()
        server.connect(self.there)
        with selectors.DefaultSelector() as selector, client, server:
            selector.register(client, selectors.EVENT_READ, (server, self.sent))
            selector.register(server, selectors.EVENT_READ, (client, self.received))
            while True:
                for key, _ in selector.select():
                    other, opcodes = key.data
                    try:
                        pdu = key.fileobj.recv(4096)
                        if not pdu:
                            return
                        if pdu[0] in (NOTIFICATION, INDICATION) and self.before_the_first_value is None:
                            self.before_the_first_value = self.requests
                        opcodes.append(pdu[0])
                        other.send(pdu)
                    except OSError:
                        return

    @property
    def requests(self):
        return sum(1 for opcode in self.sent if opcode in REQUESTS)


def packet_socket():
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)


class Bench:
    """A folder for sockets and for the files that blectl keeps."""

    def __init__(self, binary, folder):
        self.binary = binary
        self.folder = folder
        self.runs = 0

    def count(self, device, client):
        """The relay after a connection of `client`, which is a function of the socket's path."""
        self.runs += 1
        place = os.path.join(self.folder, f"rt{self.runs}")
        os.mkdir(place)
        served, relayed = os.path.join(place, "served"), os.path.join(place, "relayed")
        server = subprocess.Popen(
            [self.binary, "--radio", f"unix:{served}", "serve", device, "--count", "1"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: os.path.exists(served))
            relay = Relay(relayed, served)
            client(relayed)
            relay.thread.join(10)
            server.wait(10)
        finally:
            server.kill()
            server.wait()
        return relay

    def blectl(self, *command, address=None, cache="no-cache"):
        """A client: blectl with its own cache, which is empty at first."""
        environment = {**os.environ, "XDG_CACHE_HOME": os.path.join(self.folder, cache)}
        # A socket has no address. With an address given, the device is remembered like one on the air.
        device = ["-d", address, "--address-type", "random"] if address else []

        def visit(path):
            command_line = [self.binary, "--radio", f"unix:{path}", *command, *device]
            done = subprocess.run(command_line, env=environment, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{' '.join(command_line)} ended with status {done.returncode}:\n{done.stderr}")

        return visit


def btgatt_client(program):
    """A client: BlueZ's, which discovers everything when it is connected."""

    def visit(path):
        environment = {**os.environ, "ATT_SOCKET": path}
        command = [program, "--mtu", "517", "--dest", "00:00:00:00:00:00"]
        with subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as client:
            said = b""
            while b"discovery procedures complete" not in said:
                data = os.read(client.stdout.fileno(), 65536)
                if not data:
                    sys.exit(f"{program} ended:\n{said.decode()}")
                said += data
            # It continues with the server's features and Service Changed, and then waits for a command.
            read_until_silence(client.stdout.fileno(), 0.3)
            client.stdin.close()
            client.stdout.read()

    return visit


def read_until_silence(descriptor, seconds):
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while selector.select(seconds) and os.read(descriptor, 65536):
            pass


def wait_for(condition, seconds=10):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            sys.exit("the server did not come up")
        time.sleep(0.005)


def table(binary, folder, bluez):
    """The rows of the table: the command, its limit of requests (`None`: none), and the counted requests."""
    bench = Bench(binary, folder)
    watch, note = "E7:5A:90:41:D6:2B", "b1ec0102-5ec7-4c3a-9d0e-51a1b1ec0001"
    fresh = ["--no-cache"]

    def requests(device, *command, **options):
        return bench.count(device, bench.blectl(*command, **options)).requests

    def until_a_value(device, *command, **options):
        return bench.count(device, bench.blectl(*command, **options)).before_the_first_value

    notify = ["notify", "heart-rate/heart-rate-measurement", "--count", "1"]
    yield "read by UUID", 1, requests("sports-watch", "read", "battery-level", *fresh)
    yield "read in a named service", 2, requests("sports-watch", "read", "link-loss/alert-level", *fresh)
    yield "read by handle", 1, requests("sports-watch", "read", "handle:0x0003", *fresh)
    # The last of these looks for another attribute of the UUID, because the first one must not be written by chance.
    yield "write by UUID", 5, requests("workbench", "write", note, "0x01", *fresh)
    yield "write by handle", 1, requests("workbench", "write", "handle:0x0014", "0x01", *fresh)
    # The service, the MTU, its characteristics, the descriptors, the configuration.
    yield "notify to its first value, no cache", 5, until_a_value("sports-watch", *notify, *fresh, address=watch)
    # The Database Hash in addition.
    yield "notify to its first value, cold cache", 6, until_a_value(
        "sports-watch", *notify, address=watch, cache="notify")
    # The hash and the configuration.
    yield "notify to its first value, warm cache", 2, until_a_value(
        "sports-watch", *notify, address=watch, cache="notify")
    yield "discovery of 12 services, no cache", 10, requests("sports-watch", "inspect", *fresh, address=watch)
    yield "discovery of 12 services, cold cache", 11, requests(
        "sports-watch", "inspect", address=watch, cache="inspect")
    yield "discovery of 12 services, warm cache", 1, requests(
        "sports-watch", "inspect", address=watch, cache="inspect")
    # The kernel lab builds it.
    if bluez:
        yield "  the same by BlueZ's btgatt-client", None, bench.count("sports-watch", btgatt_client(bluez)).requests
