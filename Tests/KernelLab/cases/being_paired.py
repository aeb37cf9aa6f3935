# SPDX-License-Identifier: GPL-2.0-or-later
"""serve with --io: centrals pair, without a daemon: each way to prove who one is, and what goes wrong."""

import os
import stat
import time

from guest.catalogue import in_one_world, limit, needs_kernel
from guest.checks import equal, lacks, true
from guest.clients import Refused
from guest.served import Served, layout

PASSKEY = 246810
WRONG = 111111
# The key of identity that Bumble sends is zero, which is none.
KEYS = {"ltk", "csrk", "local-csrk"}
NAME, AUTHENTICATED, ENCRYPTED = 0x0003, 0x00C2, 0x00C4
LEDGER = {
    "schema": "blectl-device/1",
    "name": "Ledger",
    "address": "C8:4B:1D:3A:90:5E",
    "advertising": [{"interval": "100 ms", "data": {"name": "Ledger"}}],
    "services": [
        {
            "uuid": "0xFF50",
            "characteristics": [
                {"uuid": "0xFF51", "properties": ["read", "authenticated-signed-writes"], "value": "0x00"}
            ],
        }
    ],
}


PULSE = {
    "schema": "blectl-device/1",
    "name": "Pulse",
    "address": "C8:4B:1D:3A:90:5E",
    "advertising": [{"interval": "100 ms", "data": {"name": "Pulse"}}],
    "services": [
        {
            "uuid": "0xFF60",
            "characteristics": [
                {"uuid": "0xFF61", "properties": ["read", "notify"], "every": "500 ms", "value": "0x2a"}
            ],
        },
    ],
}
SERVICE_CHANGED = "0x2A05"


def _refusal(session, handle: int) -> int | None:
    try:
        session.read(handle)
    except Refused as refused:
        return refused.code
    return None


def _association(means: str, here: tuple[str, ...], secure: bool, method: str, level: str):
    """A case of the table: a central with these means, this machine with these options, and what comes of it."""

    def case(blectl, air, pairing, phone, associations):
        phone.will_pair(means, secure=secure, passkey=PASSKEY, signs=True)
        served = Served(blectl, "workbench", "--count", "1", *here)
        phone.connect(served.address)
        phone.begin_pair()
        if here == SHOW:
            while (step := served.next("pairing"))["step"] != "show-passkey":
                pass
            phone.enter(int(step["passkey"]))
        paired = served.next("paired")
        equal((paired["method"], paired["level"], paired["secure_connections"]), (method, level, secure), "the pairing")
        equal((paired["bonded"], paired["kept_by"]), (True, "blectl"), "who keeps the keys")
        equal(paired["device"]["address"], phone.address, "the central")
        equal(set(paired["keys"]), KEYS, "the keys")
        phone.waits_for("paired")
        session = phone.session()
        equal(session.read(ENCRYPTED), b"secret", "what needs encryption")
        equal(_refusal(session, AUTHENTICATED), 0x05 if level == "medium" else None, "what needs an authenticated key")
        phone.hang_up()
        ended = served.next("disconnected")["security"]
        equal((ended["encrypted"], ended["authenticated"], ended["bonded"]), (True, level != "medium", True), "the link")
        associations.add("peripheral", served.live.finish().exits(0))
        bond = blectl("bonds", "--json").exits(0).record("bond")
        equal((bond["device"]["address"], bond["level"]), (phone.address, level), "the bond")

    return case


SHOW = ("--io", "display")
ENTER = ("--io", "keyboard", "--passkey", str(PASSKEY))
TABLE = [
    (
        f"{name} {'with secure connections' if secure else 'of bluetooth 4'}",
        _association(means, here, secure, method, level),
    )
    for secure in (True, False)
    for name, means, here, method, level in (
        ("just works", "none", ("--io", "none"), "just works", "medium"),
        ("this machine shows a passkey", "keyboard", SHOW, "passkey entry", "fips" if secure else "high"),
        ("the central shows a passkey", "display", ENTER, "passkey entry", "fips" if secure else "high"),
        *(
            [("both show the same digits", "yes-no", ("--io", "yes-no", "--confirm", "yes"), "numeric comparison", "fips")]
            if secure
            else []
        ),
    )
]


def _bond(blectl, phone) -> None:
    """Pairs a central with a served device, and ends both."""
    phone.will_pair("none", secure=True)
    served = Served(blectl, "workbench", "--count", "1", "--io", "none")
    phone.connect(served.address)
    phone.begin_pair()
    served.next("paired")
    phone.waits_for("paired")
    phone.hang_up()
    served.live.finish().exits(0)


@limit(60)
def a_bond_outlasts_the_program_and_the_kernels_memory(blectl, air, pairing, phone):
    _bond(blectl, phone)
    pairing.forget()
    # The security manager of the kernel needs an adapter that was switched on under management.
    served = Served(blectl, "workbench", "--count", "2", "--io", "none")
    for _ in range(2):
        phone.connect(served.address)
        phone.encrypt()
        equal(phone.session().read(ENCRYPTED), b"secret", "the value, without another pairing")
        phone.hang_up()
        equal(served.next("disconnected")["security"]["bonded"], True, "whether the link is that of a bond")
    served.live.finish().exits(0)
    pairing.lose()
    served = Served(blectl, "workbench", "--count", "1")
    phone.connect(served.address)
    phone.encrypt()
    equal(phone.session().read(ENCRYPTED), b"secret", "the value, of a device that pairs with nobody")
    phone.hang_up()
    served.live.finish().exits(0)


@limit(60)
@in_one_world
def a_bond_is_there_again_when_the_adapter_was_pulled_out(blectl, air, pairing, dongle, phone):
    """The kernel has forgotten all of it, as after a restart of the machine."""
    _bond(blectl, phone)
    dongle.pull_out()
    dongle.plug_in(0)
    served = Served(blectl, "workbench", "--count", "1", "--io", "none")
    phone.connect(served.address)
    phone.encrypt()
    equal(phone.session().read(ENCRYPTED), b"secret", "the value, without another pairing")
    phone.hang_up()
    equal(served.next("disconnected")["security"]["bonded"], True, "whether the link is that of a bond")
    served.live.finish().exits(0)


@limit(60)
def nobody_takes_the_place_of_a_bonded_central(blectl, air, pairing, phone):
    phone.will_pair("display", secure=True, passkey=PASSKEY)
    served = Served(blectl, "workbench", "--count", "1", *ENTER)
    phone.connect(served.address)
    phone.begin_pair()
    served.next("paired")
    phone.waits_for("paired")
    phone.hang_up()
    served.live.finish().exits(0)
    phone.will_pair("none", secure=True)
    served = Served(blectl, "workbench", "--count", "1", "--io", "none")
    phone.connect(served.address)
    phone.begin_pair()
    error = served.next("error")
    equal(error["device"]["address"], phone.address, "the central that is refused")
    true("blectl unpair" in error["hint"], "what to type is told")
    phone.waits_for("not paired")
    phone.hang_up()
    served.live.finish().exits(0)
    bond = blectl("bonds", "--json").exits(0).record("bond")
    equal(bond["level"], "fips", "the level of the bond")


def a_wrong_passkey_is_told_and_the_device_is_served_on(blectl, air, pairing, phone):
    phone.will_pair("display", secure=True, passkey=PASSKEY)
    served = Served(blectl, "workbench", "--count", "2", "--io", "keyboard", "--passkey", str(WRONG))
    phone.connect(served.address)
    phone.begin_pair()
    error = served.next("error")
    equal((error["status_name"], error["device"]["address"]), ("protocol-error", phone.address), "the failure")
    true("SMP 0x04 confirm value failed" in error["message"], f"the reason is told: {error['message']}")
    phone.waits_for("not paired")
    phone.hang_up()
    served.next("disconnected")
    equal(blectl("bonds", "--json").exits(0).records(), [], "the bonds")
    phone.connect(served.address)
    served.next("connected")
    phone.hang_up()
    served.live.finish().exits(0)


def _stops(silent: str, means: str, here: tuple[str, ...], secure: bool):
    """The central stops at a step, or keeps a packet back. It is told in time, and the next one is served."""

    @limit(60)
    def case(blectl, air, pairing, phone, tablet):
        phone.will_pair(means, secure=secure, passkey=PASSKEY, silent=silent)
        served = Served(blectl, "workbench", "--count", "2", "--timeout", "3", *here)
        phone.connect(served.address)
        # The records have the same clock. The first one is written a moment after the time of the pairing has begun.
        began = time.monotonic_ns()
        phone.begin_pair()
        served.next("pairing")
        error = served.next("error")
        true("no answer within" in error["message"], f"the reason is told: {error['message']}")
        equal((error["status"], error["device"]["address"]), (124, phone.address), "the failure")
        lasted = (error["monotonic_ns"] - began) / 1e9
        true(3 <= lasted <= 3 + 1, f"it is told within a second after its time, not after {lasted:.1f} s")
        tablet.connect(served.address)
        equal(tablet.session().read(NAME), b"Workbench", "what another central reads meanwhile")
        tablet.hang_up()
        phone.hang_up()
        served.live.finish().exits(0)
        equal(blectl("bonds", "--json").exits(0).records(), [], "the bonds")

    return case


# The packets that a central sends in a pairing, after the Pairing Request.
SECURE = {"public key": 0x0C, "random number": 0x04, "check": 0x0D}
LEGACY = {"confirm value": 0x03, "random number": 0x04}
TABLE += [
    (
        f"a central that stops before its {step} {'with secure connections' if secure else 'of bluetooth 4'}",
        _stops(f"0x{code:02X}", "none", ("--io", "none"), secure),
    )
    for secure, steps in ((True, SECURE), (False, LEGACY))
    for step, code in steps.items()
]
TABLE += [
    (
        "a central whose person does not compare",
        _stops("compare", "yes-no", ("--io", "yes-no", "--confirm", "yes"), True),
    ),
    ("a central whose person enters nothing", _stops("enter", "keyboard", SHOW, True)),
]


def a_security_request_makes_a_central_pair(blectl, air, pairing, phone):
    phone.will_pair("none", secure=True)
    served = Served(blectl, "workbench", "--count", "1", "--io", "none", "--security-request")
    phone.connect(served.address)
    phone.waits_for("security request")
    served.next("paired")
    phone.waits_for("paired")
    phone.hang_up()
    served.live.finish().exits(0)


def without_bonds_nothing_is_kept(blectl, air, pairing, phone):
    phone.will_pair("none", secure=True)
    served = Served(blectl, "workbench", "--count", "1", "--io", "none", "--no-bondable")
    phone.connect(served.address)
    phone.begin_pair()
    phone.waits_for("not paired")
    phone.hang_up()
    served.live.finish().exits(0)
    equal(blectl("bonds", "--json").exits(0).records(), [], "the bonds")


@limit(60)
def a_signed_write_counts_once_also_after_a_new_start(blectl, air, pairing, phone):
    path = _file(blectl, "ledger", LEDGER)
    signed = layout(blectl.program, path).handle("0xFF51")
    phone.will_pair("none", secure=True, signs=True)
    served = Served(blectl, path, "--count", "2", "--io", "none")
    phone.connect(served.address)
    phone.begin_pair()
    served.next("paired")
    phone.waits_for("paired")
    phone.hang_up()
    served.next("disconnected")
    phone.connect(served.address)
    for value, counter, verdict in ((b"\x2a", 0, "valid"), (b"\x2a", 0, "replayed"), (b"hello", 7, "valid")):
        phone.signed_write(signed, value, counter)
        equal(served.next("request")["signature"], verdict, f"the signature with the number {counter}")
    equal(phone.session().read(signed), b"hello", "the value")
    phone.hang_up()
    served.live.finish().exits(0).says("its number was used before")
    served = Served(blectl, path, "--count", "1", "--io", "none")
    phone.connect(served.address)
    for counter, verdict in ((7, "replayed"), (8, "valid")):
        phone.signed_write(signed, b"later", counter)
        equal(served.next("request")["signature"], verdict, f"the signature with the number {counter}")
    equal(phone.session().read(signed), b"later", "the value")
    phone.hang_up()
    served.live.finish().exits(0)


def _file(blectl, name: str, device: dict) -> str:
    return blectl.file(f"{name}.json", device)


def _data(blectl, phone, values: dict[str, str]) -> str:
    owner = {"address": phone.address, "address_type": phone.address_type}
    return blectl.file("data.json", {"schema": "blectl-oob/1", **owner, **values})


def data_that_came_another_way_prove_who_the_central_is(blectl, air, pairing, phone, associations):
    values = phone.will_pair_out_of_band()
    served = Served(blectl, "workbench", "--count", "1", "--io", "none", "--oob", _data(blectl, phone, values), "-vv")
    phone.connect(served.address)
    phone.begin_pair()
    paired = served.next("paired")
    equal((paired["method"], paired["level"], paired["bonded"]), ("out of band", "fips", True), "the pairing")
    phone.waits_for("paired")
    equal(_refusal(phone.session(), AUTHENTICATED), None, "what needs an authenticated key")
    phone.hang_up()
    run = served.live.finish().exits(0)
    associations.add("peripheral", run)
    for value in values.values():
        lacks(run.stdout + run.stderr, value, "what serve says, also with -vv")
        lacks(run.stdout + run.stderr, bytes.fromhex(value)[::-1].hex(), "the same, as on the wire")


def a_central_with_other_data_is_refused_with_the_reason(blectl, air, pairing, phone):
    values = phone.will_pair_out_of_band()
    wrong = _data(blectl, phone, values | {"random": values["confirm"]})
    served = Served(blectl, "workbench", "--count", "1", "--io", "none", "--oob", wrong)
    phone.connect(served.address)
    phone.begin_pair()
    error = served.next("error")
    true("SMP 0x04 confirm value failed" in error["message"], f"the reason is told: {error['message']}")
    phone.waits_for("not paired")
    phone.hang_up()
    served.live.finish().exits(0)
    equal(blectl("bonds", "--json").exits(0).records(), [], "the bonds")


def a_central_that_uses_no_data_proves_nothing_by_them(blectl, air, pairing, phone):
    values = phone.will_pair_out_of_band()
    phone.will_pair("none", secure=False)
    served = Served(blectl, "workbench", "--count", "1", "--io", "none", "--oob", _data(blectl, phone, values))
    phone.connect(served.address)
    phone.begin_pair()
    true("prove nothing" in served.next("error")["message"], "the reason")
    phone.waits_for("not paired")
    phone.hang_up()
    served.live.finish().exits(0)
    equal(blectl("bonds", "--json").exits(0).records(), [], "the bonds")


def _changed() -> dict:
    """The pulse with another service before its own, so that its characteristic has another handle."""
    battery = {"uuid": "battery", "characteristics": [{"uuid": "battery-level", "properties": ["read"], "value": "0x64"}]}
    return PULSE | {"services": [battery, *PULSE["services"]]}


@limit(90)
def what_a_bonded_central_has_subscribed_to_outlasts_the_program(blectl, air, pairing, phone):
    path = _file(blectl, "pulse", PULSE)
    places = layout(blectl.program, path)
    value, announced = places.handle("0xFF61"), places.handle(SERVICE_CHANGED)
    phone.will_pair("none", secure=True)
    served = Served(blectl, path, "--io", "none", "--count", "1")
    phone.connect(served.address)
    phone.begin_pair()
    served.next("paired")
    phone.waits_for("paired")
    session = phone.session()
    session.subscribe(announced, places.configuration(SERVICE_CHANGED), indicate=True)
    session.subscribe(value, places.configuration("0xFF61"), indicate=False)
    phone.waits_for("notified", 2)
    phone.hang_up()
    served.live.finish().exits(0)
    bonds = f"{blectl.directory}/state/blectl/bonds"
    equal(stat.S_IMODE(os.stat(bonds).st_mode), 0o600, "the mode of the file of bonds")

    before = len(phone.journal("notified"))
    served = Served(blectl, path, "--count", "1")
    phone.connect(served.address)
    phone.encrypt()
    heard = phone.waits_for("notified", before + 2)
    equal({entry["handle"] for entry in heard}, {value}, "the handles of the values")
    equal(phone.journal("indicated"), [], "a database that has not changed")
    phone.hang_up()
    requests = served.requests_until_it_is_left()
    equal([each for each in requests if "Write" in each["name"]], [], "the writes of the second connection")
    served.live.finish().exits(0)

    served = Served(blectl, _file(blectl, "changed", _changed()), "--count", "2")
    phone.connect(served.address)
    told = phone.waits_for("indicated")
    equal([(each["handle"], each["value"]) for each in told], [(announced, "0100ffff")], "what is told of the change")
    phone.encrypt()
    phone.session().read(announced + 3)
    phone.hang_up()
    served.next("disconnected")
    phone.connect(served.address)
    phone.encrypt()
    phone.session().read(announced + 3)
    phone.hang_up()
    served.live.finish().exits(0)
    equal(len(phone.journal("indicated")), 1, "how often it was told")


def without_an_answer_nothing_is_served(blectl, pairing):
    blectl("serve", "workbench", "--io", "keyboard").exits(64).says("--passkey")


@needs_kernel
def without_the_capability_the_line_to_type_for_a_device(blectl, pairing):
    nobody = blectl.as_nobody("net_raw")
    nobody("serve", "workbench", "--io", "none", "--duration", "5").exits(77).says("CAP_NET_ADMIN", "hint")


def beside_bluetoothd_its_agent_answers(blectl, air, bluetoothd):
    run = blectl("serve", "workbench", "--io", "none", "--duration", "5").exits(78)
    run.says("bluetoothd manages hci0", "leave out --io")
