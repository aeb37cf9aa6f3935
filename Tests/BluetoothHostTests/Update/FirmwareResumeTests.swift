// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import FirmwareUpdate
import SimulatedRadio
import Testing

@Suite("New firmware for a device whose link is lost, and for one of several")
struct FirmwareResumeTests {
    /// What an update has come to.
    private struct Outcome {
        var steps: [FirmwareUpdateEvent.Step] = []
        var failure: FirmwareUpdateError?
    }

    /// Updates a device.
    ///
    /// - Parameter onStep: Called after each step.
    private static func update(
        _ bench: UpdateBench,
        to firmware: Firmware,
        onStep: (FirmwareUpdateEvent.Step) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        let peripheral = bench.peripheral(at: try await bench.address())
        var outcome = Outcome()
        do {
            let events = peripheral.update(to: firmware, name: "Device")
            for try await event in events where event.step != outcome.steps.last {
                outcome.steps.append(event.step)
                try await onStep(event.step)
            }
        } catch let error as FirmwareUpdateError {
            outcome.failure = error
        }
        await peripheral.abandonLink()
        return outcome
    }

    @Test("an answer that gets lost is asked for again")
    func lostAnswer() throws {
        for number in 1...12 {
            try UpdateBench.run(.mcumgr) {
                $0.faults = [FaultRule(.update, nil, .lose, numbers: number...number)]
            } _: { bench in
                let outcome = try await Self.update(bench, to: UpdateBench.firmware(.mcumgr, length: 900))
                #expect(outcome.failure == nil && outcome.steps.last == .confirmed, "\(number): \(outcome)")
            }
        }
    }
}
