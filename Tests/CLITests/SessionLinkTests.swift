// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// The link of a session, as commands, scripts and shells see it.
@Suite("The link that a session holds", .startsPrograms(.waiting))
struct SessionLinkTests {
    @Test func `commands read its properties and change them for all`() async throws {
        let run = try await SessionShell.run(
            #"""
            blectl session start -d 'Pulse HR' >/dev/null
            properties='{role} {mtu} {phy_tx} {interval_ms} {data_length_tx_octets}'
            blectl link --format "$properties"
            blectl link --link-phy 2m --link-interval 15ms >/dev/null; echo "change $?"
            blectl link --format "$properties"
            blectl link --signal --count 2 | grep -c dBm
            blectl read battery-level --link-interval 30ms; echo "read $?"
            blectl link --format '{interval_ms}'
            blectl read battery-level --timing 2>&1 >/dev/null | grep link:
            blectl link --link-interval 7.5ms --link-latency 300 --link-timeout 100ms 2>&1 | head -1
            """#
        )
        let expected = [
            "central 247 1M 30 251", "change 0", "central 247 2M 15 251", "2", "87 %", "read 0", "30",
            "link: MTU 247, PHY 2M, interval 30 ms, data length 251",
        ]
        #expect(Array(run.lines.prefix(expected.count)) == expected, "\(run)")
    }

    @Test func `with --redact, neither its process nor a command on it shows a name or a value`() async throws {
        let run = try await SessionShell.run(
            #"""
            blectl session start -d Workbench --redact -v 2>$F/log >/dev/null; echo "start $?"
            grep -c ' att ' $F/log >/dev/null && echo traced; grep -ci workbench $F/log
            blectl session start -d Workbench --redact 2>&1 | tee $F/held | grep -ci workbench; head -1 $F/held | cut -d ' ' -f 1-5
            for i in '' -v; do
                # Without '-v', the process of the session carries the command out.
                blectl write b1ec0101-5ec7-4c3a-9d0e-51a1b1ec0001 text:topsecret -d Workbench --redact $i 2>&1 >/dev/null \
                    | grep -ciE 'workbench|topsecret|746f70736563726574'
                blectl read 0xFFF1 -d Workbench --redact $i 2>&1 | grep '^blectl: ' | grep -ci workbench
                blectl read 0xFFF1 -d Workbench $i 2>&1 | grep '^blectl: cannot' | grep -ci workbench
            done
            blectl session stop Nobody --redact 2>&1
            """#
        )
        let expected = [
            "start 0", "traced", "0", "0", "blectl: cannot start a session", "0", "0", "1", "0", "0", "1",
            "blectl: there is no session '…'", "hint: blectl session list",
        ]
        #expect(run.lines == expected, "\(run)")
    }

    @Test func `a channel to the device of a session opens without a search`() async throws {
        let run = try await SessionShell.run(
            #"""
            blectl session start -d Workbench --label desk >/dev/null
            # Only the session has this name.
            printf ping | blectl l2cap connect --psm 128 -d desk --timeout 20; echo " $?"
            blectl bench l2cap --psm 128 -d desk --count 2 --timeout 20 --format '{count}'
            printf '%s\n' 'bench l2cap --psm 128 -d desk --count 2 --format "{count}"' 'read 0x2A00 -d desk' \
                | blectl shell --timeout 20
            blectl l2cap connect --psm 128 -d desk --timeout 2 --no-session </dev/null 2>/dev/null; echo $?
            """#
        )
        #expect(run.lines == ["ping 0", "2", "2", "Workbench", "68"], "\(run)")
    }

    @Test func `the error of a channel that the session's link blocks names the session`() async throws {
        let run = try await SessionShell.run(
            #"""
            world
            blectl session start -d Workbench >/dev/null
            blectl l2cap connect --psm 128 -d Workbench --connect-timeout 1 </dev/null 2>&1 | tail -1
            # In a shell, whose lines use the link of the session.
            bench='bench l2cap --psm 128 --count 1 --connect-timeout 1'
            printf '%s\n' 'read 0x2A00 -d Workbench' "$bench" "$bench -d Workbench" | blectl shell 2>&1 | grep -v cannot
            echo "$bench" | blectl shell -d Workbench 2>&1 | tail -1
            """#
        )
        let remedy = "and it may take no other: blectl session stop workbench"
        let hint = "hint: session 'workbench' has a link to it, \(remedy)"
        #expect(run.lines == [hint, "Workbench", hint, hint, hint], "\(run)")
    }

    @Test func `an update, which needs the device alone, names the session at once`() async throws {
        let firmware = Data(FirmwareImage.octets(length: 100)).base64EncodedString()
        let run = try await SessionShell.run(
            #"""
            echo \#(firmware) | base64 -d >$F/firmware.bin
            world mcuboot-board
            blectl session start -d Board >/dev/null
            for device in '' '-d Board'; do blectl update $F/firmware.bin $device --timeout 300 2>&1; echo ${PIPESTATUS[0]}; done
            blectl session stop >/dev/null
            blectl update $F/firmware.bin --no-reset >/dev/null; echo $?
            """#
        )
        #expect(run.lines.count == 7, "\(run)")
        for index in [0, 3] where run.lines.count == 7 {
            #expect(
                run.lines[index].hasPrefix(
                    "blectl: cannot update Board (E3:52:9B:7D:04:C8): session 'board' holds the link"
                )
            )
            #expect(run.lines[index + 1...index + 2] == ["hint: blectl session stop 'board'", "75"], "\(run)")
        }
        #expect(run.lines.last == "0", "\(run)")
    }

    @Test func `a script runs on it, and continues without a killed session`() async throws {
        let run = try await SessionShell.run(
            #"""
            blectl session start -d 'Pulse HR' >/dev/null; pid=$(holder)
            cat >$F/link.blectl <<'END'
            device strap -d 'Pulse HR'
            test "the link of the session"
              connect strap
              check strap mtu is 247 and phy_tx is 1m and role is Central and interval_ms in 7.5..50 and rssi < 0
              link strap --link-phy 2m expect phy_tx is 2M
              read strap battery-level expect 87
            END
            blectl run $F/link.blectl --json >$F/out; echo "run $?"
            blectl session list --format '{state}'; blectl link --format '{phy_tx}'
            cat >$F/long.blectl <<'END'
            device strap -d 'Pulse HR'
            test "before"
              read strap battery-level expect 87
            test "after"
              pause 2
              read strap battery-level expect 87
            END
            blectl run $F/long.blectl >$F/out 2>&1 & running=$!
            until_there 'grep -q before $F/out'; kill -KILL $pid
            wait $running; echo "run $?"
            """#
        )
        #expect(run.lines == ["run 0", "connected", "2M", "run 0"], "\(run)")
    }

    @Test func `with --no-session, a script and a shell make their own connection`() async throws {
        let run = try await SessionShell.run(
            #"""
            world
            blectl session start -d 'Pulse HR' >/dev/null
            printf "device strap -d 'Pulse HR' --retries 0\nread strap battery-level\n" >$F/s.blectl
            blectl run $F/s.blectl >/dev/null; echo "shared $?"
            # The strap has a link already, and does not advertise.
            blectl run --no-session --timeout 1 $F/s.blectl >/dev/null 2>&1; echo "own $?"
            echo read battery-level | blectl shell --no-session -d 'Pulse HR' --timeout 1 --retries 0 2>/dev/null
            echo "shell $?"
            """#
        )
        #expect(run.lines.first == "shared 0" && run.lines.count == 3, "\(run)")
        #expect(run.lines.dropFirst().allSatisfy { !$0.hasSuffix(" 0") }, "\(run)")
    }
}
