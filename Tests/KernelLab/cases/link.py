# SPDX-License-Identifier: GPL-2.0-or-later
"""The properties of a link: shown, changed and read back, against a peer that agrees, one that refuses and one that
never answers."""

import signal
import struct
import time

from guest.catalogue import in_one_world, limit, needs_kernel
from guest.checks import contains, equal, true
from guest.schema import obeys

REFUSED_FEATURE = "unsupported remote feature (0x1A)"
REFUSED_PARAMETERS = "unacceptable connection parameters (0x3B)"
# The property for the peer, the options, and the reason of a refusal.
SETTINGS = (
    ("phy", ["--link-phy", "2m"], REFUSED_FEATURE),
    ("data-length", ["--data-length", "100"], REFUSED_FEATURE),
    ("parameters", ["--link-interval", "15ms"], REFUSED_PARAMETERS),
    ("parameters", ["--link-latency", "2"], REFUSED_PARAMETERS),
    ("parameters", ["--supervision-timeout", "2s"], REFUSED_PARAMETERS),
)
CONNECTION_UPDATE = 0x2013


def _shown(blectl, strap, *arguments) -> dict:
    records = [obeys(record) for record in blectl("link", "-d", strap, "--json", *arguments).exits(0).records()]
    equal([record["type"] for record in records], ["link"], "the records")
    return records[0]


def a_new_link_is_shown_with_everything_that_its_events_tell(blectl, strap):
    link = _shown(blectl, strap)
    equal([each for each in link["unknown"] if each["property"] != "channels"], [], "what is not known")
    equal((link["role"], link["phy_tx"], link["phy_rx"]), ("central", "1M", "1M"), "role and PHY")
    true(7.5 <= link["interval_ms"] <= 50, "the interval is one that Linux asks for")
    equal((link["latency"], link["supervision_timeout_ms"]), (0, 420), "latency and supervision timeout")
    # Our own host asks for the longest packets of each link.
    true(link["data_length_tx_octets"] in (27, 251), "the data length")
    true(-127 <= link["rssi_dbm"] <= 20, "the signal is a strength")
    equal((link["tx_power_dbm"], link["encrypted"], link["key_size"]), (4, False, 0), "power and security")
    equal((link["subrate_factor"], link["continuation_number"]), (1, 0), "the subrate")
    true(link["peer_version"] and "LE 2M PHY" in link["peer_features"], "what the device says of itself")


def its_channels_are_told(blectl, strap):
    link = _shown(blectl, strap)
    reasons = [each["reason"] for each in link["unknown"] if each["property"] == "channels"]
    equal((link["channels"], reasons), ([*range(22), *range(23, 37)], []), "the channels, or why they are not known")


def each_property_is_set_and_read_back(blectl, strap):
    link = _shown(
        blectl, strap, "--link-phy", "2m", "--data-length", "100", "--link-interval", "15ms..30ms",
        "--link-latency", "2", "--supervision-timeout", "2s",
    )  # fmt: skip
    equal([change["outcome"] for change in link["changes"]], ["reached"] * 3, "the outcomes")
    equal((link["phy_tx"], link["phy_rx"], link["data_length_tx_octets"]), ("2M", "2M", 100), "PHY and data length")
    true(15 <= link["interval_ms"] <= 30, "the interval is in the range")
    equal((link["latency"], link["supervision_timeout_ms"]), (2, 2000), "latency and supervision timeout")


def a_subrate_factor_is_asked_for_and_read_back(blectl, air, strap):
    """Bumble's controllers have one factor, whatever is asked for."""
    link = _shown(blectl, strap, "--link-subrate", "2..4")
    equal([change["outcome"] for change in link["changes"]], ["reached"], "the outcome")
    equal((link["subrate_factor"], link["continuation_number"]), (2, 0), "the subrate")
    strap.hang_up()
    air.wait_for_no_link()
    run = blectl("link", "-d", strap, "--json", "--link-subrate", "3").exits(76).says("agree on less: 2")
    equal(run.record("link")["changes"][0]["outcome"], "different", "the outcome")


def _requested(trace) -> list[tuple]:
    """The parameters of each LE Connection Update: both ends of the interval, latency and supervision timeout."""
    updates = [command.parameters for command in trace.now().commands if command.opcode == CONNECTION_UPDATE]
    return [struct.unpack_from("<HHHH", parameters, 2) for parameters in updates]


def latency_and_supervision_timeout_are_set_each_alone(blectl, air, strap, trace):
    """The three parameters go together on the air; those that nobody wants changed stay as they are."""
    for options, latency, timeout in ((["--link-latency", "2"], 2, 42), (["--supervision-timeout", "2s"], 0, 200)):
        trace.restart()
        link = _shown(blectl, strap, *options)
        equal([change["outcome"] for change in link["changes"]], ["reached"], f"the outcome of {options}")
        equal((link["interval_ms"], link["latency"]), (30, latency), "interval and latency")
        equal(link["supervision_timeout_ms"], timeout * 10, "the supervision timeout")
        equal(_requested(trace), [(24, 24, latency, timeout)], "what was requested")
        equal(air.controller()["parameters"], {strap.address: [24, latency, timeout]}, "what the controllers have")
        strap.hang_up()
        air.wait_for_no_link()


def a_latency_lengthens_a_supervision_timeout_that_is_too_short_for_it(blectl, strap, trace):
    """The timeout has to be longer than twice the silence: 30 ms · 21 · 2 = 1,260 ms. Linux has 420 ms."""
    link = _shown(blectl, strap, "--link-latency", "20")
    equal((link["latency"], link["supervision_timeout_ms"]), (20, 1270), "latency and supervision timeout")
    equal(_requested(trace), [(24, 24, 20, 127)], "what was requested")


def a_supervision_timeout_that_the_latency_forbids_is_not_sent(blectl, strap, trace):
    run = blectl("link", "-d", strap, "--link-latency", "20", "--supervision-timeout", "500ms").exits(64)
    run.says("1270 ms")
    equal(_requested(trace), [], "what was requested")


@needs_kernel
def what_was_set_is_there_for_the_next_program_on_the_link(blectl, strap):
    """Linux keeps the link for two seconds. The PHY can be asked for; what only events tell is not known any more."""
    _shown(blectl, strap, "--link-phy", "2m", "--link-interval", "15ms")
    link = _shown(blectl, strap)
    equal((link["phy_tx"], link["phy_rx"]), ("2M", "2M"), "the PHY")
    equal(link["interval_ms"], None, "the interval")
    contains([each["property"] for each in link["unknown"]], "interval_ms", "what is not known")


def a_peer_that_refuses_is_named_with_its_reason(blectl, air, strap):
    for setting, options, reason in SETTINGS:
        strap.set_link(setting, "refuses")
        run = blectl("link", "-d", strap, "--json", *options).exits(76)
        run.says(f"the device refuses: {reason}")
        link = obeys(run.records()[0])
        equal([change["outcome"] for change in link["changes"]], ["refused"], f"the outcome of {options}")
        equal((link["phy_tx"], link["latency"], link["supervision_timeout_ms"]), ("1M", 0, 420), "what stays")
        strap.set_link(setting, "agrees")
        strap.hang_up()
        air.wait_for_no_link()


def a_peer_that_agrees_in_part_is_told_apart(blectl, air, strap):
    """The interval is as it was wanted, the other parameters are not."""
    for options in (["--link-latency", "2"], ["--supervision-timeout", "2s"]):
        strap.set_link("parameters", "agrees in part")
        run = blectl("link", "-d", strap, "--json", *options).exits(76).says("agree on less", "30 ms")
        link = run.record("link")
        equal([change["outcome"] for change in link["changes"]], ["different"], f"the outcome of {options}")
        equal((link["latency"], link["supervision_timeout_ms"]), (0, 420), "what the link has")
        strap.hang_up()
        air.wait_for_no_link()


def a_controller_that_rejects_the_command_is_named_with_its_status(blectl, air, strap):
    strap.set_link("parameters", "rejects")
    for options in (["--link-interval", "15ms"], ["--link-latency", "2"], ["--supervision-timeout", "2s"]):
        run = blectl("link", "-d", strap, "--json", *options).exits(75)
        run.says("the controller of this machine refuses", "(0x12)")
        link = run.record("link")
        changes = [(change["outcome"], change["status"]) for change in link["changes"]]
        equal(changes, [("rejected", 0x12)], f"the outcome of {options}")
        equal((link["latency"], link["supervision_timeout_ms"]), (0, 420), "what the link has")
        strap.hang_up()
        air.wait_for_no_link()


@limit(60)
def a_peer_that_never_answers_ends_the_command_in_time(blectl, air, strap):
    for setting, options, _reason in SETTINGS:
        strap.set_link(setting, "silent")
        run = blectl("link", "-d", strap, "--timeout", "2", *options).exits(124)
        [connected] = strap.journal("connected")
        seconds = time.monotonic() - connected["at"]
        run.says("the device did not answer within 2 s")
        true(2 <= seconds < 3, f"it ends in time for {options}: {seconds:.2f} s after it has connected")
        strap.hang_up()
        air.wait_for_no_link()
        air.reset()


def a_command_that_connects_raises_its_link_first(blectl, strap, trace):
    run = blectl("read", "battery-level", "-d", strap, "--link-interval", "15ms", "-v").exits(0)
    run.says("asked for interval 15 ms; reached interval 15 ms")


def a_command_whose_link_is_refused_reads_nothing(blectl, strap):
    strap.set_link("parameters", "refuses")
    run = blectl("read", "battery-level", "-d", strap, "--link-interval", "15ms").exits(76)
    run.says("cannot change the connection parameters", REFUSED_PARAMETERS)
    equal(run.stdout, "", "the output")


def the_signal_is_streamed(blectl, strap):
    records = blectl("link", "-d", strap, "--signal", "-n", "4", "--period", "100ms", "--json").exits(0).records()
    equal([obeys(record)["sequence"] for record in records], [1, 2, 3, 4], "the numbers")
    true(all(-127 <= record["rssi_dbm"] <= 20 for record in records), "each is a strength")


def what_is_out_of_range_is_refused_before_anything_is_sent(blectl, strap):
    for options in (["--link-interval", "5ms"], ["--data-length", "300"], ["--supervision-timeout", "50ms"]):
        blectl("link", "-d", strap, *options).exits(64)


@in_one_world
def without_a_privilege_the_rest_is_shown_and_nothing_is_changed(blectl, strap):
    link = _shown(blectl.as_nobody(), strap, "--address-type", "random")
    # Linux 6.1 tells everybody the PHY of a link once it has changed, and nothing before.
    equal((link["role"], link["phy_tx"], link["phy_rx"]), ("central", None, None), "what the kernel tells everybody")
    true(-127 <= link["rssi_dbm"] <= 20, "the signal is a strength")
    equal((link["interval_ms"], link["data_length_tx_octets"]), (None, None), "what only events tell")
    true(all("CAP_NET_RAW" in each["reason"] for each in link["unknown"]), "the reasons")
    run = blectl.as_nobody()("link", "-d", strap, "--address-type", "random", "--link-phy", "2m").exits(77)
    run.says("CAP_NET_RAW", "setcap")


def _linked(blectl) -> list:
    records = [obeys(record) for record in blectl("devices", "--json").exits(0).records()]
    return [(record["device"]["address"], record["device"]["address_type"], record["adapter"]) for record in records]


@needs_kernel
def devices_lists_the_links_of_every_program(blectl, air, strap):
    """The kernel tells them; another program's folders know nothing of the device."""
    other = blectl.with_environment(XDG_STATE_HOME=f"{blectl.directory}/other", XDG_CACHE_HOME=f"{blectl.directory}/other")
    equal(_linked(other), [], "what is known before")
    live = blectl.start("notify", "heart-rate-measurement", "-d", strap, "--json")
    live.next_record()
    equal(_linked(other), [(strap.address, "random", "hci0")], "what the kernel tells")
    equal([each[2] for each in _linked(blectl)], ["hci0"], "what is known of it, too")
    equal(_linked(other.as_nobody()), [], "what is told without the capability")
    live.signal(signal.SIGINT)
    live.finish(patience=10)
    air.wait_for_no_link()
    equal(_linked(other), [], "what is left")
