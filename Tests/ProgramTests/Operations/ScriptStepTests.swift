// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import Testing

@testable import Commands
@testable import Toolkit

/// Several operations on one connected device, as the steps of a script: without a command line and without an output.
@Suite("Operations as steps on one device")
struct ScriptStepTests {
    private static let variable = "b1ec0102-5ec7-4c3a-9d0e-51a1b1ec0001"
    private static let silent = "b1ec0305-5ec7-4c3a-9d0e-51a1b1ec0001"

    @Test func `a step reads what the one before wrote, on the same link`() throws {
        try OperationBench.run(.name("Workbench")) { bench in
            let target = try AttributeTarget(Self.variable)
            try await bench.provider.withDevice { device in
                let write = WriteOperation(target: target, payload: .value([0x61, 0x62]), isVerified: true)
                try await write.perform(on: device, in: bench.context)
                try await ReadOperation(ReadOptions(targets: [.attribute(target)])).perform(
                    on: device,
                    in: bench.context
                )
                let attempts = await device.peripheral.attempts
                #expect(attempts == 1)
            }
            guard case .other(let written as WriteResult)? = bench.log.results.first else {
                Issue.record("\(bench.log.results)")
                return
            }
            #expect(written.length == 2 && written.procedure == .writeRequest && written.isVerified == true)
            #expect(bench.log.values == ["6162"])
            #expect(bench.log.results.count == 2)
        }
    }

    @Test func `after a failed step the device is usable for the next one`() throws {
        try OperationBench.run(.name("Workbench")) { bench in
            try await bench.provider.withDevice { device in
                let missing = try AttributeTarget("heart-rate-measurement")
                let there = try AttributeTarget(Self.variable)
                let several = ReadOperation(ReadOptions(targets: [.attribute(missing), .attribute(there)]))
                await #expect(throws: PartialFailure(status: .notFound)) {
                    try await several.perform(on: device, in: bench.context)
                }
                let descriptor = try AttributeTarget("\(Self.variable)/0x2901")
                let error = await #expect(throws: BlectlError.self) {
                    try await WriteOperation(target: descriptor, payload: .value([1]), method: .reliable)
                        .perform(on: device, in: bench.context)
                }
                #expect(error?.status == .usage)
                try await ReadOperation(ReadOptions(targets: [.attribute(there)])).perform(
                    on: device,
                    in: bench.context
                )
            }
            guard case .failed(let failed)? = bench.log.results.first else {
                Issue.record("\(bench.log.results)")
                return
            }
            #expect(failed.error.subject.target?.text == "heart-rate-measurement" && failed.error.status == .notFound)
            #expect(bench.log.values.count == 2)
        }
    }

    @Test func `after a step without an answer the device connects again`() throws {
        try OperationBench.run(.name("Workbench")) { bench in
            try await bench.provider.withDevice { device in
                let silent = ReadOperation(ReadOptions(targets: [.attribute(try AttributeTarget(Self.silent))]))
                await #expect(throws: PartialFailure(status: .timedOut)) {
                    try await silent.perform(on: device, in: bench.context)
                }
                let read = ReadOperation(ReadOptions(targets: [.attribute(try AttributeTarget(Self.variable))]))
                try await read.perform(on: device, in: bench.context)
            }
            #expect(bench.log.values.count == 1)
        }
    }

    @Test func `steps listen, watch and inspect`() throws {
        try OperationBench.run(.name("Pulse HR")) { bench in
            try await bench.provider.withDevice { device in
                let measurement = try AttributeTarget("heart-rate-measurement")
                let limits = StopLimits(count: 2)
                try await NotifyOperation(NotifyOptions(targets: [measurement], limits: limits))
                    .perform(on: device, in: bench.context)
                let profile = try #require(Profile.named("heart-rate"))
                try await WatchOperation(WatchOptions(profiles: [profile], limits: StopLimits(count: 3)))
                    .perform(on: device, in: bench.context)
                try await InspectOperation(InspectOptions(readsValues: true)).perform(on: device, in: bench.context)
            }
            #expect(bench.log.values.count == 2)
            let sequences = bench.log.results.compactMap { result -> Int? in
                if case .measurement(let measurement) = result { measurement.sequence } else { nil }
            }
            #expect(sequences == [1, 2, 3])
            let services = bench.log.results.filter { result in
                if case .other(let line as TreeResult) = result, case .service = line.node { true } else { false }
            }
            #expect(services.count >= 4)
            #expect(bench.log.notes.isEmpty)
        }
    }

    @Test func `a provider releases the device after a failure`() throws {
        try OperationBench.run(.name("Workbench")) { bench in
            struct Stop: Error {}
            var peripheral: Peripheral?
            await #expect(throws: Stop.self) {
                try await bench.provider.withDevice { device in
                    peripheral = device.peripheral
                    throw Stop()
                }
            }
            #expect(await peripheral?.isConnected == false)
        }
    }

    @Test func `a missing device is an error in words`() throws {
        try OperationBench.run(.name("Nobody")) { bench in
            let error = await #expect(throws: BlectlError.self) {
                try await bench.provider.withDevice { _ in Issue.record("there is no such device") }
            }
            #expect(error?.status == .notFound)
            #expect(error?.message == "no device named 'Nobody' was found in 10 s")
        }
    }
}
