# SPDX-License-Identifier: GPL-2.0-or-later
"""The controller at the end of a line: a stream socket or serial port with H4, at which a program is the host itself."""

import asyncio
import os
import pty
import tty
from pathlib import Path

# The length of what is before the parameters, and where the length of those is. Spec: Core 5.4, Vol 4, Part E, 5.4
HEADERS = {0x01: (4, 3, 1), 0x02: (5, 3, 2), 0x05: (5, 3, 2)}


class Line:
    """Source and sink of HCI packets for Bumble's controller, for one host at a time.

    Each host finds the controller as it is: resetting it is the host's duty. When one leaves, its links are lost."""

    def __init__(self, path: Path):
        self.path = path
        self.sink = None
        self.writer: asyncio.StreamWriter | None = None
        self.left = lambda: None  # what happens when the host has gone

    async def start(self) -> None:
        self.server = await asyncio.start_unix_server(self.serve, str(self.path))

    def set_packet_sink(self, sink) -> None:
        self.sink = sink

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.writer is not None:
            writer.close()
            return
        self.writer = writer
        try:
            while True:
                indicator = await reader.readexactly(1)
                header, place, size = HEADERS[indicator[0]]
                packet = indicator + await reader.readexactly(header - 1)
                length = int.from_bytes(packet[place : place + size], "little")
                self.sink.on_packet(packet + await reader.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.writer = None
            writer.close()
            self.left()

    def on_packet(self, packet: bytes) -> None:
        if self.writer is not None:
            self.writer.write(packet)

    def send(self, octets: bytes) -> None:
        """Sends octets that may be no packet."""
        self.writer.write(octets)

    def cut(self) -> None:
        """Closes the host's connection, as a cable that is pulled out does."""
        self.writer.transport.abort()


class Port(Line):
    """The same at a port of TCP, whose number is in the file `path`."""

    async def start(self) -> None:
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.path.write_text(str(self.server.sockets[0].getsockname()[1]))


class SerialPort(Line):
    """The same at a pseudoterminal, to which `path` leads. Like a serial port, it does not tell when a host leaves."""

    async def start(self) -> None:
        controller, self.terminal = pty.openpty()
        tty.setraw(self.terminal)
        self.path.symlink_to(os.ttyname(self.terminal))
        loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        await loop.connect_read_pipe(lambda: protocol, os.fdopen(controller, "rb", 0))
        out, _ = await loop.connect_write_pipe(asyncio.Protocol, os.fdopen(os.dup(controller), "wb", 0))
        self.server = loop.create_task(self.serve(reader, asyncio.StreamWriter(out, protocol, reader, loop)))


LINES = {"line": Line, "port": Port, "serial": SerialPort}
