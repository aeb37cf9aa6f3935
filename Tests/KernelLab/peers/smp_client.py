# SPDX-License-Identifier: GPL-2.0-or-later
"""PyPI's smpclient updates a board on a packet socket, and prints what it has seen as JSON.

    python3 -m peers.smp_client PATH IMAGE
"""

import asyncio
import json
import socket
import sys
from pathlib import Path

from bleak.exc import BleakError
from habluetooth.channels.att import ATTClient
from habluetooth.channels.l2cap import L2CAPSocket
from smp import header
from smpclient import SMPClient
from smpclient.generics import success
from smpclient.requests.image_management import ImageStatesRead, ImageStatesWrite
from smpclient.requests.os_management import ResetWrite

DATA = "da2e7828-fbce-4e01-ae9e-261174997c48"


class Transport:
    """smpclient's way to a server, by Home Assistant's ATT client."""

    _smp_server_transport_buffer_size: int | None = None

    def __init__(self):
        self.requests = 0
        self.buffer = b""
        self.frames: asyncio.Queue[bytes] = asyncio.Queue()

    async def connect(self, address: str, timeout_s: float) -> None:
        async def send(pdu: bytes) -> None:
            await self.channel.send(pdu)

        self.client = ATTClient(send)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        connection.connect(address)
        connection.setblocking(False)
        loop = asyncio.get_running_loop()
        self.channel = L2CAPSocket(connection, loop, self.client.data_received, self.client.connection_lost)
        self.packet = await self.client.exchange_mtu(498) - 3
        for service in await self.client.discover():
            for each in service.characteristics:
                if each.uuid.lower() == DATA:
                    self.handle = each.value_handle
                    self.client.set_notify_handler(self.handle, self.heard)
                    await self.client.write(each.descriptors[0].handle, b"\x01\x00")

    async def disconnect(self) -> None:
        self.channel.close()

    def heard(self, value: bytes) -> None:
        self.buffer += bytes(value)
        size = header.Header.SIZE
        while len(self.buffer) >= size and len(self.buffer) >= (end := size + int.from_bytes(self.buffer[2:4], "big")):
            self.frames.put_nowait(self.buffer[:end])
            self.buffer = self.buffer[end:]

    async def send(self, data: bytes) -> None:
        self.requests += 1
        for start in range(0, len(data), self.packet):
            await self.client.write_command(self.handle, data[start : start + self.packet])

    async def receive(self) -> bytes:
        return await asyncio.wait_for(self.frames.get(), 20)

    async def send_and_receive(self, data: bytes) -> bytes:
        await self.send(data)
        return await self.receive()

    def initialize(self, smp_server_transport_buffer_size: int) -> None:
        self._smp_server_transport_buffer_size = smp_server_transport_buffer_size

    @property
    def mtu(self) -> int:
        return self.packet

    @property
    def max_unencoded_size(self) -> int:
        return self._smp_server_transport_buffer_size or self.mtu


async def images(client: SMPClient) -> list:
    answer = await client.request(ImageStatesRead())
    assert success(answer), answer
    return answer.images


async def main(path: str, image: bytes) -> None:
    transport = Transport()
    async with SMPClient(transport, path) as client:
        before = transport.requests
        async for _ in client.upload(image):
            pass
        requests = transport.requests - before
        new = (await images(client))[1]
        assert success(await client.request(ImageStatesWrite(hash=new.hash)))
        assert success(await client.request(ResetWrite()))
    for _ in range(100):
        await asyncio.sleep(0.1)
        try:
            async with SMPClient(Transport(), path) as client:
                running = (await images(client))[0]
                assert success(await client.request(ImageStatesWrite(confirm=True)))
                confirmed = (await images(client))[0].confirmed
                break
        except (OSError, BleakError):  # It has not started anew yet, or is away.
            continue
    else:
        raise TimeoutError("the board is not back")
    print(json.dumps({"requests": requests, "version": running.version, "confirmed": confirmed}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]).read_bytes()))
