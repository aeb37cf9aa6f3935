// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("Pairing through the management interface")
struct PairerTests {
    private static let device = DeviceAddress(BluetoothAddress(rawValue: 0xC411_2233_4455), .random)
    private static let address = ManagementAddress(device)
    private static let hci0 = ManagementIndex(0)

    private static func done(_ opcode: ManagementOpcode, _ status: ManagementStatus = .success) -> ManagementPacket {
        let event = ManagementCommandCompleteEvent(opcode, status: status, returnParameters: address.encoded())
        return event.packet(about: hci0)
    }

    /// The result of a pairing with a kernel, and the opcodes that it got.
    private func pair(
        _ request: Pairer.Request,
        answering answer: PairingAnswer = .yes,
        cancelledAfter limit: Duration? = nil,
        _ kernel: @escaping @Sendable (ManagementPacket) -> [ManagementPacket]
    ) throws -> (Result<Pairing, any Error>, sent: [UInt16], end: Int64) {
        try inVirtualTime { time, scope in
            let system = ScriptedKernel(time, answer: kernel)
            let manager = try AdapterManager.open(system, scope: scope, time: time)
            let pairer = Pairer(manager, on: Self.hci0, scope: scope, time: time)
            let result: Result<Pairing, any Error>
            do {
                let deadline = limit.map { time.now + $0 }
                result = .success(
                    try await withDeadline(deadline, time, operation: "test") {
                        try await pairer.pair(Self.device, request, delegate: Answers(given: answer))
                    }
                )
            } catch {
                result = .failure(error)
            }
            await manager.close()
            return (result, system.sent, time.now.milliseconds)
        }
    }

    @Test("the reply is sent while Pair Device waits, and keys before its completion are in the result")
    func numericComparison() throws {
        let (result, sent, _) = try pair(.init(capability: .displayYesNo)) { packet in
            switch packet.code {
            case PairDevice.opcode.rawValue:
                return [
                    UserConfirmationRequestEvent(Self.address, isOnlyConsent: false, value: 5).packet(about: Self.hci0)
                ]
            case UserConfirmationReply.opcode.rawValue:
                let key = LongTermKey(device: Self.address, kind: .authenticatedP256, isCentral: false, value: .zero)
                return [
                    Self.done(UserConfirmationReply.opcode),
                    NewLongTermKeyEvent(isToBeStored: true, key).packet(about: Self.hci0),
                    Self.done(PairDevice.opcode),
                ]
            default: return []
            }
        }
        let pairing = try result.get()
        #expect(pairing.method == .numericComparison && pairing.isBonded && pairing.longTermKeys.count == 1)
        #expect(sent == [PairDevice.opcode.rawValue, UserConfirmationReply.opcode.rawValue])
    }

    @Test("a kernel that never answers gets a cancel command, and the adapter keeps no other trace")
    func silence() throws {
        let (result, sent, end) = try pair(.init(capability: .noInputNoOutput, timeout: .seconds(5))) { packet in
            packet.code == CancelPairDevice.opcode.rawValue
                ? [Self.done(PairDevice.opcode, .cancelled), Self.done(CancelPairDevice.opcode)] : []
        }
        #expect(throws: PairingError(Self.device, .timedOut(.seconds(5)))) { try result.get() }
        #expect(sent == [PairDevice.opcode.rawValue, CancelPairDevice.opcode.rawValue])
        #expect(end == 5_000)
    }

    @Test("a cancelled task cancels the pairing before it ends")
    func cancelled() throws {
        let (result, sent, end) = try pair(.init(capability: .noInputNoOutput), cancelledAfter: .seconds(1)) { packet in
            packet.code == CancelPairDevice.opcode.rawValue
                ? [Self.done(PairDevice.opcode, .cancelled), Self.done(CancelPairDevice.opcode)] : []
        }
        #expect(throws: (any Error).self) { try result.get() }
        #expect(sent == [PairDevice.opcode.rawValue, CancelPairDevice.opcode.rawValue])
        #expect(end == 1_000)
    }

    @Test("the missing capability is the error")
    func denied() throws {
        let (result, _, _) = try pair(.init(capability: .noInputNoOutput)) { packet in
            [
                ManagementCommandStatusEvent(ManagementOpcode(rawValue: packet.code), status: .permissionDenied)
                    .packet(about: Self.hci0)
            ]
        }
        let error = #expect(throws: RadioError.self) { try result.get() }
        #expect(error?.cause == .permissionDenied(capability: "CAP_NET_ADMIN"))
    }
}
