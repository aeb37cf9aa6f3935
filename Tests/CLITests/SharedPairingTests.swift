// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Pairing between processes that share a simulated world.
@Suite("Pairing in a shared world", .startsPrograms(isLong: true))
struct SharedPairingTests {
    /// Runs a script of bash, see `SharedWorldTests`.
    private func shell(_ script: String) async throws -> (lines: [String], errors: String) {
        try await SharedWorldTests().shell(script)
    }

    @Test func `later commands have the keys of a pairing until it is removed`() async throws {
        let run = try await shell(
            """
            world security
            blectl pair 'Passkey Shown' --passkey 271828
            blectl read battery-level -d 'Passkey Shown'
            blectl bonds --format '{device.address} {level} {adapter}'
            blectl pair 'Passkey Shown' --passkey 271828 2>&1 | head -1
            blectl unpair 'Passkey Shown'
            blectl read battery-level -d 'Passkey Shown' --no-pair 2>&1; echo $?
            blectl pair Legacy
            for i in 1 2; do blectl write 0xFF51 0x2a --signed -d Legacy --json | grep -o '"procedure":"[a-z-]*"'; done
            blectl read battery-level -d 'Just Works' --security medium 2>&1
            blectl read battery-level -d 'Just Works' --security medium 2>&1
            """
        )
        let expected = [
            "paired with Passkey Shown (C5:EC:00:00:00:02) by passkey entry: level fips, keys kept by blectl", "81 %",
            "C5:EC:00:00:00:02 fips 02:00:00:00:00:01",
            "blectl: cannot pair with Passkey Shown (C5:EC:00:00:00:02): they are paired already",
            "forgot the keys of Passkey Shown (C5:EC:00:00:00:02)",
            "blectl: cannot read battery-level from Passkey Shown (C5:EC:00:00:00:02): the device requires pairing "
                + "(ATT 0x05 insufficient authentication)",
            "hint: blectl pair C5:EC:00:00:00:02", "76",
            "paired with Legacy (C5:EC:00:00:00:05) by just works: level medium, keys kept by blectl",
            #""procedure":"signed-write-command""#, #""procedure":"signed-write-command""#,
            "blectl: paired with Just Works (C5:EC:00:00:00:01) by just works: level medium, keys kept by blectl",
            "80 %", "80 %",
        ]
        #expect(run.lines == expected, "\(run)")
    }

    @Test func `failures of a pairing have the same reasons and statuses as in one process`() async throws {
        let run = try await shell(
            """
            world security
            tell() { "$@" 2>&1 >/dev/null | head -1 | grep -o '(.*)$'; echo ${PIPESTATUS[0]}; }
            tell blectl pair 'Passkey Shown' --passkey 111111
            tell blectl pair Refusing
            blectl pair Compare --confirm no 2>/dev/null; echo $?
            blectl pair Silent --timeout 1 2>/dev/null; echo $?
            for i in Forgetful Impostor; do
                blectl pair $i >/dev/null; blectl read battery-level -d $i 2>/dev/null; echo $?
            done
            blectl bonds --format '{device.name}'
            """
        )
        let expected = [
            "(C5:EC:00:00:00:02): the passkey is wrong (SMP 0x04 confirm value failed)", "76",
            "(C5:EC:00:00:00:06): the device does not pair (SMP 0x05 pairing not supported)", "76", "1", "124", "76",
            "76", "Forgetful", "Impostor",
        ]
        #expect(run.lines == expected, "\(run)")
    }

    @Test func `one command pairs with a device that another one serves, which remembers it`() async throws {
        let run = try await shell(
            """
            world security
            device=02:00:00:00:00:01
            encrypted=b1ec0302-5ec7-4c3a-9d0e-51a1b1ec0001
            authenticated=b1ec0301-5ec7-4c3a-9d0e-51a1b1ec0001
            background serve workbench --io yes-no --confirm yes --count 4 --json; serving=$running
            blectl read $encrypted -d $device --no-pair 2>/dev/null; echo $?
            blectl pair $device --io yes-no --confirm yes
            blectl read $authenticated -d $device --format '{value}'
            blectl read $encrypted -d $device --security fips --format '{value}'
            wait $serving; echo "serving $?"
            blectl bonds --format '{device.address} {level}' | sort
            cp $S.out $S.first
            # Another process serves on, with the keys of the file of bonds.
            background serve workbench --count 1 --json; serving=$running
            blectl read $authenticated -d $device --format '{value}'
            wait $serving
            cat $S.first
            """
        )
        let secret = "736563726574"
        let expected = [
            "76", "paired with Workbench (02:00:00:00:00:01) by numeric comparison: level fips, keys kept by blectl",
            secret, secret, "serving 0", "02:00:00:00:00:01 fips", "02:00:00:00:00:02 fips", secret,
        ]
        #expect(Array(run.lines.prefix(expected.count)) == expected, "\(run)")
        let records = try JSON.objects(run.lines.dropFirst(expected.count).joined(separator: "\n"))
        for record in records { #expect(RecordCheck.problems(of: record) == []) }
        let steps = records.filter { $0["type"] == .string("pairing") }.compactMap { $0["step"]?.string }
        #expect(steps == ["started", "compare", "key", "key", "key"], "\(steps)")
        let paired = try #require(records.first { $0["type"] == .string("paired") })
        #expect(paired["device"]?.object?["address"] == .string("02:00:00:00:00:02"))
        #expect(paired["level"] == .string("fips") && paired["kept_by"] == .string("blectl"))
        #expect(paired["method"] == .string("numeric comparison"))
        // The connection of the pairing has no request after it.
        let end = records.first { $0["connection"] == .integer(2) && $0["type"] == .string("disconnected") }
        let security = try #require(end?["security"]?.object)
        #expect(security["encrypted"] == .bool(true) && security["bonded"] == .bool(true), "\(security)")
    }

    @Test func `the reason of a failure is reported at the responder, too`() async throws {
        let run = try await shell(
            """
            world security
            background serve workbench --io keyboard --passkey 111111 --count 1 --json; serving=$running
            blectl pair 02:00:00:00:00:01 --io display >/dev/null 2>&1; echo $?
            wait $serving; cat $S.out
            """
        )
        #expect(run.lines.first == "76", "\(run)")
        let error = try #require(
            try JSON.objects(run.lines.dropFirst().joined(separator: "\n")).first { $0["type"] == .string("error") }
        )
        #expect(error["message"]?.string?.contains("SMP 0x04 confirm value failed") == true, "\(run)")
    }

    @Test func `a central asked for security pairs, and nobody replaces a bonded one`() async throws {
        let run = try await shell(
            """
            world security
            device=02:00:00:00:00:01
            type() { grep -o '"type":"\\(paired\\|error\\)"' $S.out; }
            background serve workbench --io none --security-request --count 1 --json; serving=$running
            blectl pair $device
            wait $serving; echo "serving $?"; type
            # The central has lost the keys, and the device has not.
            background serve workbench --io none --count 1 --json; serving=$running
            blectl unpair $device
            blectl pair $device >/dev/null 2>&1; echo $?
            wait $serving; type; grep -o 'blectl unpair [0-9:]*' $S.out | head -1
            background serve workbench --io none --no-bondable --count 1; serving=$running
            blectl pair $device 2>&1 | grep -o 'SMP.*)'
            wait $serving; echo "serving $?"
            """
        )
        let expected = [
            "paired with Workbench (02:00:00:00:00:01) by just works: level medium, keys kept by blectl", "serving 0",
            #""type":"paired""#, "forgot the keys of Workbench (02:00:00:00:00:01)", "76", #""type":"error""#,
            "blectl unpair 02:00:00:00:00:02", "SMP 0x05 pairing not supported)", "serving 0",
        ]
        #expect(run.lines == expected, "\(run)")
    }

    @Test func `a central with the data of a served device pairs with proof, without digits`() async throws {
        let run = try await shell(
            """
            world security
            device=02:00:00:00:00:01
            umask 000
            background serve workbench --io none --oob-out $S.oob --count 2 --json; serving=$running
            stat -c %a $S.oob
            # The confirm value is another one.
            tr '\\n' ' ' <$S.oob | sed 's/"confirm" : "[^"]*"/"confirm" : "11111111111111111111111111111111"/' >$S.wrong
            blectl pair $device --oob $S.wrong 2>&1 >/dev/null | grep -o 'SMP.*)'
            blectl pair $device --oob $S.oob
            wait $serving; echo "serving $?"
            blectl bonds --format '{device.address} {level}' | sort
            cat $S.out
            """
        )
        let expected = [
            "600", "SMP 0x04 confirm value failed)",
            "paired with Workbench (02:00:00:00:00:01) by out of band: level fips, keys kept by blectl", "serving 0",
            "02:00:00:00:00:01 fips", "02:00:00:00:00:02 fips",
        ]
        #expect(Array(run.lines.prefix(expected.count)) == expected, "\(run)")
        let records = try JSON.objects(run.lines.dropFirst(expected.count).joined(separator: "\n"))
        for record in records { #expect(RecordCheck.problems(of: record) == []) }
        let paired = try #require(records.first { $0["type"] == .string("paired") })
        #expect(paired["method"] == .string("out of band") && paired["level"] == .string("fips"))
        let error = try #require(records.first { $0["type"] == .string("error") })
        #expect(error["message"]?.string?.contains("SMP 0x04 confirm value failed") == true, "\(error)")
    }

    @Test func `a central whose data a served device has proves itself, and is refused with other data`() async throws {
        let run = try await shell(
            """
            world security
            device=02:00:00:00:00:01
            # While the first adapter serves, the data are those of the second one.
            background serve workbench; serving=$running
            blectl pair --oob-out $S.central 2>/dev/null; kill -TERM $serving; wait $serving
            grep -o '02:[0-9:]*' $S.central
            tr '\\n' ' ' <$S.central | sed 's/"random" : "[^"]*"/"random" : "11111111111111111111111111111111"/' >$S.wrong
            for data in wrong central; do
                background serve workbench --io none --oob $S.$data --count 1 --json; serving=$running
                blectl pair $device 2>&1 | grep -o 'SMP.*)\\|by .*'
                wait $serving; echo "serving $?"; cp $S.out $S.records.$data
            done
            blectl bonds --format '{device.address} {level}' | sort
            cat $S.records.wrong $S.records.central
            """
        )
        let expected = [
            "02:00:00:00:00:02", "SMP 0x04 confirm value failed)", "serving 0",
            "by out of band: level fips, keys kept by blectl", "serving 0", "02:00:00:00:00:01 fips",
            "02:00:00:00:00:02 fips",
        ]
        #expect(Array(run.lines.prefix(expected.count)) == expected, "\(run)")
        let records = try JSON.objects(run.lines.dropFirst(expected.count).joined(separator: "\n"))
        for record in records { #expect(RecordCheck.problems(of: record) == []) }
        let error = try #require(records.first { $0["type"] == .string("error") })
        let message = "(SMP 0x04 confirm value failed)"
        #expect(error["message"]?.string?.contains(message) == true, "\(error)")
        let paired = records.filter { $0["type"] == .string("paired") }
        #expect(paired.map { $0["method"] } == [.string("out of band")], "\(records)")
    }

    @Test func `a central that pairs without its data is refused, and its keys are dropped`() async throws {
        let run = try await shell(
            """
            world security
            device=02:00:00:00:00:01
            background serve workbench; serving=$running
            blectl pair --oob-out $S.central 2>/dev/null; kill -TERM $serving; wait $serving
            background serve workbench --io keyboard --passkey 111111 --oob $S.central --count 1 --json; serving=$running
            blectl pair $device --secure-connections off >/dev/null 2>&1; echo $?
            wait $serving; echo "serving $?"
            grep -o '"message":"[^"]*"' $S.out; grep -c '"type":"paired"' $S.out
            $BLECTL bonds --simulate=$S --format '{device.address}' | grep -c 02:00:00:00:00:02
            """
        )
        #expect(run.lines.filter { $0.contains("so that its out-of-band data prove nothing") }.count == 1, "\(run)")
        #expect(
            run.lines.first == "76" && run.lines.contains("serving 0") && run.lines.suffix(2) == ["0", "0"],
            "\(run)"
        )
    }

    @Test func `files in which serve cannot tell centrals apart are refused before serving`() async throws {
        let run = try await shell(
            """
            world security
            blectl pair --oob-out $S.one 2>/dev/null; cp $S.one $S.two
            tr '\\n' ' ' <$S.one | sed 's/"address[a-z_]*" : "[^"]*",//g' >$S.nameless
            for options in "--oob $S.nameless" "--oob $S.one --oob $S.two" "--oob $S.nowhere"; do
                blectl serve workbench $options 2>&1 | head -1 | sed "s|$S||g"; echo ${PIPESTATUS[0]}
            done
            """
        )
        let expected = [
            "blectl: cannot use the out-of-band data in .nameless: it has no address, so that its central is not known",
            "65",
            "blectl: cannot use the out-of-band data in .two: another file has data of 02:00:00:00:00:01, too", "65",
        ]
        #expect(Array(run.lines.prefix(4)) == expected && run.lines.last == "66", "\(run)")
    }

    @Test func `useless data are not written`() async throws {
        let run = try await shell(
            """
            world security
            blectl serve workbench --oob-out $S.oob --privacy 2>&1 | head -1; ls $S.oob 2>/dev/null
            blectl serve workbench --oob-out $S.none/oob 2>/dev/null; echo $?
            """
        )
        #expect(run.lines.count == 2 && run.lines.last == "73", "\(run)")
        #expect(run.lines.first?.contains("--oob-out gives away the adapter's own address") == true, "\(run)")
    }

    /// A record without what belongs to the moment and to the radio: see `Tests/ThreeLives/README.md`.
    private static func comparable(_ value: JSON) -> JSON {
        let leftOut: Set = ["time", "monotonic_ns", "duration_ms", "packets"]
        return switch value {
        case .string(let text): .string(text.replacing(/([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}/, with: "(address)"))
        case .array(let values): .array(values.map(comparable))
        case .object(let object): .object(object.filter { !leftOut.contains($0.key) }.mapValues(comparable))
        case .null, .bool, .integer, .number: value
        }
    }

    @Test func `fifteen commands leave the same records in memory, in a shared world, and with a served device`()
        async throws
    {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "ThreeLives").path
        let run = try await shell(
            """
            cd \(folder)
            blectl --simulate=bonding.json --simulate-time virtual run bonding.blectl --json >$S.memory; echo $?
            world bonding.json
            blectl run bonding.blectl --json >$S.shared; echo $?
            blectl simulate stop >/dev/null; wait $server
            world security
            background serve bonding.json --io none --json; serving=$running
            blectl run bonding.blectl --json >$S.served; echo $?
            kill -TERM $serving; wait $serving
            for life in memory shared served; do cat $S.$life; echo '{"end": 1}'; done
            """
        )
        #expect(run.lines.prefix(3) == ["0", "0", "0"], "\(run)")
        let records = try JSON.objects(run.lines.dropFirst(3).joined(separator: "\n")).map {
            Self.comparable(.object($0))
        }
        let lives = records.split(separator: .object(["end": .integer(1)])).map(Array.init)
        try #require(lives.count == 3)
        #expect(lives[1] == lives[0] && lives[2] == lives[0], "\(lives)")
        let steps = lives[0].compactMap { $0.object?["step"]?.string }
        let commands = steps.filter { !$0.hasPrefix("disconnect") && !$0.hasPrefix("check") }
        #expect(commands.count == 15, "\(commands)")
    }
}
