# SPDX-License-Identifier: GPL-2.0-or-later
"""The throughput and the latency of a link, measured by `bench` and by Bumble's own bench app: on one adapter, to one device."""

import re
import sys

from guest.catalogue import limit
from guest.checks import equal, true, within
from guest.peers import PSM_COUNT, PSM_ECHO
from guest.schema import obeys
from guest.stack import command

# The characteristics of the app's peripheral.
WRITTEN = "e789c754-41a1-45f4-a948-a0a1a90dba53"
NOTIFIED = "016a2cc7-e14b-4819-935f-1f56eae4098d"

# The app asks both ends of attributes whether they can receive, which only its channels know: 0.0.236, apps/bench.py.
APP = """
import sys
from bumble.apps import bench
bench.GattClient.can_receive = bench.GattServer.can_receive = lambda self: True
sys.argv[0] = "bumble-bench"
bench.main()
"""


def _bumble(adapter, peer, scenario: str, mode: str, size: int, count: int) -> float:
    """The throughput in kbit/s that the app prints, on the adapter that the kernel has laid down for it."""
    options = ["--scenario", scenario, "--mode", mode, "--packet-size", str(size), "--packet-count", str(count)]
    # The MTU that blectl asks for, too.
    options += ["--att-mtu", "517", "--start-delay", "0"]
    adapter.down()
    try:
        said = command(
            "sh", "-c", 'exec "$@" 2>&1', "-", sys.executable, "-c", APP, *options,
            "central", f"hci-socket:{adapter.index}", "--peripheral", str(peer),
            patience=60,
        )  # fmt: skip
    finally:
        adapter.up()
    # A receiver counts its average from before the connection on. Behind the last packet, both ends acknowledge each other's
    # acknowledgements.
    which = "windowed" if scenario == "receive" else "average"
    speeds = re.findall(rf"Speed: .*?{which}=([0-9.]+)", said.split("Received last packet")[0])
    true(speeds, f"the app has printed a speed:\n{said[-2000:]}")
    return float(speeds[-1]) * 8 / 1_000


def _bench(blectl, peer, *arguments, **settings) -> dict:
    run = blectl("bench", *arguments, "-d", peer, "--address-type", "random", "--json", **settings).exits(0)
    records = [obeys(record) for record in run.records()]
    equal([record["type"] for record in records], ["bench"], "the records")
    (record,) = records
    true(record["throughput_kbps"] > 0 and record["duration_ms"] > 0, "there is a throughput")
    # The first notification begins the time, so that its octets are not in the rate.
    rated = record["octets"]
    if record["action"] == "notify":
        rated = rated * (record["count"] - 1) / record["count"]
    equal(round(rated * 8 / record["duration_ms"], 3), round(record["throughput_kbps"], 3), "octets, time and rate")
    latency = record["latency"]
    if latency:
        steps = [latency[key] for key in ("min_ms", "p50_ms", "p90_ms", "p99_ms", "max_ms")]
        equal(steps, sorted(steps), "the percentiles are in order")
        true(steps[0] <= latency["mean_ms"] <= steps[-1], "the mean is between them")
        true(sum(part["count"] for part in record["histogram"]) in (record["count"], record["count"] - 1), "the histogram")
    return record


def _beside(what: str, record: dict, other: float) -> None:
    print(f"    {what}: blectl {record['throughput_kbps']:.1f} kbit/s, Bumble's bench {other:.1f} kbit/s")


@limit(120)
def writes_beside_bumbles(blectl, air, adapter, bench):
    bench.unmute()
    record = _bench(blectl, bench, "write", WRITTEN, "--size", "200", "--count", "100")
    equal((record["action"], record["count"], record["octets"]), ("write", 100, 20_000), "what was written")
    air.wait_for_no_link()
    _beside("writes of 200 octets", record, _bumble(adapter, bench, "send", "gatt-client", 200, 100))


@limit(120)
def notifications_beside_bumbles(blectl, air, adapter, bench):
    bench.unmute()
    bench.stream(201, 200)
    record = _bench(blectl, bench, "notify", NOTIFIED, "--count", "200")
    equal((record["action"], record["count"], record["octets"]), ("notify", 200, 40_000), "what was sent")
    air.wait_for_no_link()
    _beside("notifications of 200 octets", record, _bumble(adapter, bench, "receive", "gatt-client", 200, 201))


@limit(120)
def a_channel_beside_bumbles(blectl, air, adapter, bench):
    bench.unmute()
    record = _bench(blectl, bench, "l2cap", "--psm", PSM_COUNT, "--one-way", "--size", "500", "--count", "200")
    equal((record["action"], record["count"], record["octets"]), ("l2cap", 200, 100_000), "what was sent")
    equal((record["latency"], record["histogram"]), (None, []), "nothing was waited for")
    within(5, "the device has seen the end", lambda: bench.journal("channel"))
    equal(bench.journal("channel")[0]["octets"], 100_000, "what has arrived")
    air.wait_for_no_link()
    _beside("units of 500 octets", record, _bumble(adapter, bench, "send", "l2cap-client", 500, 200))


def reads_and_echoes_are_round_trips(blectl, strap, echo):
    record = _bench(blectl, strap, "read", "battery-level", "--count", "30")
    equal((record["count"], record["octets"]), (30, 30), "what was read")
    true(record["latency"]["p50_ms"] > 0, "a round trip takes time")
    run = blectl("bench", "l2cap", "--psm", PSM_ECHO, "-d", echo, "--size", "100", "--count", "20", "--json").exits(0)
    equal(obeys(run.record("bench"))["octets"], 2_000, "what came back")


def a_device_without_the_service_or_the_credits_is_told(blectl, air, bench, echo):
    bench.unmute()
    place = ("-d", bench, "--address-type", "random")
    blectl("bench", "l2cap", "--psm", 0x99, *place).exits(68).says("no service with that number").is_quiet()
    # It counts, and does not echo.
    blectl("bench", "l2cap", "--psm", PSM_COUNT, "--timeout", "2", *place).exits(124).says("--one-way").is_quiet()
    blectl("bench", "read", NOTIFIED, *place).exits(76).is_quiet()
    air.wait_for_no_link()


def a_shorter_interval_is_faster(blectl, air, bench):
    """The options of the link come before the measurement, and `--timing` tells what it has."""
    bench.unmute()
    run = blectl(
        "bench", "l2cap", "--psm", PSM_COUNT, "--one-way", "--count", "20", "-d", bench, "--address-type", "random",
        "--link-phy", "2m", "--link-interval", "15ms", "--timing", "--json",
    ).exits(0)  # fmt: skip
    timing = run.record("bench")["timing"]
    link = timing["link"]
    equal((link["phy_tx"], link["interval_ms"], link["mtu"]), ("2M", 15, None), "the link")
    true(timing["connect_ms"] > 0 and timing["connect_attempts"] == 1 and timing["scan_ms"] is None, "the phases")
    air.wait_for_no_link()


def a_read_tells_its_timing(blectl, strap):
    run = blectl("read", "battery-level", "-d", strap, "--timing", "--json").exits(0)
    timing = run.record("value")["timing"]
    equal((timing["requests"], timing["discovery_requests"], timing["link"]["unknown"]), (1, 0, []), "requests and link")
    true(0 < timing["request_ms"] < 5_000 and timing["connect_ms"] > 0, "the times")
    people = blectl("read", "battery-level", "-d", strap, "--timing").exits(0)
    people.says("timing: ", "link: MTU 23")
