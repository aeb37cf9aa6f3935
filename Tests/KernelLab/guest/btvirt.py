# SPDX-License-Identifier: GPL-2.0-or-later
"""BlueZ's own emulated controllers, two or more of them on one air."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from .checks import within
from .management import set_low_energy
from .stack import Adapter, command


class BtvirtServer:
    """The emulator at a stream socket, without the kernel: each connection gets another Low Energy controller on one air."""

    def __init__(self, log):
        self.log = log
        directory = tempfile.mkdtemp(prefix="btvirt-")
        shim = Path(shutil.which("btgatt-client")).with_name("btvirt.so")
        self.path = Path(directory, "bt-server-le")
        self.process = subprocess.Popen(
            ["btvirt", "-L", "-s"],
            env={**os.environ, "LD_PRELOAD": str(shim), "TMPDIR": directory},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        within(5, "btvirt listens", self.path.exists)

    @property
    def place(self) -> str:
        """The value of -i."""
        return f"unix:{self.path}"

    @property
    def transport(self) -> str:
        """The same for Bumble."""
        return f"unix-client:{self.path}"

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.path.parent)


class Btvirt:
    """Its adapters. With `place`, hci0 is that of the program's own host, which names it so."""

    lender = None

    def __init__(self, log, is_dual_mode: bool = False, count: int = 2, place: str | None = None):
        self.log = log
        self.place = place
        self.count = count
        self.is_dual_mode = is_dual_mode
        kind = [] if is_dual_mode else ["-L"]  # Low Energy only
        self.process = subprocess.Popen(["btvirt", *kind, f"-l{count}"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.adapters = [Adapter(f"hci{index}") for index in range(count)]
        for adapter in self.adapters:
            adapter.up()
        if is_dual_mode:
            set_low_energy(True, 1)  # for those who connect to hci0

    def address(self, index: int) -> str:
        """The public address of hci`index`."""
        return self.adapters[index].address()

    def advertise(self, index: int, data: bytes, kind: int = 3) -> None:
        """Makes hci`index` advertise `data`. Kind 0 accepts connections, 3 does not. Spec: Core 5.4, Vol 4, Part E,
        7.8.5"""
        parameters = bytes.fromhex("a0 00 a0 00") + bytes([kind]) + bytes(8) + b"\x07\x00"
        self.command(index, 0x0006, parameters)
        self.command(index, 0x0008, bytes([len(data)]) + data.ljust(31, b"\0"))
        # An earlier case may have left a scan response with another name.
        self.command(index, 0x0009, bytes(32))
        self.command(index, 0x000A, b"\x01")

    def command(self, index: int, code: int, parameters: bytes) -> None:
        octets = [f"0x{octet:02x}" for octet in parameters]
        command("hcitool", "-i", f"hci{index}", "cmd", "0x08", f"0x{code:04x}", *octets)

    def end_links(self) -> None:
        """Ends all links. Otherwise the kernel keeps a link for seconds after its last socket is closed, and the next
        program to connect gets that link, although its server may be gone."""
        for adapter in self.adapters:
            adapter.hang_up()
        within(5, "no adapter has a link", lambda: not any(adapter.links() for adapter in self.adapters))

    def unplug(self) -> None:
        """Removes all adapters at once."""
        self.process.kill()
        self.process.wait()
        within(5, "the adapters are gone", lambda: not any(adapter.exists() for adapter in self.adapters))

    def plug_in(self) -> None:
        self.__init__(self.log, self.is_dual_mode, self.count, self.place)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.unplug()
