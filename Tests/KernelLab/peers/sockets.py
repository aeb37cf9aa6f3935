# SPDX-License-Identifier: GPL-2.0-or-later
"""The peers without a radio. Each peripheral's GATT server listens on a packet socket, with one ATT PDU in each packet.
"""

import asyncio
import socket
from pathlib import Path

from .air import Air
from .bearer import SocketBearer
from .peripheral import Peripheral


class Nobody:
    """Replaces the kernel's controller; receives no advertisement."""

    def hear(self, _advertisement) -> None:
        pass


class Listener:
    """Accepts the connections of one peripheral."""

    def __init__(self, peer: Peripheral, path: Path):
        self.peer = peer
        self.number = 0
        self.bearers: dict[int, SocketBearer] = {}
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.bind(str(path))
        self.socket.listen(8)
        self.socket.setblocking(False)
        peer.path = str(path)
        peer.device.send_l2cap_pdu = self.send
        asyncio.get_running_loop().add_reader(self.socket, self.accept)

    def accept(self) -> None:
        connection, _ = self.socket.accept()
        self.number += 1
        bearer = SocketBearer(connection, self.number, self.peer.device)
        self.bearers[bearer.handle] = bearer
        self.peer.others.add(bearer)
        server = self.peer.device.gatt_server
        bearer.receive = lambda pdu: server.on_gatt_pdu(bearer, pdu)
        bearer.on(bearer.EVENT_DISCONNECTION, lambda _reason: self.ended(bearer))
        self.peer.note("connected", peer=None)

    def ended(self, bearer: SocketBearer) -> None:
        del self.bearers[bearer.handle]
        self.peer.others.discard(bearer)
        self.peer.device.gatt_server.on_disconnection(bearer)
        self.peer.note("disconnected", reason=0)

    def send(self, handle: int, channel: int, pdu: bytes) -> None:
        if bearer := self.bearers.get(handle):
            bearer.send_l2cap_pdu(channel, pdu)


class Sockets:
    """The counterpart of `World`: all peers with a GATT server, on sockets in one folder."""

    def __init__(self, air: Air, everybody: list, directory: Path):
        air.kernel = Nobody()
        self.directory = directory
        self.peers = {peer.name: peer for peer in everybody if isinstance(peer, Peripheral)}

    async def start(self) -> None:
        for number, peer in enumerate(self.peers.values()):
            Listener(peer, self.directory / f"att-{number}")
            await peer.start()
            await peer.do_mute()

    async def do_describe(self) -> dict:
        return {name: await peer.do_describe() for name, peer in self.peers.items()}

    async def do_reset(self) -> None:
        for peer in self.peers.values():
            await peer.do_reset()

    async def do_controller(self) -> dict:
        """Without a controller nothing scans, and the links are the open sockets."""
        links = [str(bearer.handle) for peer in self.peers.values() for bearer in peer.others]
        return {"scanning": False, "links": links, "connecting": False}
