# SPDX-License-Identifier: GPL-2.0-or-later
"""BlueZ's own GATT tools, which Debian does not package. Built once from Debian's source of BlueZ, and kept."""

import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import LAB, SetupError, say
from .packages import BLUEZ_SOURCE, TO_BUILD_BLUEZ, made_from

ARCHIVE = Path("/usr/src/bluez.tar.bz2")
PACKET_SOCKET = LAB / "bluez" / "packet_socket.c"
SHIMS = [LAB / "bluez" / f"{name}.c" for name in ("one_adapter", "btvirt")]
SHIM = ("gcc", "-O1", "-Wall", "-shared", "-fPIC", "-o")
TOOLS = ("btgatt-client", "btgatt-server")
# The parts of BlueZ that the tools need: ATT and GATT, a main loop, and no daemon.
SHARED = (
    *("att", "crypto", "gatt-client", "gatt-db", "gatt-helpers", "gatt-server", "io-mainloop", "log", "mainloop"),
    *("mainloop-notify", "queue", "timeout-mainloop", "util"),
)
LIBRARY = ("bluetooth", "hci", "uuid")
SOURCES = [*(f"src/shared/{name}.c" for name in SHARED), *(f"lib/{name}.c" for name in LIBRARY)]
COMPILE = ("gcc", "-O1", "-w", "-I.", "-Ilib", '-DVERSION="Debian"', "-c")
# The tools open their sockets themselves; `packet_socket.c` can replace them by another kind.
WRAPPED = ("socket", "bind", "setsockopt", "connect", "listen")
LINK = ("gcc", *(f"-Wl,--wrap={name}" for name in WRAPPED))


def tools() -> Path:
    """The folder with `btgatt-client`, `btgatt-server`, `one_adapter.so` and `btvirt.so`. Builds them if the cache has
    none of this source."""
    files = b"".join(file.read_bytes() for file in (PACKET_SOCKET, *SHIMS))
    recipe = files + repr((SOURCES, COMPILE, LINK, SHIM)).encode()
    return made_from(BLUEZ_SOURCE, "bluez", recipe, TO_BUILD_BLUEZ, build)


def build(directory: Path, version: str) -> None:
    """Builds in a separate folder, and moves the finished programs into place, so that two runs cannot disturb each
    other."""
    say(f"building BlueZ {version}'s GATT tools, once (about half a minute)")
    with tempfile.TemporaryDirectory(prefix="building-", dir=directory.parent) as place:
        tree = Path(place) / "bluez-source"
        wanted = [f"bluez-source/{each}" for each in ("lib", "src/shared", *(f"tools/{name}.c" for name in TOOLS))]
        run("tar", "--extract", "--bzip2", f"--file={ARCHIVE}", *wanted, cwd=Path(place))
        objects = {source: source.replace("/", "_") + ".o" for source in SOURCES}
        objects |= {f"tools/{name}.c": f"{name}.o" for name in TOOLS} | {str(PACKET_SOCKET): "packet_socket.o"}
        with ThreadPoolExecutor(os.cpu_count() or 1) as workers:
            list(workers.map(lambda pair: run(*COMPILE, "-o", pair[1], pair[0], cwd=tree), objects.items()))
        finished = Path(place) / "finished"
        finished.mkdir()
        common = [objects[source] for source in SOURCES] + ["packet_socket.o"]
        for name in TOOLS:
            run(*LINK, "-o", str(finished / name), f"{name}.o", *common, cwd=tree)
        for shim in SHIMS:
            run(*SHIM, f"{shim.stem}.so", str(shim), "-ldl", cwd=finished)
        try:
            os.rename(finished, directory)
        except OSError:
            if not directory.exists():  # otherwise another run was faster
                raise
        shutil.rmtree(tree, ignore_errors=True)


def run(*command: str, cwd: Path) -> None:
    done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise SetupError(f"{' '.join(command)} failed:\n{(done.stdout + done.stderr)[-3000:]}")
