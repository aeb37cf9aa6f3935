# SPDX-License-Identifier: GPL-2.0-or-later
"""Another machine, as far as `ssh` can tell: AsyncSSH on the loopback, which runs commands as sshd does.

    python3 -m guest.far FOLDER PATH
"""

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HOST = "far"


class Far:
    """The machine. `path` is a PATH on which `ssh` knows it, and finds nothing else."""

    def __init__(self, program: str, errors):
        self.folder = Path(tempfile.mkdtemp(prefix="far-"))
        there = self.folder / "there"
        there.mkdir()
        (there / "blectl").symlink_to(program)
        words = [sys.executable, "-m", "guest.far", str(self.folder), f"{there}:{os.environ['PATH']}"]
        self.server = subprocess.Popen(words, cwd=Path(__file__).parent.parent, stdout=subprocess.PIPE, stderr=errors)
        port = int(self.server.stdout.readline())
        known = self.folder / "known"
        known.write_text(f"[127.0.0.1]:{port} {(self.folder / 'host.pub').read_text()}")
        config = self.folder / "config"
        config.write_text(
            f"Host {HOST}\n  HostName 127.0.0.1\n  Port {port}\n  User rig\n  IdentityFile {self.folder}/user\n"
            f"  IdentitiesOnly yes\n  UserKnownHostsFile {known}\n  StrictHostKeyChecking yes\n"
        )
        here = self.folder / "here"
        here.mkdir()
        (here / "ssh").write_text(f'#!/bin/sh\necho $$ > {self.folder}/client\nexec /usr/bin/ssh -F {config} "$@"\n')
        (here / "ssh").chmod(0o755)
        self.path = f"{here}:{os.environ['PATH']}"

    def kill_client(self, number: int) -> None:
        """Sends a signal to the last `ssh` that was started."""
        os.kill(int((self.folder / "client").read_text()), number)

    def stop(self) -> None:
        self.server.kill()
        self.server.wait(5)


async def feed(source, sink: asyncio.StreamWriter) -> None:
    """Copies what a client says to a program. What a program that has ended does not read is lost, as with sshd."""
    with contextlib.closing(sink), contextlib.suppress(ConnectionError):
        while octets := await source.read(65536):
            sink.write(octets)
            await sink.drain()


async def serve(folder: Path, path: str) -> None:
    import asyncssh

    host, user = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    host.write_public_key(folder / "host.pub")
    user.write_private_key(folder / "user")
    (folder / "user").chmod(0o600)
    user.write_public_key(folder / "authorized")

    async def run(process) -> None:
        pipe = asyncio.subprocess.PIPE
        environment = {"PATH": path, "HOME": str(folder)}
        child = await asyncio.create_subprocess_shell(
            # A shell of a person may greet.
            f"echo welcome; {process.command}", stdin=pipe, stdout=pipe, stderr=pipe, env=environment
        )
        feeding = asyncio.create_task(feed(process.stdin, child.stdin))
        # The end of one stream would end the other; and the status comes behind what is in both.
        await process.redirect(None, child.stdout, child.stderr, send_eof=False)
        status = await child.wait()
        for stream in (process.stdout, process.stderr):
            await stream.drain()
        process.exit(status)
        feeding.cancel()

    server = await asyncssh.listen(
        "127.0.0.1",
        0,
        server_host_keys=[host],
        authorized_client_keys=str(folder / "authorized"),
        process_factory=run,
        encoding=None,
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.wait_closed()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), sys.argv[2]))
