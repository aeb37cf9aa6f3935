// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

/// The HCI packets of a scan that requests scan responses with private addresses.
@Suite("Scanning with private addresses, by its HCI packets")
struct ScanPrivacyTests {
    private typealias Packets = HCIPackets

    private static let life = Duration.seconds(10)
    private static let setExtended = "01 4120 08 01 00 01 01 6000 6000"

    /// The command that sets the private address with a number.
    private static func setAddress(_ number: Int) -> String { "01 0520 06 0\(number)0000000000" }

    /// The first start, with the address of number 1.
    private static let start =
        Packets.hasExtended
        + Packets.played((setAddress(1), "00"), (setExtended, "00"), (Packets.extendedOn, "00"))

    /// Scans for 25 seconds, that is with three addresses. Returns the outcome, the modes that were reported, and whether
    /// exactly the script was sent.
    private func scan(_ script: Script) throws -> (outcome: String?, modes: [Scan.Mode], isPlayed: Bool) {
        try inVirtualTime { time, scope in
            let radio = ScriptedRadio(hci: [script], time, scope)
            let controller = try HCIController.open(radio, scope: scope, time: time)
            let (count, modes) = (Counter(), Modes())
            let privacy = PrivateAddresses(of: nil, life: Self.life) { UInt64(count.next()) }
            let running = Running(scope, time) {
                try await controller.withScan(
                    ScanParameters(),
                    time: time,
                    privacy: privacy,
                    onMode: { modes.add($0) }
                ) { scan in
                    let end = time.now + .seconds(25)
                    _ = try await untilDeadline(end, time) { try await scan.forEach { _ in .goOn } }
                    return "\(scan.mode)"
                }
            }
            try await time.sleep(for: .seconds(60))
            return (running.outcome?.text, modes.all, try #require(radio.hciChannels.first).isPlayed)
        }
    }

    @Test func `each new private address begins while scanning is off`() throws {
        let restarts = (2...3).map { number in
            Packets.played(
                (Packets.extendedOff, "00"),
                (Self.setAddress(number), "00"),
                (Self.setExtended, "00"),
                (Packets.extendedOn, "00")
            )
        }
        let off = Packets.played((Packets.extendedOff, "00"))
        let (outcome, modes, isPlayed) = try scan(Self.start + restarts[0] + restarts[1] + off)
        #expect(outcome == "extended")
        #expect(modes == [.extended])
        #expect(isPlayed)
    }

    @Test func `a restart that fails ends the scan with the reason`() throws {
        let restart = Packets.played(
            (Packets.extendedOff, "00"),
            (Self.setAddress(2), "00"),
            (Self.setExtended, "12")
        )
        let (outcome, modes, isPlayed) = try scan(Self.start + restart)
        #expect(outcome == "radio: commandRejected(\(HCIStatus.invalidHCICommandParameters))")
        #expect(modes == [.extended])
        #expect(isPlayed)
    }

    @Test func `if another program scans at the restart, the scan listens along, and reports that`() throws {
        let restart = Packets.played(
            (Packets.extendedOff, "00"),
            (Self.setAddress(2), "0c"),
            (Self.setExtended, "0c"),
            ("01 0b20 07 01 6000 6000 01 00", "0c")
        )
        let (outcome, modes, isPlayed) = try scan(Self.start + restart)
        #expect(outcome == "listeningAlong")
        #expect(modes == [.extended, .listeningAlong])
        #expect(isPlayed)
    }

    private final class Counter: Sendable {
        private let value = Mutex(0)

        func next() -> Int {
            value.withLock {
                $0 += 1
                return $0
            }
        }
    }

    private final class Modes: Sendable {
        private let values = Mutex<[Scan.Mode]>([])

        var all: [Scan.Mode] { values.withLock { $0 } }

        func add(_ mode: Scan.Mode) { values.withLock { $0.append(mode) } }
    }
}
