# SPDX-License-Identifier: GPL-2.0-or-later
"""bluetoothd on the other adapter, with an agent of bluetoothctl: what the program pairs with.

It knows nothing of hci0, so that the program finds an adapter without a manager, as if the two were on two machines. For
that `one_adapter.so` hides hci0 from it, and it runs under another name, by which the program does not recognise it.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

from . import management
from .checks import Failure, within
from .conversation import Conversation
from .stack import Adapter, bluetoothd, command

INDEX = 1
SHIM = "one_adapter.so"
BUS = Path("/run/dbus/system_bus_socket")
# What the agent of bluetoothctl asks and shows.
CONSENT, COMPARE, ENTER = "Accept pairing", r"Confirm passkey (\d{6})", "Enter passkey"
SHOWN = r"Passkey: (\d{6})"
QUESTION = rf"({CONSENT})|{COMPARE}|({ENTER})|{SHOWN}"


class Neighbour:
    """The daemons, and the person at their side, who agrees to everything."""

    def __init__(self, log):
        self.log = log
        self.adapter = Adapter(f"hci{INDEX}")
        self.bus = self.daemon = self.talk = None
        self.is_over = False
        self.shown: list[str] = []
        self.digits: str | None = None
        self.person: threading.Thread | None = None

    def begin(self, agent: str, secure: bool, channels: int | None = None) -> None:
        """Starts the daemons and an agent with these means, with Secure Connections or without; with that many channels for
        attributes on a link."""
        forget_bonds()
        # Linux offers the Security Manager on an adapter that was powered under management.
        self.adapter.down()
        os.makedirs("/run/dbus", exist_ok=True)
        Path("/run/dbus/pid").unlink(missing_ok=True)
        arguments = {"stdout": self.log, "stderr": self.log}
        self.bus = subprocess.Popen(["dbus-daemon", "--system", "--nofork", "--nopidfile"], **arguments)
        within(5, "the system bus is there", BUS.exists)
        name = Path("/run/tmp/neighbour")
        name.unlink(missing_ok=True)
        name.symlink_to(bluetoothd())
        shim = Path(shutil.which("btgatt-client")).with_name(SHIM)
        environment = {**os.environ, "LD_PRELOAD": str(shim), "ONE_ADAPTER": str(INDEX)}
        settings = Path("/run/tmp/neighbour.conf")
        settings.write_text(f"[GATT]\nChannels = {channels}\n" if channels else "")
        words = [str(name), "--nodetach", f"--configfile={settings}"]
        self.daemon = subprocess.Popen(words, env=environment, **arguments)
        within(10, "it has its adapter powered", lambda: "Powered: yes" in command("bluetoothctl", "show", check=False))
        adapters = command("bluetoothctl", "list")
        if adapters.count("Controller") != 1:
            raise Failure(f"it should know one adapter:\n{adapters}")
        management.perform(management.SET_SECURE_CONNECTIONS, bytes([secure]), INDEX)
        self.talk = Conversation("stdbuf", "-oL", "bluetoothctl", "--agent", agent)
        self.talk.hears("Agent registered")
        self.talk.say("default-agent")
        self.talk.hears("Default agent request successful")
        self.talk.say("pairable on")
        self.talk.hears("Changing pairable on succeeded")
        self.person = threading.Thread(target=self.answer, daemon=True)

    @property
    def address(self) -> str:
        return self.adapter.address()

    def advertise(self) -> None:
        """Lets itself be found, and be paired with."""
        self.talk.say("advertise on")
        self.talk.hears("Advertising object registered")
        self.person.start()

    @contextmanager
    def pairing_with(self, address: str, is_here: bool):
        """Finds a device, which begins to advertise meanwhile, and begins to pair with it. With `is_here`, the kernel has the
        adapter of the device."""
        if is_here:
            yield
        self.talk.say("scan le")
        self.talk.hears("Discovery started")
        if is_here:
            within(20, "it has found the device", lambda: self.is_found(address))
        else:
            # The emulator reports who begins to advertise.
            yield
            self.talk.hears(f"Device {address}", 20)
        self.talk.say("scan off")
        self.talk.hears("Discovery stopped")
        self.talk.say(f"pair {address}")
        self.person.start()

    def is_found(self, address: str) -> bool:
        """The emulator reports an advertiser once, when the scan begins, and Linux does not look for devices yet. It
        reports it again when the advertising is switched on again."""
        self.let_find()
        return self.talk.may_hear(f"Device {address}", 1) is not None

    def let_find(self) -> None:
        for switch in ("0x00", "0x01"):
            command("hcitool", "-i", "hci0", "cmd", "0x08", "0x000a", switch)

    @contextmanager
    def programs(self):
        """Lets programs on its bus find what hci0 advertises, whenever they look. Returns what runs one, with a time limit:
        up to three times, because bluetoothd may end a new link while bleak waits for the services."""
        ended = threading.Event()

        def find() -> None:
            while not ended.wait(0.5):
                if not Adapter("hci0").links():
                    self.let_find()

        def run(*words: str, patience: float) -> str:
            for is_last in (False, False, True):
                try:
                    return command(sys.executable, *words, patience=patience)
                except Failure as failure:
                    if is_last or "device disconnected" not in str(failure):
                        raise

        finder = threading.Thread(target=find, daemon=True)
        finder.start()
        try:
            yield run
        finally:
            ended.set()
            finder.join()

    def answer(self) -> None:
        """The person: answers what the agent asks, until the end."""
        while not self.is_over:
            try:
                asked = self.talk.hears(QUESTION, 1)
            except Failure:
                continue
            consent, compared, entered, shown = asked.groups()
            if shown:
                self.shown.append(shown)
            elif consent or compared:
                self.shown += [compared] if compared else []
                self.talk.say("yes")
            elif entered:
                while self.digits is None and not self.is_over:
                    time.sleep(0.05)
                self.talk.say(self.digits or "")

    def enter(self, digits: str) -> None:
        """The person reads digits at the other side."""
        self.digits = digits

    def shows(self) -> str:
        """The digits that it shows."""
        within(15, "it shows digits", lambda: self.shown)
        return self.shown[-1]

    def is_paired_with(self, address: str) -> None:
        """Waits until it has the keys."""
        within(10, "it has paired", lambda: re.search("Paired: yes", command("bluetoothctl", "info", address, check=False)))

    def stop(self) -> None:
        self.is_over = True
        if self.person and self.person.is_alive():
            self.person.join(3)
        if self.talk:
            self.talk.end()
        for process in (self.daemon, self.bus):
            if process is None:
                continue
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        BUS.unlink(missing_ok=True)
        forget_bonds()


def forget_bonds() -> None:
    """Removes what the daemon has stored. With the key of a former bond, it would end the link of a device that has none."""
    for folder in Path("/var/lib/bluetooth").iterdir():
        shutil.rmtree(folder)
