# SPDX-License-Identifier: GPL-2.0-or-later
"""The Linux side: adapters, the radio kill switch, the daemons, and other projects' clients."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from . import management
from .checks import Failure, within


def command(*arguments: str, patience: float = 20, check: bool = True) -> str:
    """The standard output of another program."""
    try:
        done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=patience)
    except subprocess.TimeoutExpired as late:
        said = (late.stdout or b"") + (late.stderr or b"")
        raise Failure(f"{' '.join(arguments)} did not end within {patience:g} s:\n{said.decode()}") from None
    if check and done.returncode != 0:
        raise Failure(f"{' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


class Adapter:
    """hci0 and other adapters, through BlueZ's tools."""

    def __init__(self, name: str = "hci0"):
        self.name = name

    @property
    def index(self) -> int:
        return int(self.name.removeprefix("hci"))

    def exists(self) -> bool:
        return Path("/sys/class/bluetooth", self.name).exists()

    def is_up(self) -> bool:
        return "UP RUNNING" in command("hciconfig", self.name, check=False)

    def address(self) -> str:
        """Its public address."""
        if found := re.search(r"BD Address: (\S+)", command("hciconfig", self.name)):
            return found[1]
        raise Failure(f"{self.name} has no address")

    def links(self) -> list[int]:
        """The handles of its connections."""
        return [int(path.name.split(":")[1]) for path in Path("/sys/class/bluetooth").glob(f"{self.name}:*")]

    def hang_up(self) -> None:
        """Ends its links at once."""
        for handle in self.links():
            command("hcitool", "-i", self.name, "ledc", str(handle), check=False)

    def wait_until_there(self) -> None:
        # The kernel adds the adapter to sysfs before it sets it up. Switched on in between, the adapter loses commands
        # and never becomes known to the management interface.
        within(5, f"{self.name} is set up", lambda: self.index in management.indices())

    def up(self) -> None:
        self.wait_until_there()
        command("hciconfig", self.name, "up")

    def down(self) -> None:
        command("hciconfig", self.name, "down")

    def block(self, blocked: bool) -> None:
        """Sets the software radio kill switch."""
        for switch in Path("/sys/class/bluetooth", self.name).glob("rfkill*/soft"):
            switch.write_text("1" if blocked else "0")
            return
        raise Failure(f"{self.name} has no radio kill switch")


class Daemons:
    """dbus-daemon and bluetoothd, as on a desktop."""

    def __init__(self, log):
        os.makedirs("/run/dbus", exist_ok=True)
        shutil.rmtree("/var/lib/bluetooth/00:AA:01:00:00:00", ignore_errors=True)
        Path("/run/dbus/pid").unlink(missing_ok=True)
        # It switches the adapters on itself, as on a desktop. Linux offers the Security Manager only then.
        for adapter in Path("/sys/class/bluetooth").glob("hci?"):
            Adapter(adapter.name).down()
        self.bus = subprocess.Popen(["dbus-daemon", "--system", "--nofork", "--nopidfile"], stdout=log, stderr=log)
        within(5, "the system bus is there", Path("/run/dbus/system_bus_socket").exists)
        self.daemon = subprocess.Popen([bluetoothd(), "--nodetach"], stdout=log, stderr=log)
        self.log = log
        self.control: subprocess.Popen | None = None
        within(10, "bluetoothd has the adapter powered", self.powered)

    def powered(self) -> bool:
        return "Powered: yes" in command("bluetoothctl", "show", check=False)

    def discover(self) -> None:
        """Runs `scan on` as long as the daemons live."""
        self.control = subprocess.Popen(
            ["bluetoothctl"], stdin=subprocess.PIPE, stdout=self.log, stderr=self.log, bufsize=0
        )
        self.control.stdin.write(b"scan on\n")
        within(10, "bluetoothd discovers", self.discovering)

    def discovering(self) -> bool:
        return "Discovering: yes" in command("bluetoothctl", "show", check=False)

    def agree(self) -> None:
        """Runs an agent that has neither a display nor a keyboard, as long as the daemons live."""
        self.control = subprocess.Popen(
            ["bluetoothctl", "--agent", "NoInputNoOutput"],
            stdin=subprocess.PIPE,
            stdout=self.log,
            stderr=self.log,
            bufsize=0,
        )
        self.tell("default-agent")
        self.tell("pairable on")
        within(5, "bluetoothd bonds", lambda: "Pairable: yes" in command("bluetoothctl", "show", check=False))

    def tell(self, line: str) -> None:
        self.control.stdin.write(f"{line}\n".encode())

    def knows(self, device: str, fact: str) -> bool:
        return fact in command("bluetoothctl", "info", device, check=False)

    def pair(self, device: str) -> None:
        """Pairs with a device, as a desktop does."""
        self.tell("scan on")
        within(15, f"bluetoothd has found {device}", lambda: self.knows(device, "Alias: "))
        self.tell("scan off")
        within(10, "bluetoothd does not discover any more", lambda: not self.discovering())
        self.tell(f"pair {device}")
        within(20, f"bluetoothd is paired with {device}", lambda: self.knows(device, "Paired: yes"))

    def store(self) -> dict[str, str]:
        """All that it keeps of devices, by file."""
        folder = Path("/var/lib/bluetooth/00:AA:01:00:00:00")
        return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.glob("*:*/info"))}

    def stop(self) -> None:
        for process in (self.control, self.daemon, self.bus):
            if process is not None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(5)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        Path("/run/dbus/system_bus_socket").unlink(missing_ok=True)


def bluetoothd() -> str:
    for path in ("/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd", "/usr/sbin/bluetoothd"):
        if os.access(path, os.X_OK):
            return path
    raise Failure("there is no bluetoothd")


# Other people's clients


def gatttool(peer, *arguments: str) -> list[str]:
    """Runs BlueZ's GATT client once."""
    return command("gatttool", "-b", peer.address, "-t", peer.address_type, *arguments).splitlines()


def tree_by_gatttool(peer) -> dict[str, set]:
    """The lists of gatttool: primary services (start, end, UUID), characteristics, and every attribute's type."""

    def numbers(line: str) -> tuple:
        *handles, uuid = re.findall(r"= (0x[0-9a-f]+)|uuid(?::| =) ([0-9a-f-]+)", line)
        return (*[int(handle, 16) for handle, _ in handles], uuid[1])

    return {
        "services": {numbers(line) for line in gatttool(peer, "--primary")},
        "characteristics": {numbers(line) for line in gatttool(peer, "--characteristics")},
        "attributes": {numbers(line) for line in gatttool(peer, "--char-desc")},
    }


def tree_by_bumble(peer, adapter: Adapter) -> list[str]:
    """The lines of Bumble's own dump. It uses the same controller, exclusively meanwhile."""
    adapter.down()
    try:
        target = peer.address + ("/P" if peer.address_type == "public" else "")
        own = Path("/run/tmp/gatt-dump.json")
        own.write_text(json.dumps({"name": "Lab", "address": "C3:00:00:00:00:77"}))
        dump = command(
            sys.executable,
            "-m",
            "bumble.apps.gatt_dump",
            f"--device-config={own}",
            f"hci-socket:{adapter.name[3:]}",
            target,
        )
    finally:
        adapter.up()
    return [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in dump.splitlines()]


def find_by_btmgmt(*addresses: str) -> str:
    """Lets BlueZ's management tool discover until it has found these addresses. Returns its output."""
    said = bytearray()
    tool = subprocess.Popen(
        ["btmgmt"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0
    )
    os.set_blocking(tool.stdout.fileno(), False)

    def heard(*fragments: str) -> bool:
        said.extend(tool.stdout.read() or b"")
        return all(fragment.encode() in said for fragment in fragments)

    try:
        tool.stdin.write(b"find -l\n")
        within(10, "btmgmt hears " + ", ".join(addresses), lambda: heard(*addresses))
        tool.stdin.write(b"stop-find -l\n")
        within(5, "btmgmt stops", lambda: heard("discovering off"))
    finally:
        tool.kill()
        tool.wait()
    return said.decode(errors="replace")
