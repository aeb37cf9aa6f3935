# SPDX-License-Identifier: GPL-2.0-or-later
"""The cases' side of the peers: starts them, and sends them commands."""

import json
import os
import socket
import subprocess
import sys
import tempfile

from .checks import Failure, within
from .clients.told import Verbs
from .stack import Adapter
from .tree import Tree


def lab_uuid(number: int) -> str:
    """A UUID of the lab, in the program's form."""
    return f"b1ec71ab-{number:04x}-4000-8000-000000001ab0"


# The attributes that cases refer to by name: those of the strap's workbench, and those of the awkward device.
LONG, TICKS, ALARMS, COMMAND, SHORT, STUBBORN, RELIABLE, TWIN = (lab_uuid(number) for number in range(1, 9))
WORKBENCH, CALIBRATION, CALIBRATION_VALUE = lab_uuid(0), lab_uuid(0x20), lab_uuid(0x21)
PROTECTED, REFUSED, SILENT, HANGS_UP, HOSTILE, BURST, QUIET, FINE = (lab_uuid(number) for number in range(0x11, 0x19))
SIGNED, STEPS = lab_uuid(0x19), lab_uuid(0x31)
SAFE_LABEL, SAFE_STATE, SAFE_BOLT, SAFE_NOTE = (lab_uuid(number) for number in range(0x41, 0x45))
SLOW, WIDE_LONG, TICKER = [lab_uuid(0x51 + number) for number in range(5)], lab_uuid(0x56), lab_uuid(0x57)
UART_SERVICE, UART_RECEIVE, UART_TRANSMIT = (f"6e40000{n}-b5a3-f393-e0a9-e50e24dcca9e" for n in (1, 2, 3))
PSM_ECHO, PSM_SINK, PSM_MISER, PSM_SOURCE = 0x80, 0x81, 0x82, 0x83
PSM_COUNT = 0x81
ABSENT = "C2:00:00:00:00:99"


class Air:
    """The peers behind hci0, behind a controller at `line`, or on packet sockets: Bumble's, in a separate process."""

    def __init__(self, log, controller: str = "extended", *more: str):
        directory = tempfile.mkdtemp(prefix="air-")
        path = os.path.join(directory, "control")
        self.line = os.path.join(directory, "line")
        # The socket at which another program lends it; `None` if there is none.
        self.lent: str | None = None
        self.lender = None
        self.process = subprocess.Popen(
            [sys.executable, "-m", "peers", path, controller, *more],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
        )
        if self.process.stdout.readline() != b"ready\n":
            raise Failure("the peers did not start; see peers.log")
        # The controller of the program's own host, as the program names it; `None` if the kernel is the host.
        self.place = self.place_of(controller)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        self.socket.connect(path)
        self.stream = self.socket.makefile("rw")
        self.peers = {name: Peer(self, name, **facts) for name, facts in self.tell(None, "describe").items()}

    def tell(self, peer: str | None, verb: str, **details):
        self.stream.write(json.dumps({"peer": peer, "do": verb, **details}) + "\n")
        self.stream.flush()
        answer = self.stream.readline()
        if not answer:
            raise Failure("the peers are gone; see peers.log")
        answer = json.loads(answer)
        if "error" in answer:
            raise Failure(f"the peer {peer} could not {verb}: {answer['error']}")
        return answer["result"]

    def place_of(self, controller: str) -> str | None:
        match controller:
            case "line":
                return f"unix:{self.line}"
            case "port":
                with open(self.line, encoding="ascii") as file:
                    return f"tcp:127.0.0.1:{file.read()}"
            case "serial":
                return f"serial:{self.line}"

    def controller(self) -> dict:
        """The state of hci0's controller, as the controller itself reports it."""
        return self.tell(None, "controller")

    def only(self, *peers: "Peer") -> None:
        """Leaves only these peers on the air."""
        self.tell(None, "only", names=[peer.name for peer in peers])

    def pour(self, count: int) -> None:
        """Sends reports of that number of advertisers, faster than any controller does."""
        self.tell(None, "pour", count=count)

    def crowd(self) -> dict:
        """The number of reports that were `sent`, the `seconds` that they took, and whether the crowd has `ended`."""
        return self.tell(None, "crowd")

    def fail_connections(self, *failures: tuple[str, int]) -> None:
        """Makes the next connections fail: ("refused", STATUS) by the controller, ("lost", REASON) before the first
        packet."""
        self.tell(None, "fail_connections", failures=failures)

    def reset(self) -> None:
        self.tell(None, "reset")

    def wait_for_no_link(self) -> None:
        within(6, "the controller has no link", lambda: not self.controller()["links"])

    def stop(self) -> None:
        """Ends the process, and with it hci0."""
        self.socket.close()
        try:
            self.process.wait(3)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Dongle:
    """The adapter as a device that can be pulled out and plugged in."""

    def __init__(self, air: Air):
        self.air = air
        self.adapter: Adapter | None = Adapter()

    def pull_out(self) -> None:
        adapter, self.adapter = self.adapter, None
        self.air.tell(None, "pull_out")
        within(5, f"{adapter.name} is gone", lambda: not adapter.exists())

    def plug_in(self, index: int, address: str | None = None) -> None:
        """Plugs the adapter in as hci`index`; with an address, a different adapter."""
        self.air.tell(None, "plug_in", index=index, address=address)
        self.adapter = Adapter(f"hci{index}")
        self.adapter.up()

    def put_back(self) -> None:
        """Restores the first adapter."""
        if self.adapter is not None:
            self.pull_out()
        self.plug_in(0)


class Peer:
    """A device on the air. Its text is the address, in the form of `-d`."""

    def __init__(self, air: Air, name: str, address: str, address_type: str, path: str | None = None):
        self.air = air
        self.path = path
        self.name = name
        self.address = address
        self.address_type = address_type

    def __str__(self) -> str:
        return self.address

    def journal(self, event: str | None = None) -> list[dict]:
        """The events since the beginning of the case: connected, read, write, subscription, disconnected, …"""
        return [entry for entry in self.air.tell(self.name, "journal") if event in (None, entry["event"])]

    def mute(self) -> None:
        """Stops advertising."""
        self.air.tell(self.name, "mute")

    def unmute(self) -> None:
        self.air.tell(self.name, "unmute")

    def hang_up(self) -> None:
        """Ends its link."""
        self.air.tell(self.name, "hang_up")

    def await_bond(self) -> None:
        """Waits until it has kept the keys of a pairing, which it does a moment after the link is encrypted."""
        within(5, "the device has kept the key", lambda: self.air.tell(self.name, "count_bonds") > 0)

    def will_pair(
        self,
        means: str,
        secure: bool,
        passkey: int = 0,
        agrees: bool = True,
        silent: str | None = None,
        signs: bool = False,
    ) -> None:
        """What it can show and enter from now on, with or without Secure Connections; it may fall silent at a step.
        With `signs` it exchanges keys for signatures, too; its own is zero."""
        answers = {"agrees": agrees, "silent": silent, "signs": signs}
        self.air.tell(self.name, "will_pair", means=means, secure=secure, passkey=passkey, **answers)

    def will_pair_out_of_band(self, other: dict | None = None) -> dict[str, str]:
        """It pairs with data that came another way from now on: with its own, which this returns, and with those of the other
        side, if they are given."""
        return self.air.tell(self.name, "will_pair_out_of_band", other=other)

    def enter(self, passkey: int) -> None:
        """Enters the digits that the other side shows."""
        self.air.tell(self.name, "enter", passkey=passkey)

    def set_link(self, setting: str, how: str) -> None:
        """Its controller "agrees", "refuses" or is "silent" when "phy", "data-length" or "parameters" of a link are to be
        changed. For the parameters it also "agrees in part", or the kernel's controller "rejects" the command."""
        self.air.tell(self.name, "set_link", setting=setting, how=how)

    def advertise_on_coded(self) -> None:
        """Advertises on LE Coded alone until the end of the case, with extended advertisements."""
        self.air.tell(self.name, "advertise_on", phy=3)

    def identities(self) -> list[dict[str, str]]:
        """The identities that it keeps of pairings: the address, and the key as it goes over the air."""
        return self.air.tell(self.name, "identities")

    def rotate(self) -> str:
        """It advertises with a new private address, which this returns. Its key of identity is given away in pairings."""
        return self.air.tell(self.name, "rotate")

    def forget_bonds(self) -> None:
        """Loses the keys of all pairings."""
        self.air.tell(self.name, "forget_bonds")

    def vanish(self) -> None:
        """Leaves the range. The link ends by its supervision timeout."""
        self.air.tell(self.name, "vanish")

    def tree(self) -> Tree:
        """All attributes of its server."""
        return Tree.of_json(self.air.tell(self.name, "tree"))

    def limit_mtu(self, mtu: int) -> None:
        self.air.tell(self.name, "limit_mtu", mtu=mtu)

    def set(self, key: str, value: bytes) -> None:
        self.air.tell(self.name, "set", key=key, value=value.hex())

    def lose_part(self, number: int) -> None:
        """The board or boot loader loses the part of that number of an upload, counted from 1."""
        self.air.tell(self.name, "lose_part", number=number)

    def running(self) -> dict:
        """What the board runs, and whether that is confirmed; of a boot loader, what it has taken."""
        return self.air.tell(self.name, "running")

    def send(self, value: bytes) -> None:
        """The echo sends a value without a request."""
        self.air.tell(self.name, "send", value=value.hex())

    def send_when_subscribed(self, value: bytes) -> None:
        """The echo says something as soon as somebody listens, once."""
        self.air.tell(self.name, "send_when_subscribed", value=value.hex())

    def count_up(self, first: int, count: int) -> None:
        """The echo sends that many numbers of four octets, as fast as possible."""
        self.air.tell(self.name, "count_up", first=first, count=count)

    def stream(self, count: int, size: int) -> None:
        """From now on a subscriber of the bench gets that many notifications of that length."""
        self.air.tell(self.name, "stream", count=count, size=size)

    # The rogue

    def breaks(self, rule: str) -> None:
        """It breaks a rule until the end of the case: see `peers/rogue.py`."""
        self.air.tell(self.name, "break", rule=rule)

    # The safe

    def refuse_with(self, code: int) -> None:
        """The error with which it demands an encrypted link until the end of the case."""
        self.air.tell(self.name, "refuse_with", code=code)

    # The mover

    def move(self) -> None:
        """Its services change places, and it announces that."""
        self.air.tell(self.name, "move")

    def restart(self) -> None:
        """It falls silent, and returns with its services in other places."""
        self.air.tell(self.name, "restart")

    def handle(self) -> int:
        """The current handle of the attribute that moves."""
        return self.air.tell(self.name, "handle")

    # Centrals

    def connect(self, address: str, kind: str = "public") -> None:
        self.air.tell(self.name, "connect", address=address, kind=kind)

    def session(self, bearer: int = 0) -> "PeerSession":
        """Its connection, which performs verbs; over an enhanced bearer with that number, from 1."""
        return PeerSession(self, bearer)

    def open_bearers(self, count: int, mtu: int = 128, mps: int = 2048) -> list[int]:
        """Opens enhanced bearers, with these sizes at its end. Returns the ATT MTU of each."""
        return self.air.tell(self.name, "open_bearers", count=count, mtu=mtu, mps=mps)

    def write_octets(self, bearer: int, count: int) -> None:
        """Sends that many octets in one unit on an enhanced bearer."""
        self.air.tell(self.name, "write_octets", bearer=bearer, count=count)

    def close_bearer(self, bearer: int) -> None:
        self.air.tell(self.name, "close_bearer", bearer=bearer)

    def on_all_bearers(self, verb: str, **details) -> list[dict]:
        """What a verb of a session gives on each bearer, on all at once."""
        return self.air.tell(self.name, "perform_on_all", request=verb, details=details)

    def pair(self) -> None:
        self.air.tell(self.name, "pair")

    def begin_pair(self) -> None:
        """Begins to pair: it waits for “paired” or “not paired” in the journal."""
        self.air.tell(self.name, "begin_pair")

    def signed_write(self, handle: int, value: bytes, counter: int) -> None:
        """Writes without a response, with a signature that has this number."""
        self.air.tell(self.name, "signed_write", handle=handle, value=value.hex(), counter=counter)

    def encrypt(self) -> None:
        """Encrypts the link with the key of an earlier pairing."""
        self.air.tell(self.name, "encrypt")

    def waits_for(self, event: str, count: int = 1, seconds: float = 10) -> list[dict]:
        """Waits until the journal contains `count` of these events."""
        within(seconds, f"{self.name} saw “{event}” {count} times", lambda: len(self.journal(event)) >= count)
        return self.journal(event)


class PeerSession(Verbs):
    """The connection of a central on the air."""

    def __init__(self, peer: Peer, bearer: int = 0):
        self.peer, self.bearer, self.name = peer, bearer, peer.name

    def tell(self, verb: str, **details) -> dict:
        return self.peer.air.tell(self.peer.name, "perform", request=verb, details=details, bearer=self.bearer)
