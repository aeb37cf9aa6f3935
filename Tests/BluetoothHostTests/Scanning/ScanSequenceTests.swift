// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Testing

/// The HCI packets of a scan. Scanning is switched off, however the scan ends.
@Suite("Scanning, by its HCI packets")
struct ScanSequenceTests {
    private typealias Packets = HCIPackets

    /// A way to start a scan, with the resulting mode; `nil` if it cannot be started.
    struct Beginning: Sendable, CustomTestStringConvertible {
        let name: String
        var parameters = ScanParameters()
        let script: Script
        let mode: Scan.Mode?
        /// The packets that switch scanning off.
        var off: Script = []
        var failure: String?

        var testDescription: String { name }
    }

    private static let extendedOff = HCIPackets.played((HCIPackets.extendedOff, "00"))
    private static let legacyOff = HCIPackets.played((HCIPackets.legacyOff, "00"))

    static let beginnings: [Beginning] = [
        Beginning(
            name: "extended",
            script: Packets.hasExtended + Packets.played((Packets.setExtended, "00"), (Packets.extendedOn, "00")),
            mode: .extended,
            off: extendedOff
        ),
        Beginning(
            name: "both PHYs, passive",
            parameters: ScanParameters(isActive: false, phys: [.le1M, .coded], window: .milliseconds(30)),
            script: Packets.hasExtended
                + Packets.played(
                    ("01 4120 0d 00 00 05 00 6000 3000 00 6000 3000", "00"),
                    (Packets.extendedOn, "00")
                ),
            mode: .extended,
            off: extendedOff
        ),
        Beginning(
            name: "legacy, because the controller has no extended commands",
            script: Packets.hasLegacyOnly + Packets.played((Packets.setLegacy, "00"), (Packets.legacyOn, "00")),
            mode: .legacy,
            off: legacyOff
        ),
        Beginning(
            name: "legacy, because another program has used the legacy commands",
            script: Packets.hasExtended
                + Packets.played((Packets.setExtended, "0c"), (Packets.setLegacy, "00"), (Packets.legacyOn, "00")),
            mode: .legacy,
            off: legacyOff
        ),
        Beginning(
            name: "by trial, because the controller does not say what it has",
            script: Packets.played(
                (Packets.readCommands, "01"),
                (Packets.setExtended, "01"),
                (Packets.setLegacy, "00"),
                (Packets.legacyOn, "00")
            ),
            mode: .legacy,
            off: legacyOff
        ),
        Beginning(
            name: "listening along, because another program scans",
            script: Packets.hasExtended + Packets.played((Packets.setExtended, "0c"), (Packets.setLegacy, "0c")),
            mode: .listeningAlong
        ),
        Beginning(
            name: "listening along, because another program was quicker to switch on",
            script: Packets.hasExtended
                + Packets.played(
                    (Packets.setExtended, "00"),
                    (Packets.extendedOn, "0c"),
                    (Packets.setLegacy, "0c")
                ),
            mode: .listeningAlong
        ),
        Beginning(
            name: "listening along on a legacy controller",
            script: Packets.hasLegacyOnly + Packets.played((Packets.setLegacy, "0c")),
            mode: .listeningAlong
        ),
        Beginning(
            name: "not at all, because the controller has no LE",
            script: Packets.hasLegacyOnly + Packets.played((Packets.setLegacy, "01")),
            mode: nil,
            failure: "radio: unsupported"
        ),
        Beginning(
            name: "not at all, because the coded PHY needs the extended commands",
            parameters: ScanParameters(phys: [.coded]),
            script: Packets.hasLegacyOnly,
            mode: nil,
            failure: "radio: unsupported"
        ),
        Beginning(
            name: "not at all, because the controller does not take the parameters",
            script: Packets.hasExtended + Packets.played((Packets.setExtended, "12")),
            mode: nil,
            failure: "radio: commandRejected(\(HCIStatus.invalidHCICommandParameters))"
        ),
        Beginning(
            name: "not at all, because the controller does not switch on",
            script: Packets.hasExtended + Packets.played((Packets.setExtended, "00"), (Packets.extendedOn, "12")),
            mode: nil,
            failure: "radio: commandRejected(\(HCIStatus.invalidHCICommandParameters))"
        ),
        Beginning(
            name: "not known whether, because the controller does not answer: switched off to be sure",
            script: Packets.hasExtended + Packets.played((Packets.setExtended, "00")) + [turn(Packets.extendedOn)],
            mode: nil,
            off: extendedOff,
            failure: "radio: controllerSilent"
        ),
    ]

    /// Runs a scan with a body. Returns its result, and whether exactly the script was sent.
    private func scan(
        _ beginning: Beginning,
        cancelledAfter delay: Duration? = nil,
        disturbing: @escaping @Sendable (ScriptedChannel, VirtualTime) async throws -> Void = { _, _ in },
        _ body: @escaping @Sendable (Scan, VirtualTime) async throws -> String
    ) throws -> (outcome: String?, isPlayed: Bool) {
        try inVirtualTime { time, scope in
            let radio = ScriptedRadio(hci: [beginning.script + beginning.off], time, scope)
            let controller = try HCIController.open(radio, scope: scope, time: time)
            let running = Running(scope, time) {
                try await controller.withScan(beginning.parameters, time: time) { try await body($0, time) }
            }
            if let delay {
                try await time.sleep(for: delay)
                running.cancel()
            }
            let channel = try #require(radio.hciChannels.first)
            try await disturbing(channel, time)
            try await time.sleep(for: .seconds(60))
            return (running.outcome?.text, channel.isPlayed)
        }
    }

    @Test("begins with the commands that the controller accepts, and ends with the same ones", arguments: beginnings)
    func returns(beginning: Beginning) throws {
        let (outcome, isPlayed) = try scan(beginning) { scan, time in
            try await time.sleep(for: .seconds(1))
            return "\(scan.mode)"
        }
        #expect(outcome == beginning.mode.map { "\($0)" } ?? beginning.failure)
        #expect(isPlayed)
    }

    @Test("is switched off when the body fails", arguments: beginnings.filter { $0.mode != nil })
    func throwing(beginning: Beginning) throws {
        struct Failed: Error {}
        let (outcome, isPlayed) = try scan(beginning) { _, _ in throw Failed() }
        #expect(outcome == "Failed()")
        #expect(isPlayed)
    }

    @Test("is switched off when it is cancelled", arguments: beginnings.filter { $0.mode != nil })
    func cancelled(beginning: Beginning) throws {
        let (outcome, isPlayed) = try scan(beginning, cancelledAfter: .seconds(1)) { scan, _ in
            try await scan.forEach { _ in .goOn }
            return "ended"
        }
        #expect(outcome == "radio: cancelled")
        #expect(isPlayed)
    }

    @Test("cancelled during a command, it is switched off as well, or never on", arguments: 0..<3)
    func cancelledWhileBeginning(index: Int) throws {
        var turns = Self.beginnings[0].script.turns
        turns[index] = Script(turns).delaying(at: index, by: .milliseconds(100)).turns[index]
        let beginning = Beginning(name: "slow", script: Script(turns), mode: .extended, off: Self.extendedOff)
        let (outcome, isPlayed) = try scan(beginning, cancelledAfter: .milliseconds(50)) { scan, _ in
            try await scan.forEach { _ in .goOn }
            return "ended"
        }
        #expect(outcome == "radio: cancelled")
        #expect(isPlayed)
    }

    @Test("a cancelled task sends nothing")
    func cancelledBefore() throws {
        let (outcome, sent) = try inVirtualTime { time, scope in
            let radio = ScriptedRadio(hci: [[]], time, scope)
            let controller = try HCIController.open(radio, scope: scope, time: time)
            let running = Running(scope, time) {
                try? await time.sleep(for: .seconds(60))
                try await controller.withScan(ScanParameters(), time: time) { _ in }
            }
            running.cancel()
            try await time.sleep(for: .seconds(60))
            return (running.outcome?.text, radio.hciChannels.first?.sent)
        }
        #expect(outcome == "cancelled")
        #expect(sent == [])
    }

    @Test("a vanished adapter ends it with the reason, and nothing more is sent")
    func adapterGone() throws {
        let beginning = Beginning(name: "extended", script: Self.beginnings[0].script, mode: .extended)
        let (outcome, isPlayed) = try scan(beginning) { channel, time in
            try await time.sleep(for: .seconds(1))
            channel.end(.adapterRemoved)
        } _: { scan, _ in
            try await scan.forEach { _ in .goOn }
            return "ended"
        }
        #expect(outcome == "radio: adapterRemoved")
        #expect(isPlayed)
    }

    @Test("a controller that does not answer the command to switch off does not delay the result")
    func silentWhenSwitchedOff() throws {
        let beginning = Beginning(
            name: "extended",
            script: Self.beginnings[0].script,
            mode: .extended,
            off: [turn(Packets.extendedOff)]
        )
        let (outcome, isPlayed) = try scan(beginning) { _, _ in "found" }
        #expect(outcome == "found")
        #expect(isPlayed)
    }

    @Test("an adapter without a public address scans with a random one")
    func withoutAddress() throws {
        let isPlayed = try inVirtualTime { time, scope in
            let script =
                Packets.hasExtended
                + Packets.played(
                    ("01 4120 08 01 00 01 01 6000 6000", "00"),
                    (Packets.extendedOn, "00"),
                    (Packets.extendedOff, "00")
                )
            let radio = ScriptedRadio(hci: [script], address: 0, time, scope)
            let controller = try HCIController.open(radio, scope: scope, time: time)
            try await controller.withScan(ScanParameters(), time: time) { _ in }
            return try #require(radio.hciChannels.first).isPlayed
        }
        #expect(isPlayed)
    }

    @Test("reports of both kinds come in order with their times; other events and programs give no reports")
    func reports() throws {
        let extended = "04 3e 1d 0d 01 1300 01 f5f4f3f2f1f0 01 00 ff 7f c8 0000 00 000000000000 03 020106"
        let (outcome, isPlayed) = try scan(Self.beginnings[0]) { channel, time in
            for packet in [
                HCIPackets.report, HCIPackets.connected, extended, HCIPackets.complete("4120"), HCIPackets.report,
            ] {
                try await time.sleep(for: .seconds(1))
                channel.push(packet)
            }
        } _: { scan, _ in
            let log = Log()
            try await scan.forEach { report in
                let count = await log.add("\(report.instant.milliseconds): \(Hex.string(report.report.data))")
                return count < 3 ? .goOn : .stop
            }
            return await log.lines.joined(separator: ", ")
        }
        #expect(outcome == "1000: 020106, 3000: 020106, 5000: 020106")
        #expect(isPlayed)
    }

    private actor Log {
        var lines: [String] = []

        func add(_ line: String) -> Int {
            lines.append(line)
            return lines.count
        }
    }

    @Test("drops are counted for the scan alone")
    func drops() throws {
        let counts = try inVirtualTime { time, scope in
            let flood = { @Sendable (channel: ScriptedChannel) in for _ in 0..<20 { channel.push(HCIPackets.report) } }
            let script = Self.beginnings[0].script + Self.extendedOff
            let queue = PacketQueue(limit: 4, overflow: .dropOldest)
            let channel = ScriptedChannel(script + script, time, scope, queue: queue)
            let controller = try HCIController.open(ChannelRadio(channel: channel), scope: scope, time: time)
            var counts: [Int] = []
            for _ in 0..<2 {
                counts.append(
                    try await controller.withScan(ScanParameters(), time: time) { scan in
                        // The packets arrive at once, so that the receive loop does not run between them.
                        flood(channel)
                        try await time.sleep(for: .seconds(1))
                        return scan.droppedCount
                    }
                )
            }
            return counts
        }
        #expect(counts.count == 2 && counts[0] > 10 && counts[0] == counts[1], "\(counts)")
    }
}

/// A radio with one HCI channel that a test has made.
private struct ChannelRadio: Radio {
    let channel: ScriptedChannel
    let adapter = AdapterDescription(
        name: "hci7",
        index: 7,
        address: BluetoothAddress(rawValue: 1),
        state: .up,
        bus: "virtual"
    )

    func openHCI() throws(RadioError) -> any HCIChannel { channel }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel { channel }

    func listenATT() throws(RadioError) -> any ATTListener { throw RadioError(.unsupported, during: "script") }
}
