# SPDX-License-Identifier: GPL-2.0-or-later
"""Android's emulated controllers: each connection gets another one on one air."""

import importlib.util
import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

from .checks import within


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [listener.getsockname()[1] for listener in sockets]
    for listener in sockets:
        listener.close()
    return ports


def accepts(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


class Rootcanal:
    def __init__(self, log):
        self.log = log
        package = Path(importlib.util.find_spec("rootcanal").origin).parent / "bin" / "linux-x86_64"
        # The package does not say that it can be executed.
        folder = Path(tempfile.mkdtemp(prefix="rootcanal-"))
        program = shutil.copy(package / "rootcanal", folder)
        os.chmod(program, 0o755)
        hci, *others = free_ports(4)
        ports = ["-hci_port", str(hci)]
        for option, port in zip(("-link_port", "-link_ble_port", "-test_port"), others):
            ports += [option, str(port)]
        self.process = subprocess.Popen(
            [program, *ports],
            cwd=folder,
            env={**os.environ, "LD_LIBRARY_PATH": str(package)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        self.place = f"tcp:127.0.0.1:{hci}"
        self.transport = f"tcp-client:127.0.0.1:{hci}"
        within(5, "rootcanal listens", lambda: accepts(hci))

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
