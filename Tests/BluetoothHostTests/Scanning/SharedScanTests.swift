// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import BluetoothTesting
import SimulatedRadio
import Synchronization
import Testing

/// A controller can run one scan, which several programs share: the reaction when another program starts or stops.
@Suite("A scan that is shared with other programs")
struct SharedScanTests {
    private typealias Packets = HCIPackets

    private static let refused = Packets.played((Packets.setExtended, "0c"), (Packets.setLegacy, "0c"))
    private static let begun = Packets.played((Packets.setExtended, "00"), (Packets.extendedOn, "00"))
    private static let ended = Packets.played((Packets.extendedOff, "00"))
    /// The answer by which another program has switched scanning on or off.
    private static let switched = Packets.complete("4220")

    /// The changes of mode during a scan of 20 seconds, while packets arrive from the controller.
    private func modes(
        _ script: Script,
        _ packets: [(milliseconds: Int, packet: String)],
        lasting length: Duration = .seconds(20)
    ) throws -> [String] {
        try inVirtualTime { time, scope in
            let radio = ScriptedRadio(hci: [Packets.hasExtended + script], time, scope)
            let controller = try HCIController.open(radio, scope: scope, time: time)
            let channel = try #require(radio.hciChannels.first)
            scope.spawn {
                for (milliseconds, packet) in packets {
                    try? await time.sleep(until: .zero + .milliseconds(milliseconds))
                    channel.push(packet)
                }
            }
            let modes = try await controller.withScan(ScanParameters(), time: time) { scan in
                var modes = ["\(scan.mode)"]
                let end = time.now + length
                while time.now < end {
                    try await time.sleep(until: min(end, time.now + .milliseconds(100)))
                    let mode = "\(scan.mode)"
                    if mode != modes.last { modes.append(mode) }
                }
                return modes
            }
            try await time.sleep(for: .seconds(5))
            #expect(channel.isPlayed)
            return modes
        }
    }

    @Test("begins when the other scan stops, and is switched off at the end")
    func begins() throws {
        let script = Self.refused + Self.begun + Self.ended
        #expect(try modes(script, [(3_000, Self.switched)]) == ["listeningAlong", "extended"])
        #expect(try modes(script, [(3_000, "04 3e 01 11")]) == ["listeningAlong", "extended"], "its time was up")
    }

    @Test("waits for a connection to be established, for which the controller ended the other scan")
    func afterConnecting() throws {
        let modes = try modes(
            Self.refused + Self.refused + Self.begun + Self.ended,
            [(3_000, Self.switched), (8_000, Packets.connected)]
        )
        #expect(modes == ["listeningAlong", "extended"])
    }

    @Test("another program that takes its place keeps scanning")
    func givesWay() throws {
        // Like the kernel: off, other parameters, and on.
        let packets = [(3_000, Self.switched), (3_010, Packets.complete("4120")), (3_020, Self.switched)]
        #expect(try modes(Self.begun + Self.refused, packets) == ["extended", "listeningAlong"])
    }

    @Test("goes on when another program only switches it off")
    func goesOn() throws {
        #expect(try modes(Self.begun + Self.begun + Self.ended, [(3_000, Self.switched)]) == ["extended"])
    }

    @Test("follows each start and stop of the other scan")
    func turns() throws {
        let modes = try modes(
            Self.refused + Self.begun + Self.refused + Self.begun + Self.ended,
            [(3_000, Self.switched), (6_000, Self.switched), (9_000, Self.switched)]
        )
        #expect(modes == ["listeningAlong", "extended", "listeningAlong", "extended"])
    }

    @Test("leaves the scan on if another program switched it just before the end")
    func leaves() throws {
        #expect(try modes(Self.begun, [(19_900, Self.switched)]) == ["extended"])
    }

    @Test("ignores events that switch nothing")
    func undisturbed() throws {
        let packets = [
            Packets.complete("4220", "0c"), Packets.complete("0c20", "0c"), Packets.complete("4120"), Packets.report,
            Packets.connected,
        ]
        let timed = packets.enumerated().map { (1_000 * (1 + $0.offset), $0.element) }
        #expect(try modes(Self.begun + Self.ended, timed) == ["extended"])
    }

    @Test("if one of several listeners ends the others go on, and the last one switches off", arguments: [1, 2, 5])
    func several(count: Int) async throws {
        let world = try SimulatedWorld.builtIn()
        try await withSimulation(world) { simulation in
            let radio = try simulation.system.radio(named: nil)
            let (time, scope) = (simulation.time, simulation.scope)
            let silences = try await withThrowingTaskGroup(of: Duration.self) { group in
                // Each program ends ten seconds after the one before.
                for number in 0...count {
                    let end = Instant.zero + .seconds(10 * (number + 1))
                    group.addTask { try await silence(atTheEndOf: end, radio, time, scope) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(silences.allSatisfy { $0 < .seconds(1) }, "\(silences)")
            #expect(!simulation.system.isScanning)
        }
    }

    /// Scans until a time, and returns the time since the last report.
    private func silence(
        atTheEndOf end: Instant,
        _ radio: any Radio,
        _ time: any TimeSource,
        _ scope: TaskScope
    ) async throws -> Duration {
        let controller = try HCIController.open(radio, scope: scope, time: time)
        let last = Mutex(Instant.zero)
        try await controller.withScan(ScanParameters(), time: time) { scan in
            try await untilDeadline(end, time) {
                try await scan.forEach { report in
                    last.withLock { $0 = report.instant }
                    return .goOn
                }
            }
        }
        await controller.close()
        return end - last.withLock { $0 }
    }
}
