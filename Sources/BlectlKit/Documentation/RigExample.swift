// SPDX-License-Identifier: GPL-2.0-or-later

/// A file of `blectl-rig(7)`, which `make install` installs as an example. A test uses it as the page says.
public struct RigExample: Sendable {
    /// The name of the file.
    public let file: String
    /// The purpose of the rig, in sentences.
    let explanation: String
    /// The content as the page shows it, without a line feed at the end.
    let text: String

    /// The content of the installed file, which also says where it comes from.
    var contents: String {
        let (first, rest) = text.hasPrefix("#!") ? Self.split(text) : ("", text)
        let notice = "# SPDX-License-Identifier: GPL-2.0-or-later\n# \(GeneratedFile.notice)\n"
        return first + notice + rest + "\n"
    }

    /// The first line, with its line feed, and the rest.
    private static func split(_ text: String) -> (String, String) {
        let end = text.firstIndex(of: "\n").map { text.index(after: $0) } ?? text.endIndex
        return (String(text[..<end]), String(text[end...]))
    }

    /// The files of a rig that publishes, and of its broker.
    static let publishing = [broker, access, publish, service]
    /// The files of tests.
    static let tests = [bats, pytest, workflow]
    /// All files, in the order of the page.
    public static let all = publishing + tests

    private static let broker = RigExample(
        file: "broker.conf",
        explanation: """
            On the broker, in `/etc/mosquitto/conf.d`. By default, mosquitto drops what comes when 1000 messages wait for a \
            collector, and writes what it has to the disk every 30 minutes and at its end.
            """,
        text: """
            listener 1883
            password_file /etc/mosquitto/rigs.passwords
            acl_file /etc/mosquitto/rigs.acl
            # Messages that wait for a collector that is away.
            max_queued_messages 1000000
            # Messages that are lost at most if the broker is killed.
            autosave_on_changes true
            autosave_interval 100
            """
    )

    private static let access = RigExample(
        file: "rigs.acl",
        explanation: "On the broker: each rig writes its own topics only, and the collector reads all.",
        text: """
            user collector
            topic read blectl/#
            pattern write blectl/%u/#
            """
    )

    private static let publish = RigExample(
        file: "blectl-publish",
        explanation: "On each rig, in `/usr/local/bin`: publishes the lines that a command prints.",
        text: """
            #!/bin/bash
            # Usage: blectl-publish STREAM COMMAND [ARGUMENT...]
            # Publishes each line of COMMAND, and tells whether it runs.
            # BLECTL_RIG is the name of the rig, by default that of the machine.
            set -um
            name=${BLECTL_RIG:-$(uname -n)}/$1
            topic=blectl/$name
            shift

            tell() {
                timeout 10 mosquitto_pub -V 5 -q 1 -r -t "$topic/status" -m "$1"
            }
            runs() { kill -0 "$1"; }

            folder=$(mktemp -d) && mkfifo "$folder/records" || exit 73
            trap 'rm -rf "$folder"' EXIT
            mosquitto_pub -V 5 -i "${name//\\//-}" -k 10 -q 1 -l \\
                -t "$topic/records" --will-topic "$topic/status" \\
                --will-payload lost --will-qos 1 --will-retain \\
                < "$folder/records" & publisher=$!
            "$@" > "$folder/records" & command=$!

            # With -m, a job is a process group, so that a whole pipe ends.
            stop() { kill -- "-$command" 2>/dev/null; }
            trap stop INT TERM
            while runs "$command" && runs "$publisher"; do
                tell online
                # Again after a while, because a network that was away for
                # more than 15 seconds has made the broker tell 'lost'.
                sleep "${BLECTL_RIG_INTERVAL:-60}" & timer=$!
                wait -n "$command" "$publisher" "$timer"
                kill "$timer" && wait "$timer"
            done 2>/dev/null

            stop
            wait "$command" 2>/dev/null
            status=$?
            wait "$publisher" || status=75
            tell "ended $status"
            exit "$status"
            """
    )

    private static let service = RigExample(
        file: "blectl-rig@.service",
        explanation: """
            On each rig, in `/etc/systemd/system`: `blectl-rig@STREAM` publishes what the script `/etc/blectl-rig/STREAM` prints. \
            Options for `mosquitto_pub`, each on a line, are in `/etc/blectl-rig/mosquitto_pub`: the broker, the user and the \
            password, which only root can read. It needs systemd 250.
            """,
        text: """
            [Unit]
            Description=Publishes the Bluetooth records of %i
            Documentation=man:blectl-rig(7)
            Wants=network-online.target
            After=network-online.target

            [Service]
            ExecStart=/usr/local/bin/blectl-publish %i /bin/sh /etc/blectl-rig/%i
            Restart=always
            RestartSec=5
            KillMode=mixed
            DynamicUser=yes
            AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN
            CapabilityBoundingSet=CAP_NET_RAW CAP_NET_ADMIN
            LoadCredential=mosquitto_pub:/etc/blectl-rig/mosquitto_pub
            CacheDirectory=blectl-rig
            StateDirectory=blectl-rig
            Environment=XDG_CONFIG_HOME=%d
            Environment=XDG_CACHE_HOME=%C/blectl-rig
            Environment=XDG_STATE_HOME=%S/blectl-rig

            [Install]
            WantedBy=multi-user.target
            """
    )

    private static let bats = RigExample(
        file: "rig.bats",
        explanation: "Tests for bats, on one connection: `bats rig.bats`.",
        text: #"""
            #!/usr/bin/env bats
            bats_require_minimum_version 1.5.0

            setup_file() {
                export BLECTL_DEVICE='Pulse HR'
                blectl session start
            }

            teardown_file() {
                blectl session stop
            }

            @test "has charge" {
                run -0 blectl read battery-level \
                    --format '{decoded.battery_level_percent}'
                [ "$output" -ge 20 ]
            }

            @test "refuses what it does not know" {
                run -76 blectl write heart-rate-control-point 0x02
            }

            @test "beats" {
                run -0 blectl watch heart-rate --count 3 --deadline 20 \
                    --format '{decoded.heart_rate_bpm}'
                [ "${#lines[@]}" -eq 3 ]
                for rate in "${lines[@]}"; do [ "$rate" -gt 40 ]; done
            }
            """#
    )

    private static let pytest = RigExample(
        file: "test_rig.py",
        explanation: "The same for pytest: `python3 -m pytest test_rig.py`.",
        text: #"""
            import json
            import subprocess

            import pytest


            def blectl(*arguments, status=0):
                """Runs blectl, and returns its records."""
                run = subprocess.run(
                    ["blectl", "--json", "--deadline", "20", *arguments],
                    stdout=subprocess.PIPE,
                )
                records = [json.loads(line) for line in run.stdout.splitlines()]
                assert run.returncode == status, records
                return records


            @pytest.fixture(scope="module", autouse=True)
            def connection():
                command = ["blectl", "session"]
                subprocess.run([*command, "start", "-d", "Pulse HR"], check=True)
                yield
                subprocess.run([*command, "stop"], check=True)


            def test_has_charge():
                [level] = blectl("read", "battery-level")
                assert level["decoded"]["battery_level_percent"] >= 20


            def test_refuses_what_it_does_not_know():
                target = "heart-rate-control-point"
                *_, error = blectl("write", target, "02", status=76)
                assert error["att_error"] == 0x80


            def test_beats():
                beats = blectl("watch", "heart-rate", "--count", "3")
                assert len(beats) == 3
                for beat in beats:
                    assert beat["decoded"]["heart_rate_bpm"] > 40
            """#
    )

    private static let workflow = RigExample(
        file: "rig.yml",
        explanation: """
            A workflow for GitHub and those that take its files, in `.github/workflows`. The tests run against simulated devices \
            first, and then on a rig, whose runner has the label `bluetooth`. When they fail, the packets are kept. The script is \
            the first one of `blectl-script(5)`.
            """,
        text: """
            name: rig
            on: [push]
            jobs:
              simulated:
                runs-on: ubuntu-latest
                container: debian:bookworm
                steps:
                  - uses: actions/checkout@v4
                  - run: apt-get update && apt-get install -y ./blectl_*.deb
                  - run: blectl --simulate --simulate-time virtual run strap.blectl
              rig:
                needs: simulated
                runs-on: [self-hosted, bluetooth]
                concurrency: rig
                timeout-minutes: 10
                steps:
                  - uses: actions/checkout@v4
                  - run: blectl doctor
                  - run: >-
                      blectl run strap.blectl --report junit=report.xml
                      --capture run.btsnoop
                  - if: failure()
                    uses: actions/upload-artifact@v4
                    with:
                      name: evidence
                      path: |
                        report.xml
                        run.btsnoop
            """
    )
}
