# SPDX-License-Identifier: GPL-2.0-or-later
"""A packet socket in the place of a connection: the part of its interface that Bumble's client and server use."""

import asyncio
import socket

from bumble.att import ATT_PDU
from pyee.asyncio import AsyncIOEventEmitter


class SocketBearer(AsyncIOEventEmitter):
    EVENT_DISCONNECTION = "disconnection"
    att_mtu = 23

    def __init__(self, connection: socket.socket, handle: int = 0, device=None):
        super().__init__()
        self.device = device
        self.socket = connection
        self.socket.setblocking(False)
        self.handle = handle
        self.receive = lambda _pdu: None
        asyncio.get_running_loop().add_reader(self.socket, self.readable)

    @classmethod
    def to(cls, path: str) -> "SocketBearer":
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        connection.connect(path)
        return cls(connection)

    def send_l2cap_pdu(self, _channel: int, pdu: bytes) -> None:
        try:
            self.socket.send(pdu)
        except OSError:
            pass  # the other side is gone; `readable` will notice

    def on_att_mtu_update(self, mtu: int) -> None:
        self.att_mtu = mtu

    def readable(self) -> None:
        try:
            pdu = self.socket.recv(4096)
        except OSError:
            pdu = b""
        if pdu:
            self.receive(ATT_PDU.from_bytes(pdu))
        else:
            self.close()

    async def disconnect(self) -> None:
        self.close()

    def close(self) -> None:
        if self.socket.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self.socket)
            self.socket.close()
            self.emit(self.EVENT_DISCONNECTION, 0)
