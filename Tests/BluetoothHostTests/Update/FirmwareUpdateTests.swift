// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import FirmwareUpdate
import Foundation
import SimulatedRadio
import Testing

@Suite("New firmware for a device, from the library")
struct FirmwareUpdatesTests {
    @Test("the steps of an update are a sequence", arguments: UpdateBench.Way.allCases)
    func steps(_ way: UpdateBench.Way) throws {
        try UpdateBench.run(way) { bench in
            let peripheral = bench.peripheral(at: try await bench.address())
            var steps: [FirmwareUpdateEvent.Step] = []
            for try await event in peripheral.update(to: try UpdateBench.firmware(way)) where event.step != steps.last {
                steps.append(event.step)
            }
            let own: [FirmwareUpdateEvent.Step] =
                way == .mcumgr
                ? [.progress, .uploaded, .chosen, .reset, .running, .confirmed]
                : [.bootLoader, .progress, .uploaded, .reset, .running]
            #expect(steps == own)
            await peripheral.abandonLink()
            #expect(try await bench.revision() == UpdateBench.after(way))
        }
    }

    @Test("a loop that is left leaves the device as it was, and the next one goes on", arguments: [true, false])
    func cancelled(onAnotherLink: Bool) throws {
        try UpdateBench.run(.mcumgr) { bench in
            let firmware = try UpdateBench.firmware(.mcumgr, length: 60_000)
            let peripheral = bench.peripheral(at: try await bench.address())
            for try await event in peripheral.update(to: firmware) where (event.octets?.done ?? 0) > 20_000 { break }
            if onAnotherLink {
                await peripheral.abandonLink()
                #expect(try await bench.revision() == "1.0.0")
            }
            var first: Int?
            for try await event in peripheral.update(to: firmware) {
                if first == nil, let octets = event.octets, octets.done > 0 { first = octets.done }
            }
            #expect((first ?? 0) > 20_000)
            await peripheral.abandonLink()
            #expect(try await bench.revision() == "7.0.0")
        }
    }

    @Test("a device under another address after its start is found")
    func moved() throws {
        try UpdateBench.run(.mcumgr) {
            $0.updateServer?.changesAddress = true
        } _: { bench in
            let peripheral = bench.peripheral(at: try await bench.address())
            var last: FirmwareUpdateEvent.Step?
            for try await event in peripheral.update(to: try UpdateBench.firmware(.mcumgr), name: "Device") {
                last = event.step
            }
            #expect(last == .confirmed)
        }
    }

    @Test("an error says why, and what has become of the device")
    func failure() throws {
        try UpdateBench.run(.legacyDFU) {
            $0.dfuServer?.startsNewFirmware = false
            $0.dfuServer?.shiftsAddress = true
        } _: { bench in
            let own = try await bench.address()
            let firmware = try UpdateBench.firmware(.legacyDFU)
            do throws(FirmwareUpdateError) {
                for try await _ in bench.peripheral(at: own).update(to: firmware) {}
                Issue.record("it has not failed")
            } catch {
                #expect(error.kind == .notRunning)
                let place = DeviceAddress(own.address.ofBootLoader, own.type)
                #expect(error.state == .inBootLoader(place, 6_000, of: 6_000, goesOn: false))
            }
        }
    }
}

/// Runs with one random fault each. A run that fails says by its number how to repeat it: `BLECTL_FAULT_RUNS=237...237`.
@Suite("New firmware, with a random fault")
struct FirmwareFaultTests {
    private enum Fault: CaseIterable {
        case linkLost, powerLost, damaged, refused, slowErase, tooLarge, otherAddress, twice, missing, rebooted
    }

    /// Longer than any update, with the limits of its steps.
    private static let limit = Duration.seconds(3 * 3_600)

    private static var runs: ClosedRange<Int> {
        let text = ProcessInfo.processInfo.environment["BLECTL_FAULT_RUNS"] ?? "30"
        let numbers = text.split(separator: ".").compactMap { Int($0) }
        return numbers.count == 2 && numbers[0] <= numbers[1] ? numbers[0]...numbers[1] : 1...max(1, numbers.first ?? 1)
    }

    @Test("it runs in the end, or a status says what to do; never anything else")
    func faults() throws {
        for seed in Self.runs { try Self.run(seed) }
    }

    private static func run(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let way = UpdateBench.Way.allCases[seed % 3]
        let fault = Fault.allCases[Int(random.next() % UInt64(Fault.allCases.count))]
        let offset = Int(random.next() % 6_000)
        let number = Int(random.next() % 40) + 1
        try UpdateBench.run(way) { device in
            prepare(&device, fault, offset: offset, number: number)
        } _: { bench in
            let ended: Void? = try await untilDeadline(bench.time.now + limit, bench.time) {
                try await attempt(bench, way, fault, "run \(seed): \(way), \(fault) at \(offset), \(number)")
            }
            #expect(ended != nil, "run \(seed): \(way), \(fault) hangs")
        }
    }

    /// Gives a device its fault.
    private static func prepare(_ device: inout DeviceDefinition, _ fault: Fault, offset: Int, number: Int) {
        func upload(_ effect: UploadFault.Effect) {
            device.updateServer?.faults = [UploadFault(offset: offset, effect: effect)]
            device.dfuServer?.faults = [UploadFault(offset: offset, effect: effect)]
        }
        func rule(_ operation: FaultRule.Operation, _ effect: FaultEffect) {
            device.faults = [FaultRule(operation, nil, effect, numbers: number...number)]
        }
        // Half of the devices keep the application before.
        device.dfuServer?.hasTwoBanks = number % 2 == 0
        device.dfuServer?.shiftsAddress = number % 3 == 0
        switch fault {
        case .linkLost: rule(.write, .drop(.init(number % 2 == 0 ? .before : .after, reason: .connectionTimeout)))
        case .powerLost, .rebooted: upload(.restart)
        case .damaged: upload(.damage)
        case .refused: upload(.refuse)
        case .slowErase:
            device.updateServer?.eraseTime = .seconds(30)
            device.dfuServer?.eraseTime = .seconds(30)
        case .tooLarge:
            device.updateServer?.slotSize = 4_096
            device.dfuServer?.size = 4_096
        case .otherAddress:
            device.updateServer?.changesAddress = true
            device.dfuServer?.shiftsAddress = true
        case .twice: rule(.update, .duplicate)
        case .missing: rule(.update, .lose)
        }
    }

    /// Updates the device, and once more as the status says if that fails.
    private static func attempt(
        _ bench: UpdateBench,
        _ way: UpdateBench.Way,
        _ fault: Fault,
        _ comment: Comment
    ) async throws {
        let firmware = try UpdateBench.firmware(way)
        var address = try await bench.address()
        for attempt in 1...2 {
            let peripheral = bench.peripheral(at: address)
            var failure: FirmwareUpdateError?
            do throws(FirmwareUpdateError) {
                for try await _ in peripheral.update(to: firmware, name: "Device") {}
            } catch {
                failure = error
            }
            await peripheral.abandonLink()
            let revision = try await bench.revision()
            guard let failure else {
                #expect(revision == UpdateBench.after(way), "\(comment)")
                return
            }
            // Nothing but whole firmware runs, old or new; or none, while a boot loader waits.
            #expect(
                revision == nil || revision == UpdateBench.before || revision == UpdateBench.after(way),
                "\(comment)"
            )
            #expect(!failure.reason.isEmpty, "\(comment)")
            address = try await bench.address()
            // The hint names the address.
            if case .inBootLoader(let place, _, _, _) = failure.state, revision == nil {
                #expect(place == address, "\(comment)")
            }
            if fault == .tooLarge {
                #expect(failure.kind == .badFirmware || failure.kind == .refused, "\(comment)")
                return
            }
            #expect(attempt == 1, "\(comment) fails again: \(failure)")
        }
    }
}
