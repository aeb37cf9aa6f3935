# SPDX-License-Identifier: GPL-2.0-or-later
"""Home Assistant's ATT client on a packet socket: `python3 -m peers.att_client PATH`.

The wish on standard input and what is found on standard output are those of `peers.central`.
"""

import asyncio
import json
import socket
import sys

from habluetooth.channels.att import ATTClient, ATTError

READ, NOTIFY = 0x02, 0x10
CONFIGURATION = "00002902-0000-1000-8000-00805f9b34fb"


async def survey(client: ATTClient, wish: dict) -> dict:
    found = {"services": [], "values": {}, "errors": {}, "notified": []}
    if mtu := wish.get("mtu"):
        found["mtu"] = await client.exchange_mtu(mtu)
    characteristics = {}
    for service in await client.discover():
        described = [[each.value_handle, each.uuid.lower()] for each in service.characteristics]
        found["services"].append(
            {"uuid": service.uuid, "handle": service.handle, "end": service.end_handle, "characteristics": described}
        )
        characteristics |= {each.uuid.lower(): each for each in service.characteristics}
    for uuid, characteristic in characteristics.items():
        if characteristic.properties & READ and uuid not in wish.get("skip", []):
            await into(found, uuid, client.read(characteristic.value_handle))
    found["first"] = dict(found["values"])
    for uuid, value in wish.get("write", {}).items():
        await client.write(characteristics[uuid].value_handle, bytes.fromhex(value))
        await into(found, uuid, client.read(characteristics[uuid].value_handle))
    if uuid := wish.get("listen"):
        characteristic = characteristics[uuid]
        enough = asyncio.get_running_loop().create_future()

        def heard(value: bytes) -> None:
            found["notified"].append(bytes(value).hex())
            if len(found["notified"]) == wish.get("values", 1):
                enough.set_result(None)

        client.set_notify_handler(characteristic.value_handle, heard)
        [switch] = [each.handle for each in characteristic.descriptors if each.uuid.lower() == CONFIGURATION]
        await client.write(switch, b"\x01\x00" if characteristic.properties & NOTIFY else b"\x02\x00")
        await asyncio.wait_for(enough, 15)
        await client.write(switch, b"\x00\x00")
    return found


async def into(found: dict, uuid: str, reading) -> None:
    try:
        found["values"][uuid] = bytes(await reading).hex()
    except ATTError as error:
        found["errors"][uuid] = error.error_code


async def main(path: str) -> None:
    wish = json.loads(sys.stdin.read() or "{}")
    loop = asyncio.get_running_loop()
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect(path)
    connection.setblocking(False)

    async def send(pdu: bytes) -> None:
        await loop.sock_sendall(connection, pdu)

    client = ATTClient(send)

    def readable() -> None:
        if pdu := connection.recv(4096):
            client.data_received(pdu)
        else:
            loop.remove_reader(connection)
            client.connection_lost(None)

    loop.add_reader(connection, readable)
    print(json.dumps(await survey(client, wish)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
