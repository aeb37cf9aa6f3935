// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import CommandLineInterface
import SimulatedRadio
import Testing

@testable import Commands
@testable import Toolkit

/// Devices that demand security on a machine where nobody answers the questions of the pairing.
@Suite("Operations whose pairing nobody confirms")
struct UnansweredPairingTests {
    private static let open = BluetoothUUID(0x2A19)
    private static let secret = BluetoothUUID(0x2A00)

    private static func vault() throws -> SimulatedDevice {
        SimulatedDevice(
            name: "vault",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_88), .random),
            rssi: -50,
            advertising: [
                DeviceAdvertising(
                    .connectable,
                    interval: .milliseconds(100),
                    data: [0x02, 0x01, 0x06, 0x06, 0x09] + Array("Vault".utf8)
                )
            ],
            database: try GATTDatabase(services: [
                ServiceDefinition(
                    0x180F,
                    characteristics: [
                        CharacteristicDefinition(
                            Self.secret,
                            .read,
                            value: .fixed([7]),
                            permissions: AttributePermissions(read: .encrypted, write: nil)
                        ),
                        CharacteristicDefinition(Self.open, .read, value: .fixed([42])),
                    ]
                )
            ])
        )
    }

    @Test func `the refused value is reported with the refusal, and the others are read`() throws {
        let devices = [try Self.vault()]
        try OperationBench.run(.name("Vault"), among: devices, through: { UnconfirmedRadio(base: $0) }) { bench in
            try await bench.provider.withDevice { device in
                let targets = try ["0x2A00", "0x2A19", "0x2A00"].map { try AttributeTarget($0) }
                await #expect(throws: PartialFailure(status: .protocolError)) {
                    try await ReadOperation(ReadOptions(targets: targets.map { .attribute($0) })).perform(
                        on: device,
                        in: bench.context
                    )
                }
            }
            #expect(bench.log.values == ["2a"])
            let failures = bench.log.results.compactMap { result in
                if case .failed(let failure) = result { failure.error } else { nil }
            }
            #expect(failures.map(\.status) == [.protocolError, .protocolError])
            #expect(failures.map(\.attError) == [0x05, 0x05])
            #expect(
                failures.first?.message.contains(
                    "the device requires pairing (ATT 0x05 insufficient authentication), "
                        + "and the link was not encrypted within 4 s"
                ) == true,
                "\(failures)"
            )
            #expect(failures.first?.hint?.contains("pair") == true)
        }
    }

    @Test(arguments: [
        SecurityFailure.Problem.timedOut(.seconds(4)), .failed(RadioError(.closedLocally, during: "test")),
        .insufficient(.none),
    ])
    func `the refusal is the result, whatever happened to the attempt`(_ problem: SecurityFailure.Problem) {
        let address = DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_88), .random)
        let refusal = ATTErrorResponse(requestOpcode: .readRequest, handle: 3, code: .encryptionKeySizeTooShort)
        let failure = SecurityFailure(peer: address, level: .fips, problem: problem, refusal: refusal)
        let error = BlectlError(failure, doing: "read it")
        #expect(error.status == .protocolError && error.attError == 0x0C)
        #expect(error.message.contains("0x0C encryption key size too short") && error.message.contains(failure.reason))
        let demanded = SecurityFailure(peer: address, level: .fips, problem: .timedOut(.seconds(8)), refusal: nil)
        #expect(BlectlError(demanded, doing: "read it").status == .timedOut)
    }
}

/// A radio whose links begin a pairing that nobody confirms.
private struct UnconfirmedRadio: ForwardingRadio {
    let base: any Radio

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        UnconfirmedChannel(base: try await base.connectATT(to: device, deadline: deadline))
    }
}

private struct UnconfirmedChannel: ATTChannel {
    let base: any ATTChannel

    var peer: DeviceAddress { base.peer }
    var connectionHandle: UInt16? { base.connectionHandle }
    var maximumMTU: UInt16 { base.maximumMTU }
    var droppedCount: Int { base.droppedCount }

    func receive() async throws(RadioError) -> [UInt8] { try await base.receive() }
    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> { try await base.receiveWaiting() }
    func send(_ packet: [UInt8]) throws(RadioError) { try base.send(packet) }
    func drained() async throws(RadioError) { try await base.drained() }
    func hangUp(_ reason: RadioError) { base.hangUp(reason) }
    func close() { base.close() }

    func raiseSecurity(to level: SecurityLevel) async throws(RadioError) {
        // The end of the wait is a cancellation.
        let (never, continuation) = AsyncStream<Never>.makeStream()
        for await _ in never {}
        continuation.finish()
        throw RadioError(.cancelled, during: "test")
    }
}
