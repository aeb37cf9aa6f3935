# SPDX-License-Identifier: GPL-2.0-or-later
"""Clients in Python. Each gets its commands in the form of `peers/session.py`."""

import json
import subprocess
import sys
from contextlib import contextmanager

from ..checks import Failure
from ..stack import Adapter
from ..tree import Tree
from .common import LONG_WRITE, MULTIPLE, RELIABLE, Place, Refused, on_the_air


class Verbs:
    """The verbs of cases, translated into commands of `peers/session.py`."""

    agreed = 23
    sees_secondary_services = False
    overlooks: dict[str, set[int]] = {}
    longest = 512
    tells_application_errors = True

    def tell(self, verb: str, **details) -> dict:
        raise NotImplementedError

    def perform(self, verb: str, **details):
        answer = self.tell(verb, **details)
        if "refused" in answer:
            raise Refused(answer["refused"])
        if "error" in answer:
            raise Failure(answer["error"])
        return answer["result"]

    def exchange_mtu(self, mtu: int) -> None:
        self.agreed = self.perform("mtu", mtu=mtu)

    def mtu(self) -> int:
        return self.agreed

    def tree(self) -> Tree:
        return Tree.of_json(self.perform("tree"))

    def read(self, handle: int) -> bytes:
        return bytes.fromhex(self.perform("read", handle=handle))

    read_long = read

    def read_by_uuid(self, uuid: str) -> list[bytes]:
        return [bytes.fromhex(value) for value in self.perform("read_by_uuid", uuid=uuid)]

    def write(self, handle: int, value: bytes) -> None:
        self.perform("write", handle=handle, value=value.hex())

    def write_command(self, handle: int, value: bytes) -> None:
        self.perform("write_command", handle=handle, value=value.hex())

    def write_long(self, handle: int, value: bytes) -> None:
        self.perform("write_long", handle=handle, value=value.hex())

    def subscribe(self, handle: int, configuration: int, indicate: bool) -> None:
        self.perform("subscribe", handle=handle, configuration=configuration, indicate=indicate)

    def heard(self, handle: int) -> bytes:
        return bytes.fromhex(self.perform("heard", handle=handle))

    def unsubscribe(self, handle: int, configuration: int) -> None:
        self.perform("unsubscribe", handle=handle, configuration=configuration)


class Told(Verbs):
    """A client in a process of its own, with a command on each line: see `peers/session.py`."""

    module = ""

    def __init__(self, arguments: list[str], mtu: int | None):
        self.process = subprocess.Popen(
            [sys.executable, "-m", self.module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.answered()
        if mtu:
            self.exchange_mtu(mtu)

    def answered(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            self.process.kill()
            raise Failure(f"{self.module} ended:\n{self.process.communicate()[1][-2000:]}")
        return json.loads(line)

    def tell(self, verb: str, **details) -> dict:
        self.process.stdin.write(json.dumps({"do": verb, **details}) + "\n")
        self.process.stdin.flush()
        return self.answered()

    def end(self) -> None:
        try:
            _, self.complaints = self.process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()


class BumbleClient(Told):
    """Bumble's `gatt_client.Client`. On the air it uses hci1 exclusively meanwhile."""

    name = "Bumble's client"
    links = ("air", "socket")
    lacks = {MULTIPLE: "it has no method for it", RELIABLE: "it does not look at what comes back"}
    # Services that it never asks for: one that starts at the last handle.
    overlooks = {"museum": {0xFFFF}}
    module = "peers.central"

    @classmethod
    @contextmanager
    def session(cls, place: Place, mtu: int | None = None):
        adapter = None if place.socket else Adapter("hci1")
        if adapter:
            adapter.down()
        try:
            session = cls([f"unix:{place.socket}"] if place.socket else ["hci-socket:1", place.address], mtu)
            try:
                yield session
            finally:
                session.end()
        finally:
            if adapter:
                adapter.up()


class BumbleCentral(BumbleClient):
    """The same in a central among the peers."""

    links = ("own host",)

    @classmethod
    @contextmanager
    def session(cls, place: Place, mtu: int | None = None):
        place.central.connect(place.address)
        try:
            session = place.central.session()
            session.overlooks = cls.overlooks
            if mtu:
                session.exchange_mtu(mtu)
            yield session
        finally:
            place.central.hang_up()


class HomeAssistantClient(Told):
    """habluetooth's `ATTClient`, on its own L2CAP sockets or on a packet socket."""

    name = "habluetooth's ATTClient"
    links = ("air", "socket")
    lacks = {
        MULTIPLE: "it has no method for it",
        LONG_WRITE: "it refuses what does not fit into a packet",
        RELIABLE: "it has no prepared writes",
    }
    module = "peers.att_client"

    @classmethod
    @contextmanager
    def session(cls, place: Place, mtu: int | None = None):
        own = None if place.socket else Adapter("hci1").address()
        with on_the_air(place):
            session = cls([f"unix:{place.socket}"] if place.socket else [f"l2cap:{own}", place.address], mtu)
            try:
                yield session
            finally:
                session.end()
