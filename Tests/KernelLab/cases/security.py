# SPDX-License-Identifier: GPL-2.0-or-later
"""The security of links: raised when a device demands it, demanded by the user, and never done without."""

import os
import tempfile

from guest import management
from guest.catalogue import in_one_world, limit
from guest.checks import contains, equal, true, within
from guest.peers import FINE, PROTECTED

KEY_OF_16 = "is now encrypted with an unauthenticated key of 16 octets"


# If Low Energy is switched on late, Linux starts no pairing.
@in_one_world
def a_device_that_demands_security_gets_it_once(blectl, agent, awkward):
    """The awkward device refuses for ever, so the second refusal is the result."""
    run = blectl("read", PROTECTED, "-d", awkward).exits(76)
    run.says("demands security (ATT 0x05 insufficient authentication)", KEY_OF_16, "the device requires pairing")
    equal(run.stderr.count("demands security"), 1, "how often the link was raised")
    equal(len(agent.confirmed), 1, "how many pairings were confirmed")


@in_one_world
def the_bond_of_the_kernel_encrypts_before_the_first_request(blectl, air, secure_agent, awkward):
    blectl("read", FINE, "-d", awkward, "--security", "medium").exits(0)
    equal(len(secure_agent.confirmed), 1, "how many pairings were confirmed")
    awkward.await_bond()
    awkward.hang_up()
    air.wait_for_no_link()
    blectl("read", FINE, "-d", awkward, "--security", "medium", "--min-key-size", "16").exits(0)
    equal(len(secure_agent.confirmed), 1, "how many pairings were confirmed, with the second link")


@in_one_world
def a_device_that_has_lost_the_key_is_not_read_without_it(blectl, air, secure_agent, awkward):
    blectl("read", FINE, "-d", awkward, "--security", "medium").exits(0)
    awkward.await_bond()
    awkward.hang_up()
    air.wait_for_no_link()
    awkward.forget_bonds()
    run = blectl("read", FINE, "-d", awkward, "--security", "medium").exits(76)
    run.says("the link could not be encrypted", f"blectl unpair {awkward}", f"blectl pair {awkward}")
    equal(run.stdout, "", "the output")


@in_one_world
def without_pairing_nothing_is_raised(blectl, agent, awkward):
    run = blectl("read", PROTECTED, "-d", awkward, "--no-pair").exits(76)
    run.says("the device requires pairing")
    equal(agent.confirmed, [], "the confirmed pairings")


@in_one_world
def who_waits_for_a_key_is_told_what_is_missing(blectl, agent, awkward):
    """The key has to be authenticated, and neither the agent nor the device has a display or a keyboard."""
    run = blectl("read", FINE, "-d", awkward, "--security", "high", "--timeout", "5").exits(76, 124)
    run.says(f"blectl pair {awkward}").is_quiet()
    true(run.seconds < 8, "it ends before the time of the operation")


def _somebody(blectl, *capabilities: str):
    """The program as another user, who has a home of their own."""
    home = tempfile.mkdtemp(prefix="nobody-")
    os.chmod(home, 0o777)
    return blectl.as_nobody(*capabilities).with_environment(HOME=home, XDG_STATE_HOME=f"{home}/state")


def _without(capabilities: tuple[str, ...]):
    """What works without CAP_NET_ADMIN: the levels of the socket, and the bonds of the kernel."""

    @in_one_world
    @limit(60)
    def case(blectl, air, secure_agent, awkward):
        blectl("read", FINE, "-d", awkward, "--security", "medium").exits(0)
        awkward.await_bond()
        awkward.hang_up()
        air.wait_for_no_link()
        steps = len(awkward.journal("pairing"))
        user = _somebody(blectl, *capabilities)
        place = ("-d", awkward, "--address-type", "random")
        user("read", FINE, *place, "--security", "medium", "--min-key-size", "16").exits(0)
        equal(len(awkward.journal("pairing")), steps, "the steps of pairings")
        awkward.hang_up()
        air.wait_for_no_link()
        user("read", FINE, *place, "--security", "high", "--timeout", "5").exits(76, 124).is_quiet()
        user("bonds", "--json").exits(0)
        awkward.hang_up()
        air.wait_for_no_link()
        # A scan needs the other capability, so that the type of an address that nothing is known of has to be given.
        scan = user("scan", "--duration", "1")
        scan.exits(0) if capabilities else scan.exits(77).says("CAP_NET_RAW", "setcap")
        for refused in (("pair", awkward, "--io", "none", "--address-type", "random"), ("unpair", awkward)):
            user(*refused).exits(77).is_quiet().says("CAP_NET_ADMIN", "setcap")
        served = user("serve", "workbench", "--io", "none", "--duration", "2").exits(77).is_quiet()
        served.says("CAP_NET_ADMIN" if capabilities else "CAP_NET_", "setcap")

    return case


TABLE = [
    ("without cap net admin the bonds of the kernel encrypt", _without(("net_raw",))),
    ("without any capability the bonds of the kernel encrypt", _without(())),
]


# With the program's own host there is no agent: the program pairs by itself where that needs no answer, and keeps the keys.


def _steps(awkward) -> int:
    return len(awkward.journal("pairing"))


def our_own_host_raises_a_link_once(blectl, line):
    awkward = line.peers["awkward"]
    run = blectl("read", PROTECTED, "-d", awkward).exits(76)
    run.says("demands security (ATT 0x05 insufficient authentication)", KEY_OF_16, "the device requires pairing")
    equal(run.stderr.count("demands security"), 1, "how often the link was raised")
    equal(blectl("bonds", "--json").exits(0).record("bond")["level"], "medium", "what is kept")


def our_own_host_encrypts_by_its_bond_before_the_first_request(blectl, line):
    awkward = line.peers["awkward"]
    awkward.will_pair("none", secure=True)
    for steps in (2, 0):
        before = _steps(awkward)
        blectl("read", FINE, "-d", awkward, "--security", "medium", "--min-key-size", "16").exits(0)
        equal(_steps(awkward) - before, steps, "the steps of a pairing")
        awkward.await_bond()


def our_own_host_reads_nothing_without_the_key_that_a_device_has_lost(blectl, line):
    awkward = line.peers["awkward"]
    blectl("read", FINE, "-d", awkward, "--security", "medium").exits(0)
    awkward.await_bond()
    awkward.forget_bonds()
    run = blectl("read", FINE, "-d", awkward, "--security", "medium").exits(76).is_quiet()
    run.says("the link could not be encrypted", f"blectl unpair {awkward}", f"blectl pair {awkward}")


def our_own_host_raises_nothing_without_pairing(blectl, line):
    awkward = line.peers["awkward"]
    awkward.will_pair("none", secure=True)
    blectl("read", PROTECTED, "-d", awkward, "--no-pair").exits(76).says("the device requires pairing")
    equal(_steps(awkward), 0, "the steps of pairings")
    equal(blectl("bonds", "--json").exits(0).records(), [], "the bonds")


def our_own_host_tells_what_a_higher_level_needs(blectl, line):
    awkward = line.peers["awkward"]
    for level in ("high", "fips"):
        run = blectl("read", FINE, "-d", awkward, "--security", level, "--timeout", "5").exits(76, 124).is_quiet()
        run.says(f"blectl pair {awkward}")
        true(run.seconds < 8, "it ends before the time of the operation")


def our_own_host_uses_the_level_that_a_passkey_has_given(blectl, line):
    awkward = line.peers["awkward"]
    awkward.will_pair("display", secure=True, passkey=123456)
    blectl("pair", awkward, "--io", "keyboard", "--passkey", "123456").exits(0)
    awkward.await_bond()
    steps = _steps(awkward)
    for level in ("medium", "high", "fips"):
        blectl("read", FINE, "-d", awkward, "--security", level).exits(0)
    equal(_steps(awkward), steps, "the steps of pairings")


@limit(60)
def beside_bluetoothd_its_bond_is_used_and_its_keys_stay(blectl, air, bluetoothd, awkward):
    awkward.will_pair("none", secure=True)
    bluetoothd.agree()
    bluetoothd.pair(str(awkward))
    awkward.await_bond()
    bluetoothd.tell(f"disconnect {awkward}")
    air.wait_for_no_link()
    steps, store, kernel = len(awkward.journal("pairing")), bluetoothd.store(), _kernel()
    contains(store[f"{awkward}/info"], "Key=", "what bluetoothd keeps")
    for _ in range(2):
        blectl("read", FINE, "-d", awkward, "--security", "medium", "--no-cache").exits(0)
        awkward.hang_up()
        air.wait_for_no_link()
    equal(len(awkward.journal("pairing")), steps, "the steps of pairings")
    equal(_keys(bluetoothd.store()), _keys(store), "the keys that bluetoothd keeps")
    for line in (("scan", "--duration", "1"), ("bonds",), ("inspect", awkward), ("doctor",), ("adapters",), ("devices",)):
        blectl(*line).exits(0)
    awkward.hang_up()
    air.wait_for_no_link()
    equal(_kernel(), kernel, "what the kernel says of the adapter")
    # The kernel's keys are those of bluetoothd: it is connected and encrypted by them, without another pairing.
    bluetoothd.tell(f"connect {awkward}")
    within(15, "bluetoothd is connected", lambda: bluetoothd.knows(str(awkward), "Connected: yes"))
    bluetoothd.tell(f"disconnect {awkward}")
    air.wait_for_no_link()
    blectl("read", FINE, "-d", awkward, "--security", "medium").exits(0)
    equal(len(awkward.journal("pairing")), steps, "the steps of pairings after all of it")
    equal(blectl("bonds", "--json").exits(0).records(), [], "what blectl keeps")


@limit(90)
def beside_bluetoothd_a_pairing_is_its_own(blectl, air, bluetoothd, awkward):
    """Its agent is asked as well, and answers; its store has the keys."""
    awkward.will_pair("none", secure=True)
    bluetoothd.agree()
    paired = blectl("pair", awkward, "--io", "none", "--json").exits(0).record("paired")
    equal((paired["kept_by"], paired["level"]), ("bluetoothd", "medium"), "the pairing")
    within(5, "bluetoothd keeps the keys", lambda: "Key=" in bluetoothd.store().get(f"{awkward}/info", ""))
    equal(blectl("bonds", "--json").exits(0).records(), [], "what blectl keeps")
    awkward.await_bond()
    awkward.hang_up()

    def is_read() -> bool:
        # bluetoothd may connect to what was paired at any time, and has the only ATT channel then.
        bluetoothd.tell(f"disconnect {awkward}")
        air.wait_for_no_link()
        return blectl("read", FINE, "-d", awkward, "--security", "medium", "--connect-timeout", "4").status == 0

    within(40, "a value is read with the keys of bluetoothd", is_read)


def _kernel() -> tuple[bytes, bytes]:
    """What the kernel answers about the adapter: address, settings, class and names; and its connections."""
    return management.perform(management.READ_INFORMATION), management.perform(management.GET_CONNECTIONS)


def _keys(store: dict[str, str]) -> dict[str, list[str]]:
    """The lines with keys. Other lines, such as those about services, change with every connection."""
    return {
        path: [line for line in text.splitlines() if line.startswith(("Key=", "EncSize=", "EDiv=", "Rand=", "["))]
        for path, text in store.items()
    }
