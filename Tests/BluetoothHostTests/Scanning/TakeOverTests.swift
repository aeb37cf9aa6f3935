// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Testing

@Suite("A scan that is running already")
struct TakeOverTests {
    /// The result of a scan that found the controller scanning: its mode, and whether the controller scanned
    /// afterwards.
    private struct Outcome: Equatable, Sendable {
        let mode: Scan.Mode
        let heard: Bool
        let isScanningAfterwards: Bool
    }

    private func scan(_ controller: ControllerProfile, takesOver: Bool) throws -> Outcome {
        var world = try SimulatedWorld.builtIn()
        world.controller = controller
        let time = VirtualTime()
        let start = world
        return try time.run {
            try await withTaskScope { scope in
                let system = SimulatedRadioSystem(start, time: time, scope: scope)
                let radio = try system.radio(named: nil)
                // The predecessor starts a scan, and ends without stopping it.
                let dead = try HCIController.open(radio, scope: scope, time: time)
                if controller == .legacy {
                    try await dead.perform(LESetScanEnable(isEnabled: true))
                } else {
                    try await dead.perform(ScanParameters().commandForTests)
                    try await dead.perform(LESetExtendedScanEnable(isEnabled: true))
                }
                await dead.close()
                #expect(system.isScanning)

                let alive = try HCIController.open(radio, scope: scope, time: time)
                let (mode, heard) = try await alive.withScan(ScanParameters(), time: time, takesOver: takesOver) {
                    scan in
                    var heard = false
                    try await untilDeadline(time.now + .seconds(2), time) {
                        try await scan.forEach { _ in .stop }
                        return true
                    }.map { heard = $0 }
                    return (scan.mode, heard)
                }
                await alive.close()
                return Outcome(mode: mode, heard: heard, isScanningAfterwards: system.isScanning)
            }
        }
    }

    @Test("another program's scan is shared, and left as it is")
    func listensAlong() throws {
        let outcome = Outcome(mode: .listeningAlong, heard: true, isScanningAfterwards: true)
        #expect(try scan(.modern, takesOver: false) == outcome)
        #expect(try scan(.legacy, takesOver: false) == outcome)
    }

    @Test("an orphaned scan is switched off first, and ours afterwards")
    func takesOver() throws {
        #expect(
            try scan(.modern, takesOver: true) == Outcome(mode: .extended, heard: true, isScanningAfterwards: false)
        )
        #expect(try scan(.legacy, takesOver: true) == Outcome(mode: .legacy, heard: true, isScanningAfterwards: false))
    }
}

extension ScanParameters {
    fileprivate var commandForTests: LESetExtendedScanParameters {
        LESetExtendedScanParameters(
            le1M: .init(type: .active, interval: LEInterval(interval), window: LEInterval(window))
        )
    }
}
