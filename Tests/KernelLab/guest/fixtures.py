# SPDX-License-Identifier: GPL-2.0-or-later
"""The resources that a case gets by the name of a parameter.

A world is the set of the machine's controllers. One world exists at a time, and cases share it. Everything else is
created for one case, and removed after it.
"""

import functools
import inspect
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from .agent import Agent
from .associations import Associations
from .blectl import Blectl
from .btvirt import Btvirt, BtvirtServer
from .catalogue import Case
from .checks import Failure, true, within
from .emulated import EmulatedAir
from .far import HOST, Far
from .lender import Lender
from .monitor import CaseTrace, Monitor
from .neighbour import Neighbour
from .management import LOAD_IDENTITY_KEYS, LOAD_LONG_TERM_KEYS, SET_BONDABLE, perform, set_low_energy
from .peers import Air, Dongle
from .rootcanal import Rootcanal
from .stack import Adapter, Daemons, command
from .usb import UsbAir

USER = "user:hci0"
WORLDS: dict[str, object] = {}
FIXTURES: dict[str, object] = {}


def lasting(function):
    """Makes a generator a resource. The part before its `yield` runs first, and the part behind it always runs at the
    end."""

    @contextmanager
    @functools.wraps(function)
    def resource(*arguments, **options):
        made = function(*arguments, **options)
        try:
            yield next(made)
        finally:
            next(made, None)

    return resource


def world(function):
    WORLDS[function.__name__] = lasting(function)
    return function


def fixture(function):
    FIXTURES[function.__name__] = lasting(function)
    return function


@dataclass
class Machine:
    """The data of the whole run."""

    program: str
    app: str
    directory: Path
    monitor: Monitor

    def log(self, name: str):
        return (self.directory / f"{name}.log").open("ab")


# Worlds


def _peers(machine: Machine, controller, kind=Air):
    """Peers that are there as long as the world is."""
    with machine.log("peers") as log:
        peers = kind(log, controller)
        yield peers
        peers.stop()


@world
def air(machine: Machine):
    """Bumble's peers behind a modern controller with extended commands and reports."""
    with machine.log("peers") as log:
        peers = Air(log)
        Adapter().up()
        yield peers
        peers.stop()


@world
def dual_air(machine: Machine):
    """The same behind an unmanaged dual-mode controller, for which the kernel keeps Low Energy off."""
    with machine.log("peers") as log:
        peers = Air(log, "dual")
        Adapter().up()
        yield peers
        peers.stop()


@world
def old_air(machine: Machine):
    """The same behind Bumble's unchanged controller: legacy commands only, but extended reports."""
    with machine.log("peers") as log:
        peers = Air(log, "bumble")
        Adapter().up()
        yield peers
        peers.stop()


@world
def sockets(machine: Machine):
    """Bumble's peripherals on packet sockets, without a radio. The only world that needs no machine."""
    yield from _peers(machine, "sockets")


@world
def line(machine: Machine):
    """Bumble's peers behind a controller at a stream socket, whose host the program is. Needs no machine."""
    yield from _peers(machine, "line")


@world
def lent(machine: Machine):
    """The same, with one program that is the host and lends the controller to the others. Needs no machine."""
    with machine.log("peers") as log, machine.log("lender") as errors:
        peers = Air(log, "line")
        lender = Lender(machine.program, f"unix:{peers.line}", errors)
        peers.lent = lender.path
        peers.place = f"unix:{lender.path}"
        peers.lender = lender
        yield peers
        lender.stop()
        peers.stop()


@world
def port(machine: Machine):
    """The same controller at a port of TCP. Needs no machine."""
    yield from _peers(machine, "port")


@world
def serial(machine: Machine):
    """The same controller at a serial port. Needs no machine."""
    yield from _peers(machine, "serial")


@world
def rootcanal_air(machine: Machine):
    """Bumble's peers on Android's emulator, of one of whose controllers the program is the host. Needs no machine."""
    yield from _peers(machine, Rootcanal(machine.log("rootcanal")), EmulatedAir)


@world
def btvirt_air(machine: Machine):
    """The same on BlueZ's emulator. Needs no machine."""
    yield from _peers(machine, BtvirtServer(machine.log("btvirt")), EmulatedAir)


@world
def user_air(machine: Machine):
    """The peers of `air`, and the program as the host of hci0, which it takes from the kernel each time."""
    with machine.log("peers") as log:
        peers = Air(log)
        Adapter().up()
        peers.place = USER
        yield peers
        peers.stop()


@world
def user_btvirt(machine: Machine):
    """The adapters of `btvirt`, and the program as the host of hci0. The kernel has hci1."""
    emulator = Btvirt(machine.log("btvirt"), place=USER)
    yield emulator
    emulator.stop()


@world
def usb(machine: Machine):
    """The same peers, behind a controller on USB. The kernel has it while no program has taken it."""
    with machine.log("peers") as log:
        peers = UsbAir(log)
        yield peers
        peers.stop()


@world
def btvirt(machine: Machine):
    """BlueZ's emulator: hci0 and hci1, which receive each other, with legacy commands and reports."""
    emulator = Btvirt(machine.log("btvirt"))
    yield emulator
    emulator.stop()


@world
def btvirt_server(machine: Machine):
    """The same at a stream socket, with a program as the host of each controller. Needs no machine."""
    emulator = BtvirtServer(machine.log("btvirt"))
    yield emulator
    emulator.stop()


@world
def rootcanal(machine: Machine):
    """Android's emulator, for the cases of `btvirt_server`. Needs no machine."""
    emulator = Rootcanal(machine.log("rootcanal"))
    yield emulator
    emulator.stop()


@world
def dual_btvirt(machine: Machine):
    """The same with dual-mode controllers; hci0 is unmanaged."""
    emulator = Btvirt(machine.log("btvirt"), is_dual_mode=True)
    yield emulator
    emulator.stop()


@world
def three_adapters(machine: Machine):
    """The same with hci2 as well, so that two adapters hear what a third one serves."""
    emulator = Btvirt(machine.log("btvirt"), count=3)
    yield emulator
    emulator.stop()


@world
def no_adapter(machine: Machine):
    """No controller."""
    within(5, "no adapter is left", lambda: not any(Path("/sys/class/bluetooth").iterdir()))
    yield None


# The worlds that need no Bluetooth of the kernel.
WITHOUT_MACHINE = (
    "sockets", "line", "lent", "port", "serial", "rootcanal_air", "btvirt_air", "btvirt_server", "rootcanal",
)  # fmt: skip


def is_here(case: Case) -> bool:
    """Whether the case runs without a machine. System calls take a fraction of the time there."""
    return world_of(case) in WITHOUT_MACHINE


def has_own_host(place) -> bool:
    """Whether the program is the host of the controller in that world. With an emulator, cases decide where it is."""
    return isinstance(place, Air | Btvirt) and place.place is not None


# For one case


@fixture
def blectl(machine: Machine, place):
    """The program under test: where it is the host of the controller, with that in every command."""
    program = Blectl.fresh(machine.program)
    yield program.on(place.place) if has_own_host(place) else program
    program.clean_up()


@fixture
def far(machine: Machine):
    """Another machine, with the program on it."""
    with machine.log("far") as errors:
        far = Far(machine.program, errors)
        yield far
        far.stop()


@fixture
def elsewhere(machine: Machine, place, far):
    """The program on this machine, with the adapter of the other one. In `lent`, that is the one which is lent there."""
    program = Blectl.fresh(machine.program).with_environment(PATH=far.path)
    yield program.on(f"ssh:{HOST}/unix:{place.lent}" if isinstance(place, Air) and place.lent else f"ssh:{HOST}")
    program.clean_up()


@fixture
def app(machine: Machine):
    """The app of Tests/Outsider, which uses the library and knows nothing of the program. Its lines are not held back."""
    if not Path(machine.app).exists():
        raise Failure(f"there is no {machine.app}: run make outsider first")
    app = Blectl.fresh(machine.app).through("stdbuf", "-oL")
    yield app
    app.clean_up()


@fixture
def trace(machine: Machine, case: Case):
    """The packet monitor, from the beginning of the case."""
    yield CaseTrace(machine.monitor, case.title)


@fixture
def associations(machine: Machine, case: Case, place):
    """The table of pairings."""
    yield Associations(machine.directory, case.title, case.world if has_own_host(place) else None)


@fixture
def adapter():
    """hci0, which is up again after the case."""
    adapter = Adapter()
    yield adapter
    if adapter.exists() and not adapter.is_up():
        adapter.block(False)
        adapter.up()


@fixture
def dongle(air):
    """The device behind hci0, which can be pulled out and plugged in."""
    dongle = Dongle(air)
    yield dongle
    dongle.put_back()


@fixture
def bluetoothd(machine: Machine):
    """The daemons. They leave the adapters powered."""
    with machine.log("bluetoothd") as log:
        daemons = Daemons(log)
        yield daemons
        daemons.stop()
    for adapter in map(Adapter, ("hci0", "hci1")):
        if adapter.exists():
            adapter.up()


@fixture
def dual_bluetoothd(machine: Machine, dual_air):
    """The daemons, in that world."""
    with machine.log("bluetoothd") as log:
        daemons = Daemons(log)
        yield daemons
        daemons.stop()
    Adapter().up()


@fixture
def neighbour(machine: Machine, btvirt):
    """bluetoothd on hci1, as if that were another machine: hci0 has no manager. It is started by `begin`."""
    with machine.log("bluetoothd") as log:
        neighbour = Neighbour(log)
        yield neighbour
        neighbour.stop()
    Adapter("hci1").up()


@fixture
def wide_neighbour(machine: Machine, btvirt):
    """The same, on a kernel that lets it have channels for attributes."""
    allowed = Path("/sys/module/bluetooth/parameters/enable_ecred")
    allowed.write_text("Y")
    with machine.log("bluetoothd") as log:
        neighbour = Neighbour(log)
        yield neighbour
        neighbour.stop()
    allowed.write_text("N")
    Adapter("hci1").up()


@fixture
def agent(adapter):
    """An agent that confirms when the kernel is asked to pair."""
    agent = Agent()
    yield agent
    agent.stop()


@fixture
def secure_agent(adapter):
    """The same, and pairings with Secure Connections. After legacy pairing Bumble's peripherals do not find their key."""
    agent = Agent(secure_connections=True)
    yield agent
    agent.stop()


@fixture
def pairing(place):
    """An adapter that nobody has prepared for pairings, and whose kernel has no keys, before and after the case. A host of
    the program's own begins so each time; one that lends its controller remembers who has guessed a passkey wrong, and lets
    it wait (Core 5.4, Vol 3, Part H, 2.3.6)."""
    if has_own_host(place):
        if place.lender:
            place.lender.stop()
            place.lender.start()
        yield NoKeys()
        return
    keys, adapter = Keys(), Adapter()
    keys.forget()
    yield keys
    keys.forget()
    if adapter.exists() and not adapter.is_up():
        adapter.block(False)
        adapter.up()


class NoKeys:
    """The keys of a host that is the program's: they end with it."""

    def forget(self) -> None: ...

    def lose(self) -> None: ...


class Keys:
    """The keys of the kernel."""

    def forget(self) -> None:
        """Takes them away, as a restart of the machine does, and with them the signs that somebody has managed it."""
        self.lose()
        perform(SET_BONDABLE, bytes(1))

    def lose(self) -> None:
        """Takes them away, and nothing else."""
        perform(LOAD_LONG_TERM_KEYS, bytes(2))
        perform(LOAD_IDENTITY_KEYS, bytes(2))


PEERS: set[str] = set()


def peer(name: str, of: str):
    def find(air):
        yield air.peers[name]

    find.__name__ = of
    fixture(find)
    PEERS.add(of)


peer("Bumble HR", "strap")
for name in ("echo", "awkward", "mover", "trainer", "tag", "bench", "rogue", "safe", "wide", "ibeacon", "eddystone", "broadcaster", "visitor", "phone", "tablet"):
    peer(name, name)


@fixture
def lender(lent):
    """The program that lends the controller. It is started again if the case has ended it."""
    yield lent.lender
    lent.lender.stop()
    lent.lender.start()


@fixture
def board(sockets):
    """A board with MCUboot, whose server of MCUmgr is on a packet socket."""
    yield sockets.peers["board"]


@fixture
def legacy_loader(sockets):
    """A watch whose application starts a boot loader with Legacy DFU, on a packet socket."""
    yield sockets.peers["legacy loader"]


@fixture
def secure_loader(sockets):
    """A boot loader with Secure DFU, on a packet socket."""
    yield sockets.peers["secure loader"]


@fixture
def dual_strap(dual_air):
    """The strap behind an adapter that was just plugged in, and was brought up without a manager."""
    dongle = Dongle(dual_air)
    dongle.pull_out()
    dongle.plug_in(0)
    yield dual_air.peers["Bumble HR"]


def needs_of(case: Case) -> set[str]:
    """What a case asks for, directly or through its parameters."""
    needs, found = list(case.needs), set()
    while needs:
        need = needs.pop()
        if need not in found:
            found.add(need)
            needs += parameters(FIXTURES[need]) if need in FIXTURES else []
    return found


def world_of(case: Case) -> str:
    """The world that a case needs, directly or through its parameters."""
    if case.world:
        return case.world
    needs = needs_of(case)
    for need in needs - set(WORLDS) - set(FIXTURES) - {"machine", "case", "place"}:
        raise Failure(f"nobody knows what {need!r} is, which “{case.title}” asks for")
    found = needs & set(WORLDS)
    if len(found) > 1:
        raise Failure(f"“{case.title}” asks for more than one world: {sorted(found)}")
    return found.pop() if found else "air"


def parameters(function) -> list[str]:
    return list(inspect.signature(inspect.unwrap(function)).parameters)


class Setting:
    """Prepares the parameters of a case."""

    def __init__(self, machine: Machine, case: Case, place, stack: ExitStack):
        self.known = {"machine": machine, "case": case, "place": place, world_of(case): place}
        if isinstance(place, Air):
            self.known.setdefault("air", place)  # for cases that also run in another world
            self.known.setdefault("line", place)
        if isinstance(place, Rootcanal):
            self.known.setdefault("btvirt_server", place)
        if isinstance(place, Btvirt):
            self.known.setdefault("btvirt", place)
        self.stack = stack

    def get(self, name: str):
        if name not in self.known:
            make = FIXTURES[name]
            needs = {need: self.get(need) for need in parameters(make)}
            self.known[name] = self.stack.enter_context(make(**needs))
        return self.known[name]


def make_ready(case: Case) -> None:
    """Before a case: switches Low Energy off where the kernel has it off by default."""
    if case.world in ("dual_air", "dual_btvirt"):
        set_low_energy(False)


def clear_the_air(place) -> None:
    """After a case: all peers advertise without connections, and the controller is idle."""
    if isinstance(place, Btvirt):
        place.end_links()
    if not isinstance(place, Air):
        return
    place.reset()
    place.wait_for_no_link()
    within(4, "no connection is being made any more", lambda: not place.controller()["connecting"])
    try:
        within(3, "the scanner is off", lambda: not place.controller()["scanning"])
    except Failure:
        true(not place.place, "the case left the controller at rest: it was still scanning")
        command("hciconfig", "hci0", "reset", check=False)
        Adapter().up()
        true(False, "the case left the controller at rest: it was still scanning")
