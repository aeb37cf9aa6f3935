# SPDX-License-Identifier: GPL-2.0-or-later
"""Home Assistant's ATT client, on a packet socket or on the kernel's L2CAP: see `session.py` for what it is told.

    python3 -m peers.att_client unix:PATH
    python3 -m peers.att_client l2cap:ADAPTER_ADDRESS PEER_ADDRESS
"""

import asyncio
import socket
import sys

from habluetooth.channels.att import ATTClient, ATTError
from habluetooth.channels.l2cap import L2CAPSocket
from habluetooth.const import BDADDR_LE_PUBLIC

from .session import Refused, serve


class Session:
    """The verbs of a case."""

    def __init__(self, client: ATTClient):
        self.client = client
        self.values: dict[int, asyncio.Queue] = {}

    async def do_mtu(self, mtu: int) -> int:
        return await self.client.exchange_mtu(mtu)

    async def do_tree(self) -> dict[str, list]:
        services = await self.client.discover()
        characteristics = [each for service in services for each in service.characteristics]
        return {
            "primary": [[service.handle, service.end_handle, service.uuid.lower()] for service in services],
            "characteristics": [[each.value_handle, each.properties, each.uuid.lower()] for each in characteristics],
            "descriptors": [[each.handle, each.uuid.lower()] for one in characteristics for each in one.descriptors],
        }

    async def do_read(self, handle: int) -> str:
        return (await attempt(self.client.read(handle))).hex()

    async def do_read_by_uuid(self, uuid: str) -> list[str]:
        raw = bytes.fromhex(uuid.replace("-", ""))[::-1]
        return [value.hex() for _, value in await attempt(self.client.read_by_type(1, 0xFFFF, raw))]

    async def do_write(self, handle: int, value: str) -> None:
        await attempt(self.client.write(handle, bytes.fromhex(value)))

    async def do_write_command(self, handle: int, value: str) -> None:
        await self.client.write_command(handle, bytes.fromhex(value))

    async def do_subscribe(self, handle: int, configuration: int, indicate: bool) -> None:
        heard = self.values[handle] = asyncio.Queue()
        self.client.set_notify_handler(handle, lambda value: heard.put_nowait(bytes(value)))
        await attempt(self.client.write(configuration, b"\x02\x00" if indicate else b"\x01\x00"))

    async def do_heard(self, handle: int) -> str:
        return (await asyncio.wait_for(self.values[handle].get(), 8)).hex()

    async def do_unsubscribe(self, handle: int, configuration: int) -> None:
        await attempt(self.client.write(configuration, b"\x00\x00"))
        self.client.remove_notify_handler(handle)


async def attempt(operation):
    try:
        return await operation
    except ATTError as error:
        raise Refused(error.error_code) from error


async def main(transport: str, address: str | None) -> None:
    kind, _, place = transport.partition(":")
    channel: L2CAPSocket

    async def send(pdu: bytes) -> None:
        await channel.send(pdu)

    client = ATTClient(send)
    if kind == "unix":
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        connection.connect(place)
        connection.setblocking(False)
        channel = L2CAPSocket(
            connection, asyncio.get_running_loop(), client.data_received, client.connection_lost
        )
    else:
        channel = await L2CAPSocket.create_connection(
            source=place,
            address=address,
            address_type=BDADDR_LE_PUBLIC,
            on_data=client.data_received,
            on_close=client.connection_lost,
            timeout=10,
        )
    await serve(Session(client))
    channel.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None))
