# SPDX-License-Identifier: GPL-2.0-or-later
"""Bumble as a central that looks at a GATT server: a peer on the air, or `python3 -m peers.central TRANSPORT [ADDRESS]`.

TRANSPORT is `unix:PATH`, a packet socket that carries ATT, or what Bumble calls one (`hci-socket:1`), with the address of
the server. What is to be written and listened to comes as a JSON object on standard input, and what was found goes as one
to standard output.
"""

import asyncio
import json
import socket
import sys

from bumble.att import ATT_PDU, ATT_Error
from bumble.controller import Controller
from bumble.core import UUID, ProtocolError
from bumble.device import Device
from bumble.gatt import Characteristic
from bumble.gatt_client import Client
from bumble.hci import Address, HCI_Error
from bumble.host import Host
from bumble.transport import open_transport
from bumble.transport.common import AsyncPipeSink
from pyee.asyncio import AsyncIOEventEmitter

from .air import Air
from .peripheral import Peer

NAME, ADDRESS = "Central", "C3:00:00:00:00:77"
READ, NOTIFY = Characteristic.Properties.READ, Characteristic.Properties.NOTIFY


class Central(Peer):
    """A host that connects to the kernel's adapter: what it asks for goes over the air."""

    def __init__(self, air: Air, name: str, address: str):
        super().__init__(air, name, address)
        controller = Controller(name, link=air)
        controller.hears_the_kernel = True
        self.device = Device(name=name, address=self.address, host=Host(controller, AsyncPipeSink(controller)))
        self.connection = None

    async def start(self) -> None:
        await self.device.power_on()

    async def do_connect(self, address: str) -> None:
        self.connection = await self.device.connect(Address(address, Address.PUBLIC_DEVICE_ADDRESS), timeout=8)
        self.connection.on("disconnection", self.disconnected)

    def disconnected(self, reason: int) -> None:
        self.connection = None
        self.note("disconnected", reason=int(reason))

    async def do_survey(self, wish: dict) -> dict:
        return await survey(self.connection.gatt_client, wish)

    async def do_hang_up(self) -> None:
        connection, self.connection = self.connection, None
        try:
            if connection is not None:
                await connection.disconnect()
        except HCI_Error:
            pass  # the other side was faster

    async def do_reset(self) -> None:
        await self.do_hang_up()
        await super().do_reset()

    async def do_mute(self) -> None:
        """It does not advertise in any case."""

    async def do_unmute(self) -> None:
        """Nor does it begin to."""


class SocketBearer(AsyncIOEventEmitter):
    """A packet socket in the place of a connection: what Bumble's client asks of one."""

    EVENT_DISCONNECTION = "disconnection"
    handle = 0
    att_mtu = 23

    def __init__(self, path: str):
        super().__init__()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.connect(path)
        self.socket.setblocking(False)
        self.client = Client(self)
        asyncio.get_running_loop().add_reader(self.socket, self.readable)

    def send_l2cap_pdu(self, _channel: int, pdu: bytes) -> None:
        self.socket.send(pdu)

    def on_att_mtu_update(self, mtu: int) -> None:
        self.att_mtu = mtu

    def readable(self) -> None:
        pdu = self.socket.recv(4096)
        if pdu:
            self.client.on_gatt_pdu(ATT_PDU.from_bytes(pdu))
        else:
            asyncio.get_running_loop().remove_reader(self.socket)


async def survey(client: Client, wish: dict) -> dict:
    """All that the server has; then what the wish says: {"mtu": N, "write": {UUID: HEX}, "listen": UUID, "values": N,
    "skip": [UUID]}; what is skipped is not read."""
    found = {"services": [], "values": {}, "errors": {}, "notified": []}
    if mtu := wish.get("mtu"):
        found["mtu"] = await client.request_mtu(mtu)
    characteristics = {}
    for service in await client.discover_services():
        described = {"uuid": full(service.uuid), "handle": service.handle, "end": service.end_group_handle}
        described["characteristics"] = []
        for characteristic in await client.discover_characteristics([], service):
            await client.discover_descriptors(characteristic)
            described["characteristics"].append([characteristic.handle, full(characteristic.uuid)])
            characteristics[full(characteristic.uuid)] = characteristic
        found["services"].append(described)
    for uuid, characteristic in characteristics.items():
        if characteristic.properties & READ and uuid not in wish.get("skip", []):
            await into(found, uuid, client.read_value(characteristic))
    found["first"] = dict(found["values"])
    for uuid, value in wish.get("write", {}).items():
        await client.write_value(characteristics[uuid], bytes.fromhex(value), with_response=True)
        await into(found, uuid, client.read_value(characteristics[uuid]))
    if uuid := wish.get("listen"):
        enough = asyncio.get_running_loop().create_future()

        def heard(value: bytes) -> None:
            found["notified"].append(bytes(value).hex())
            if len(found["notified"]) == wish.get("values", 1):
                enough.set_result(None)

        prefers_notify = bool(characteristics[uuid].properties & NOTIFY) and not wish.get("indicate")
        await client.subscribe(characteristics[uuid], heard, prefers_notify)
        await asyncio.wait_for(enough, 15)
        await client.unsubscribe(characteristics[uuid], heard)
    return found


async def into(found: dict, uuid: str, reading) -> None:
    try:
        found["values"][uuid] = bytes(await reading).hex()
    except (ATT_Error, ProtocolError) as error:
        found["errors"][uuid] = error.error_code


def full(uuid: UUID) -> str:
    """128 bits, lower case, with dashes."""
    text = uuid.to_hex_str() if len(uuid.uuid_bytes) == 16 else f"{uuid.to_hex_str():0>8}00001000800000805f9b34fb"
    text = text.replace("-", "").lower()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


async def main(transport: str, address: str | None) -> None:
    wish = json.loads(sys.stdin.read() or "{}")
    if transport.startswith("unix:"):
        print(json.dumps(await survey(SocketBearer(transport[5:]).client, wish)))
        return
    async with await open_transport(transport) as (source, sink):
        device = Device.with_hci(NAME, Address(ADDRESS), source, sink)
        await device.power_on()
        connection = await device.connect(Address(address, Address.PUBLIC_DEVICE_ADDRESS), timeout=10)
        found = await survey(connection.gatt_client, wish)
        await connection.disconnect()
        print(json.dumps(found))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None))
