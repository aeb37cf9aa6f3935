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

    @Test("a link that is lost with any write ends nothing that has begun", arguments: UpdateBench.Way.allCases)
    func anyWrite(_ way: UpdateBench.Way) throws {
        let firmware = try UpdateBench.firmware(way, length: 300)
        for when in [FaultEffect.Drop.Moment.before, .after] {
            for number in 1...28 {
                let comment: Comment = "\(when) write \(number)"
                try UpdateBench.run(way) {
                    let effect = FaultEffect.drop(.init(when, reason: .connectionTimeout))
                    $0.faults = [FaultRule(.write, nil, effect, numbers: number...number)]
                } _: { bench in
                    let outcome = try await Self.update(bench, to: firmware)
                    if let failure = outcome.failure {
                        #expect(failure.state == .untouched && outcome.steps.isEmpty, "\(comment): \(failure)")
                    } else {
                        #expect(try await bench.revision() == UpdateBench.after(way), comment)
                    }
                }
            }
        }
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

    @Test("another device of its kind is left alone while it is away", arguments: [true, false])
    func twin(isUploading: Bool) throws {
        try UpdateBench.run(.mcumgr, hasTwin: true) {
            $0.updateServer?.startTime = .seconds(40)
            if isUploading { $0.updateServer?.faults = [UploadFault(offset: 3_000, effect: .restart)] }
        } _: { bench in
            let outcome = try await Self.update(bench, to: UpdateBench.firmware(.mcumgr))
            #expect(outcome.failure == nil && outcome.steps.last == .confirmed, "\(outcome)")
            #expect(try await bench.revision() == UpdateBench.after(.mcumgr))
            #expect(try await bench.revision(of: UpdateBench.twin) == UpdateBench.before)
        }
    }

    @Test("under another address, it is told from others of its kind by what it has got")
    func movedTwin() throws {
        try UpdateBench.run(.mcumgr, hasTwin: true) {
            $0.updateServer?.startTime = .seconds(40)
            $0.updateServer?.changesAddress = true
        } _: { bench in
            let outcome = try await Self.update(bench, to: UpdateBench.firmware(.mcumgr))
            #expect(outcome.failure == nil && outcome.steps.last == .confirmed, "\(outcome)")
            #expect(try await bench.revision(of: UpdateBench.twin) == UpdateBench.before)
        }
    }

    @Test("an update that fails leaves no subscription behind on the link of an app")
    func subscription() throws {
        try UpdateBench.run(.mcumgr) {
            $0.updateServer?.faults = [UploadFault(offset: 3_000, effect: .refuse)]
        } _: { bench in
            let peripheral = bench.peripheral(at: try await bench.address())
            do {
                for try await _ in peripheral.update(to: try UpdateBench.firmware(.mcumgr)) {}
                Issue.record("it has not failed")
            } catch let error as FirmwareUpdateError {
                #expect(error.kind == .refused)
            }
            let device = try await bench.control.device("device")
            let target = WorldRequest.Target.characteristic(.mcumgrData, service: nil)
            #expect(try await bench.control.subscribers(of: target, on: "device") == 0 && device.connections == 1)
            await peripheral.abandonLink()
        }
    }

    @Test("programs that belong together are started together, or none is")
    func programs() throws {
        let image = try UpdateBench.firmware(.mcumgr)
        guard case .images(let images) = image.content, let contents = images.first?.contents else { return }
        let both = [0, 1].map { Firmware.Image(name: "program", image: $0, contents: contents) }
        try UpdateBench.run(.mcumgr) { bench in
            // The device has no second program.
            let outcome = try await Self.update(bench, to: Firmware(.images(both)))
            #expect(outcome.failure?.state == .untouched && outcome.steps.isEmpty, "\(outcome)")
        }
    }

    @Test("a boot loader that an earlier attempt has brought does not keep the application away")
    func notNewer() throws {
        let program = [UInt8](repeating: 7, count: 100)
        let packet = UpdateBench.initPacket(program, sizes: [0x20, 2, 0x30, 100])
        let bootLoader = try DFUImage(.secure, .bootloader, firmware: program, initPacket: packet)
        let application = try UpdateBench.firmware(.secureDFU)
        guard case .packages(let packages) = application.content else { return }
        let first = Firmware.Package(name: "boot loader", contents: bootLoader)
        try UpdateBench.run(.secureDFU) { bench in
            let outcome = try await Self.update(bench, to: Firmware(.packages([first] + packages)))
            #expect(outcome.failure == nil, "\(outcome)")
            #expect(try await bench.revision() == UpdateBench.after(.secureDFU))
            let alone = try await Self.update(bench, to: Firmware(.packages([first])))
            #expect(alone.failure?.kind == .refused, "\(alone)")
        }
    }

    @Test("a boot loader that does not start the firmware is not taken for the application")
    func bareBootLoader() throws {
        try UpdateBench.run(.legacyDFU) {
            $0.dfuServer?.startsNewFirmware = false
        } _: { bench in
            let firmware = try UpdateBench.firmware(.legacyDFU)
            for _ in 0..<2 {
                let outcome = try await Self.update(bench, to: firmware)
                #expect(outcome.failure?.kind == .notRunning, "\(outcome)")
            }
        }
    }

    @Test("a device that goes between two packages does not count as one that has all")
    func between() throws {
        guard case .packages(let packages) = try UpdateBench.firmware(.legacyDFU).content else { return }
        try UpdateBench.run(.legacyDFU) { bench in
            let outcome = try await Self.update(bench, to: Firmware(.packages(packages + packages))) { step in
                if step == .reset { try bench.control.setSignal("device", .outOfRange) }
            }
            let place = try await bench.address()
            #expect(outcome.failure?.state == .inBootLoader(place, 0, of: 6_000, goesOn: false), "\(outcome)")
        }
    }
}
