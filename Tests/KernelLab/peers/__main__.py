# SPDX-License-Identifier: GPL-2.0-or-later
"""Puts the peers on the air behind /dev/vhci or at the end of a line, on that of an emulator, or on sockets beside its own,
and performs the commands of the cases.

    python3 -m peers SOCKET extended|dual|bumble|line|port|serial|sockets
    python3 -m peers SOCKET emulator TRANSPORT

A JSON object per line each way: {"peer": NAME|null, "do": VERB, …} is answered by {"result": …} or {"error": …}.
"""

import asyncio
import json
import logging
import sys
from pathlib import Path

from bumble.hci import Address

from .air import Air, KernelController
from .board import Board
from .boot_loaders import LegacyLoader, SecureLoader
from .driver import Driver
from .dual_mode import DualModeController
from .emulator import EmulatedWorld, Emulator
from .line import LINES, Line
from .sockets import Sockets
from .world import everybody

ADAPTER = Address("00:AA:01:00:00:00", Address.PUBLIC_DEVICE_ADDRESS)


class World:
    def __init__(self, air: Air, controller: KernelController, driver: Driver | Line):
        self.air = air
        self.controller = controller
        self.driver = driver
        self.peers = {peer.name: peer for peer in everybody(air)}

    async def start(self) -> None:
        for peer in self.peers.values():
            await peer.start()

    async def do_describe(self) -> dict:
        return {name: await peer.do_describe() for name, peer in self.peers.items()}

    async def do_reset(self) -> None:
        self.controller.failures.clear()
        self.controller.connection_attempts = 0
        for peer in self.peers.values():
            await peer.do_reset()

    async def do_controller(self) -> dict:
        return {
            "scanning": self.controller.le_scan_enable,
            "random_address": self.controller.random_address.to_string(False),
            "active": self.controller.scan.active,
            "phys": self.controller.scan.phys,
            "parameters": self.controller.parameters(),
            "links": [str(address) for address in self.controller.le_connections],
            "connecting": self.controller.pending_le_connection is not None,
            "connection_attempts": self.controller.connection_attempts,
        }

    async def do_fail_connections(self, failures: list) -> None:
        """Makes the next connections fail: ["refused", STATUS] by the controller, ["lost", REASON] before the first
        packet."""
        self.controller.failures = [tuple(failure) for failure in failures]

    async def do_pull_out(self) -> None:
        """Removes the kernel's adapter at once."""
        self.driver.pull_out()
        self.controller.fall_silent()

    async def do_plug_in(self, index: int, address: str | None) -> None:
        """Adds the adapter under that index; with an address, a different adapter."""
        self.controller.public_address = Address(address, Address.PUBLIC_DEVICE_ADDRESS) if address else ADAPTER
        self.driver.plug_in(index)

    async def do_cut(self) -> None:
        """Ends the line to the program."""
        self.driver.cut()

    async def do_babble(self, octets: str) -> None:
        """Sends the program these octets, in hexadecimal."""
        self.driver.send(bytes.fromhex(octets))

    async def do_pour(self, count: int) -> None:
        """Sends reports of that number of advertisers, faster than any controller does."""
        self.driver.pour(count)

    async def do_crowd(self) -> dict:
        """The progress of the crowd."""
        return self.driver.crowd

    async def do_only(self, names: list) -> None:
        for name, peer in self.peers.items():
            await (peer.do_unmute() if name in names else peer.do_mute())


async def serve(world: World | EmulatedWorld | Sockets, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while line := await reader.readline():
        try:
            request = json.loads(line)
            peer = request.pop("peer", None)
            target = world if peer is None else world.peers[peer]
            answer = {"result": await getattr(target, "do_" + request.pop("do"))(**request)}
        except Exception as error:
            logging.exception("a request failed: %r", line)
            answer = {"error": repr(error)}
        writer.write(json.dumps(answer).encode() + b"\n")


async def main(path: str, kind: str, transport: str = "") -> None:
    if kind == "emulator":
        await answer_until_the_end(path, EmulatedWorld(Emulator(transport)))
        return
    air = Air()
    if kind == "sockets":
        updatable = [
            Board(air, "board", "C9:00:00:00:00:B0"),
            LegacyLoader(air, "legacy loader", "C9:00:00:00:00:B1"),
            SecureLoader(air, "secure loader", "C9:00:00:00:00:B2"),
        ]
        await answer_until_the_end(path, Sockets(air, [*everybody(air), *updatable], Path(path).parent))
        return
    driver = LINES[kind](Path(path).parent / "line") if kind in LINES else Driver()
    make = DualModeController if kind == "dual" else KernelController
    air.kernel = make(
        "kernel",
        extended=kind != "bumble",
        host_source=driver,
        host_sink=driver,
        link=air,
        public_address=ADAPTER,
    )
    if isinstance(driver, Line):
        driver.left = air.kernel.fall_silent
        await driver.start()
    await answer_until_the_end(path, World(air, air.kernel, driver))


async def answer_until_the_end(path: str, world: World | EmulatedWorld | Sockets) -> None:
    await world.start()
    ended = asyncio.get_running_loop().create_future()

    async def client(reader, writer):
        await serve(world, reader, writer)
        ended.set_result(None)

    async with await asyncio.start_unix_server(client, path):
        print("ready", flush=True)
        await ended


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s")
    asyncio.run(main(*sys.argv[1:]))
