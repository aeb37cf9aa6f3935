# SPDX-License-Identifier: GPL-2.0-or-later
"""pair, bonds and unpair, as a central, without a daemon: each way to prove who one is, and what goes wrong."""

import json
import os
import stat

from guest.catalogue import in_one_world, limit, needs_kernel
from guest.checks import equal, lacks, true, within
from guest.peers import FINE, QUIET, SIGNED
from guest.served import Served

PASSKEY = 123456
WRONG = "654321"


def _paired(run):
    return run.exits(0).record("paired")


def _key_digits(blectl) -> list[str]:
    """Every key in the file of bonds."""
    with open(f"{blectl.directory}/state/blectl/bonds") as file:
        bonds = json.load(file)["bonds"]
    return [key["key"] for bond in bonds for key in (*bond["ltk"], *bond["csrk"])] + [
        bond["irk"] for bond in bonds if bond.get("irk")
    ]


def _association(means: str, here: tuple[str, ...], secure: bool, method: str, level: str):
    """A case of the table: a device with these means, this machine with these options, and what comes of it."""

    def case(blectl, air, pairing, awkward, associations):
        awkward.will_pair(means, secure=secure, passkey=PASSKEY)
        run = blectl("pair", awkward, *here, "--json", "-vv")
        paired = _paired(run)
        associations.add("central", run)
        equal((paired["method"], paired["level"], paired["secure_connections"]), (method, level, secure), "the pairing")
        equal((paired["bonded"], paired["kept_by"]), (True, "blectl"), "who keeps the keys")
        awkward.await_bond()
        path = f"{blectl.directory}/state/blectl/bonds"
        equal(stat.S_IMODE(os.stat(path).st_mode), 0o600, "the mode of the file of bonds")
        for key in _key_digits(blectl):
            lacks(run.stdout + run.stderr, key, "what pair says, also with -vv")
            lacks(run.stdout + run.stderr, bytes.fromhex(key)[::-1].hex(), "the same, as on the wire")

    return case


ENTER = ("--io", "keyboard", "--passkey", str(PASSKEY))
TABLE = [
    (
        f"{name} {'with secure connections' if secure else 'of bluetooth 4'}",
        _association(means, here, secure, method, level),
    )
    for secure in (True, False)
    for name, means, here, method, level in (
        ("just works", "none", ("--io", "none"), "just works", "medium"),
        ("the device shows a passkey", "display", ENTER, "passkey entry", "fips" if secure else "high"),
        *(
            [("both show the same digits", "yes-no", ("--io", "yes-no", "--confirm", "yes"), "numeric comparison", "fips")]
            if secure
            else []
        ),
    )
]


def _entering(secure: bool):
    def case(blectl, air, pairing, awkward, associations):
        awkward.will_pair("keyboard", secure=secure)
        live = blectl.start("pair", awkward, "--io", "display", "--json")
        while (record := live.next_record()).get("step") != "show-passkey":
            pass
        shown = record["passkey"]
        equal(len(shown), 6, "the digits")
        awkward.enter(int(shown))
        run = live.finish()
        paired = _paired(run)
        equal((paired["method"], paired["authenticated"]), ("passkey entry", True), "the pairing")
        associations.add("central", run)

    return case


TABLE += [
    ("the passkey is entered at the device with secure connections", _entering(True)),
    ("the passkey is entered at the device of bluetooth 4", _entering(False)),
]


def a_bonded_device_is_read_encrypted_without_another_pairing(blectl, air, pairing, awkward):
    awkward.will_pair("none", secure=True)
    blectl("pair", awkward, "--io", "none").exits(0)
    awkward.await_bond()
    awkward.hang_up()
    air.wait_for_no_link()
    pairing.forget()
    steps = len(awkward.journal("pairing"))
    blectl("read", FINE, "-d", awkward).exits(0)
    equal(len(awkward.journal("pairing")), steps, "the steps of pairings")
    bond = blectl("bonds", "--json").exits(0).record("bond")
    equal((bond["device"]["address"], bond["level"], bond["secrets"]), (str(awkward), "medium", None), "the bond")
    revealed = blectl("bonds", "--json", "--reveal-keys").exits(0).record("bond")["secrets"]
    equal({secret["value"] for secret in revealed}, set(_key_digits(blectl)), "the keys")
    blectl("unpair", awkward).exits(0)
    equal(blectl("bonds", "--json").exits(0).records(), [], "the bonds")


def a_device_that_forgot_its_bond_gets_no_request(blectl, air, pairing, awkward):
    awkward.will_pair("none", secure=True)
    blectl("pair", awkward, "--io", "none").exits(0)
    awkward.await_bond()
    awkward.hang_up()
    air.wait_for_no_link()
    awkward.forget_bonds()
    run = blectl("read", FINE, "-d", awkward).exits(76).is_quiet()
    run.says("the link could not be encrypted", f"blectl unpair {awkward}", f"blectl pair {awkward}")


def _is_subscribed(_live, awkward) -> None:
    within(15, "the subscription", lambda: awkward.journal("subscription"))


def _is_told(live, _awkward) -> None:
    live.line()


def _connects_again(is_there, *words: str):
    """A device that has lost its keys ends a command that makes a lost link again, as it ends a first connection."""

    @limit(60)
    def case(blectl, air, pairing, awkward):
        _bonded(blectl, air, awkward)
        folder = f"{blectl.directory}/run"
        os.makedirs(folder, mode=0o700, exist_ok=True)
        live = blectl.with_environment(XDG_RUNTIME_DIR=folder).start(*words, "-d", awkward)
        is_there(live, awkward)
        awkward.forget_bonds()
        awkward.hang_up()
        run = live.finish(patience=40).exits(76)
        run.says(f"blectl unpair {awkward}", f"blectl pair {awkward}")
        air.wait_for_no_link()

    return case


TABLE += [
    ("a refused key ends notifications", _connects_again(_is_subscribed, "notify", QUIET, "--reconnect")),
    ("a refused key ends a session", _connects_again(_is_told, "session", "start", "--foreground")),
]


def _data(blectl, values: dict[str, str]) -> str:
    return blectl.file("data.json", {"schema": "blectl-oob/1", **values})


def data_that_came_another_way_prove_who_the_device_is(blectl, air, pairing, awkward, associations):
    values = awkward.will_pair_out_of_band()
    owner = {"address": awkward.address, "address_type": "random"}
    run = blectl("pair", awkward, "--oob", _data(blectl, values | owner), "--json", "-vv")
    paired = _paired(run)
    equal((paired["method"], paired["level"], paired["bonded"]), ("out of band", "fips", True), "the pairing")
    associations.add("central", run)
    for value in (*values.values(), *_key_digits(blectl)):
        lacks(run.stdout + run.stderr, value, "what pair says, also with -vv")
        lacks(run.stdout + run.stderr, bytes.fromhex(value)[::-1].hex(), "the same, as on the wire")
    awkward.await_bond()
    blectl("read", FINE, "-d", awkward, "--security", "fips").exits(0)


def wrong_data_are_refused_with_the_reason(blectl, air, pairing, awkward):
    values = awkward.will_pair_out_of_band()
    wrong = values | {"random": values["confirm"]}
    run = blectl("pair", awkward, "--oob", _data(blectl, wrong)).exits(76)
    run.says("cannot pair", "SMP 0x04 confirm value failed")
    equal(blectl("bonds", "--json").exits(0).records(), [], "the bonds")


def a_device_that_needs_no_data_proves_nothing_by_them(blectl, air, pairing, awkward):
    values = awkward.will_pair_out_of_band()
    awkward.will_pair("none", secure=False)
    blectl("pair", awkward, "--oob", _data(blectl, values)).exits(76).says("prove nothing")
    equal(blectl("bonds", "--json").exits(0).records(), [], "the bonds")


@limit(60)
def data_of_this_machine_are_for_the_other_one(blectl, btvirt, pairing):
    """Of adapters with Secure Simple Pairing, which Linux wants for that: hci0 serves, and hci1 is the central."""
    path = os.path.join(blectl.directory, "own.json")
    if not btvirt.is_dual_mode:
        blectl("pair", "--oob-out", path).exits(69).says("Secure Simple Pairing")
        true(not os.path.exists(path), "no file is left behind")
        return
    central = ("-i", "hci1", "--json", "--timeout", "10")
    for giver, options in (("served", ("--oob-out", path)), ("central", ("--oob", path))):
        if giver == "central":
            blectl("pair", "--oob-out", path, "-i", "hci1").exits(0)
        served = Served(blectl, "workbench", "--count", "1", "--io", "none", *options)
        equal(stat.S_IMODE(os.stat(path).st_mode), 0o600, "the mode of the file")
        taken = ("--oob", path) if giver == "served" else ()
        paired = _paired(blectl("pair", served.address, *central, *taken))
        for record in (paired, served.next("paired")):
            equal((record["method"], record["level"]), ("out of band", "fips"), f"the pairing, with data of the {giver}")
        served.live.finish().exits(0)
        blectl("unpair", served.address, "-i", "hci1").exits(0)
        blectl("unpair", "--all", "-i", "hci0").exits(0)
        btvirt.end_links()


def a_wrong_passkey_fails_and_keeps_nothing(blectl, air, pairing, awkward):
    awkward.will_pair("display", secure=True, passkey=PASSKEY)
    run = blectl("pair", awkward, "--io", "keyboard", "--passkey", WRONG).exits(76)
    run.says("cannot pair", "passkey")
    equal(blectl("bonds", "--json").exits(0).records(), [], "the bonds")


def digits_that_differ_are_refused(blectl, air, pairing, awkward):
    awkward.will_pair("yes-no", secure=True)
    blectl("pair", awkward, "--io", "yes-no", "--confirm", "no").exits(1).says("the answer was no")


def _silence(step: str, means: str, here: tuple[str, ...]):
    def case(blectl, air, pairing, awkward):
        awkward.will_pair(means, secure=True, passkey=PASSKEY, silent=step)
        run = blectl("pair", awkward, *here, "--timeout", "4", "--address-type", "random").exits(124)
        run.says("no answer within 4 s")
        # One second more, and what it takes to connect and to switch the adapter on.
        true(run.seconds < 4 + 1 + 2.5, f"it ends soon after its time, not after {run.seconds:.1f} s")
        equal(blectl("bonds", "--json").exits(0).records(), [], "the bonds")
        # The adapter is clean: the next pairing goes through.
        awkward.hang_up()
        air.wait_for_no_link()
        awkward.will_pair("none", secure=True)
        blectl("pair", awkward, "--io", "none").exits(0)

    return case


def _stops_before(secure: bool, code: int):
    def case(blectl, air, pairing, awkward):
        awkward.will_pair("none", secure=secure, silent=f"0x{code:02X}")
        options = ("--io", "none", "--timeout", "3", "--address-type", "random")
        run = blectl("pair", awkward, *options, "--json").exits(124).says("no answer within 3 s")
        equal(awkward.journal("kept back")[0]["code"], code, "the packet that it does not send")
        began, ended = run.records("pairing")[0], run.record("error")
        lasted = (ended["monotonic_ns"] - began["monotonic_ns"]) / 1e9
        # The first record is written a moment after the time of the pairing has begun.
        true(3 - 0.1 <= lasted <= 3 + 1, f"it ends within a second after its time, not after {lasted:.1f} s")
        equal(blectl("bonds", "--json").exits(0).records(), [], "the bonds")

    return case


# The packets that a device sends in a pairing, after the Pairing Response.
SECURE = {"public key": 0x0C, "confirm value": 0x03, "random number": 0x04, "check": 0x0D}
LEGACY = {"confirm value": 0x03, "random number": 0x04, "key": 0x06}
TABLE += [
    (
        f"a device that stops before its {step} {'with secure connections' if secure else 'of bluetooth 4'}",
        _stops_before(secure, code),
    )
    for secure, steps in ((True, SECURE), (False, LEGACY))
    for step, code in steps.items()
]


def a_device_of_bluetooth_4_is_refused_where_secure_connections_are_demanded(blectl, air, pairing, awkward):
    awkward.will_pair("none", secure=False)
    run = blectl("pair", awkward, "--io", "none", "--secure-connections", "only").exits(76)
    run.says("cannot pair", "has no Secure Connections", "SMP 0x03", "without --secure-connections").is_quiet()
    equal(blectl("bonds", "--json").exits(0).records(), [], "the bonds")
    awkward.hang_up()
    air.wait_for_no_link()
    # The demand is not left behind.
    blectl("pair", awkward, "--io", "none").exits(0)


TABLE += [
    ("a device that is silent when it is asked to pair", _silence("accept", "none", ("--io", "none"))),
    ("a device whose person does not compare", _silence("compare", "yes-no", ("--io", "yes-no", "--confirm", "yes"))),
    ("a device whose person enters nothing", _silence("enter", "keyboard", ("--io", "display"))),
]


@needs_kernel
def without_the_capability_the_line_to_type(blectl, pairing, awkward):
    nobody = blectl.as_nobody("net_raw")
    nobody("pair", awkward, "--io", "none").exits(77).says("CAP_NET_ADMIN", "hint")


@limit(60)
def a_device_whose_address_changes_is_found_by_its_bond(blectl, air, pairing, strap):
    strap.will_pair("none", secure=True)
    first = strap.rotate()
    paired = _paired(blectl("pair", first, "--io", "none", "--json"))
    equal((paired["device"]["address"], set(paired["keys"])), (strap.address, {"ltk", "irk"}), "the identity and the keys")
    strap.await_bond()
    strap.hang_up()
    air.wait_for_no_link()
    pairing.forget()
    steps = len(strap.journal("pairing"))
    for named in (strap.address, "Bumble HR"):
        private = strap.rotate()
        true(private not in (first, strap.address), "the address is another one")
        reports = blectl("scan", "--json", "--address", strap.address, "--count", "1").exits(0).records("advertisement")
        equal(reports[0]["device"]["address"] if "device" in reports[0] else reports[0]["address"], strap.address, "a scan")
        run = blectl("read", "battery-level", "-d", named, "--security", "medium", "--json").exits(0)
        equal(run.record("value")["device"]["address"], strap.address, "the device")
        strap.hang_up()
        air.wait_for_no_link()
    equal(len(strap.journal("pairing")), steps, "the steps of pairings")


@limit(60)
def the_keys_are_there_again_when_the_adapter_was_off(blectl, air, pairing, adapter, awkward):
    _bonded(blectl, air, awkward)
    adapter.down()
    adapter.up()
    pairing.lose()
    _is_encrypted_by_its_bond(blectl, awkward)


@limit(60)
@in_one_world
def the_keys_are_there_again_when_the_adapter_was_pulled_out(blectl, air, pairing, dongle, awkward):
    """The kernel has forgotten all of it, as after a restart of the machine."""
    _bonded(blectl, air, awkward)
    dongle.pull_out()
    dongle.plug_in(0)
    _is_encrypted_by_its_bond(blectl, awkward)


def _bonded(blectl, air, awkward) -> None:
    awkward.will_pair("none", secure=True)
    blectl("pair", awkward, "--io", "none").exits(0)
    awkward.await_bond()
    awkward.hang_up()
    air.wait_for_no_link()


def _is_encrypted_by_its_bond(blectl, awkward) -> None:
    steps = len(awkward.journal("pairing"))
    blectl("read", FINE, "-d", awkward, "--security", "medium").exits(0)
    equal(len(awkward.journal("pairing")), steps, "the steps of pairings")


def without_an_answer_nothing_is_sent(blectl, pairing, awkward):
    blectl("pair", awkward, "--io", "keyboard-display").exits(64).says("--passkey")
    equal(awkward.journal("connected"), [], "the connections")


@in_one_world
def beside_bluetoothd_blectl_keeps_no_keys(blectl, air, bluetoothd, awkward):
    """Without an agent, bluetoothd answers the kernel's question with no, and whoever answers first decides."""
    awkward.will_pair("none", secure=True)
    blectl("pair", awkward, "--io", "none").exits(0, 76).says("bluetoothd manages hci0: it keeps the keys")
    equal(blectl("bonds", "--json").exits(0).records(), [], "the bonds of blectl")


def signed_writes_are_signed_as_others_sign(blectl, air, pairing, awkward):
    awkward.will_pair("none", secure=True, signs=True)
    _paired(blectl("pair", awkward, "--io", "none", "--json"))
    awkward.await_bond()
    awkward.hang_up()
    air.wait_for_no_link()
    for value in ("0x2a", "text:on", "0x00112233445566778899aabbccddeeff"):
        run = blectl("write", SIGNED, value, "--signed", "-d", awkward, "--json").exits(0)
        equal(run.record("write")["procedure"], "signed-write-command", "how it was written")
    written = awkward.waits_for("signed", 3)
    equal([entry["counter"] for entry in written], [0, 1, 2], "the numbers of the signatures")
    equal([entry["valid"] for entry in written], [True] * 3, "whether cryptography makes the same signatures")
    equal([entry["encrypted"] for entry in written], [False] * 3, "whether the link was encrypted")
    blectl("write", SIGNED, "0x01", "--signed", "--security", "medium", "-d", awkward).exits(0).says("without a signature")
    blectl("unpair", awkward).exits(0)
    blectl("write", SIGNED, "0x01", "--signed", "-d", awkward).exits(78).says("there is no bond", "blectl pair")
