// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost

/// A kernel that plays the part of a management channel: answers each command by a function.
private final class ScriptedKernel: ManagementChannel, RadioSystem {
    let time: any TimeSource
    private let events = PacketQueue(limit: 64, overflow: .pauseProducer)
    private let answer: @Sendable (ManagementPacket) -> [ManagementPacket]
    private let log = Mutex<[UInt16]>([])

    init(_ time: any TimeSource, answer: @escaping @Sendable (ManagementPacket) -> [ManagementPacket]) {
        self.time = time
        self.answer = answer
    }

    var sent: [UInt16] { log.withLock { $0 } }

    func adapters() async throws(RadioError) -> [AdapterDescription] { [] }
    func radio(named name: String?) throws(RadioError) -> any Radio { throw RadioError(.noAdapter, during: "test") }
    func openManagement() throws(RadioError) -> any ManagementChannel { self }

    func receive() async throws(RadioError) -> [UInt8] { try await events.next() }
    var droppedCount: Int { 0 }
    func drained() async throws(RadioError) {}
    func close() { events.finish(RadioError(.closedLocally, during: "test")) }

    func send(_ packet: [UInt8]) throws(RadioError) {
        guard let packet = try? ManagementPacket(decoding: packet) else { return }
        log.withLock { $0.append(packet.code) }
        for answer in answer(packet) { events.push(answer.encoded()) }
    }
}

private struct Answers: PairingDelegate {
    let given: PairingAnswer

    func answer(_ prompt: PairingPrompt) async -> PairingAnswer { given }
    func took(_ step: PairingStep) async {}
}

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

    @Test("the reply goes out while Pair Device waits, and the keys before its completion are in the result")
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

    @Test("a kernel that never answers is told to cancel, and that is all the adapter keeps")
    func silence() throws {
        let (result, sent, end) = try pair(.init(capability: .noInputNoOutput, timeout: .seconds(5))) { packet in
            packet.code == CancelPairDevice.opcode.rawValue
                ? [Self.done(PairDevice.opcode, .cancelled), Self.done(CancelPairDevice.opcode)] : []
        }
        #expect(throws: PairingError(Self.device, .timedOut(.seconds(5)))) { try result.get() }
        #expect(sent == [PairDevice.opcode.rawValue, CancelPairDevice.opcode.rawValue])
        #expect(end == 5_000)
    }

    @Test("a cancelled task takes the pairing back before it ends")
    func cancelled() throws {
        let (result, sent, end) = try pair(.init(capability: .noInputNoOutput), cancelledAfter: .seconds(1)) { packet in
            packet.code == CancelPairDevice.opcode.rawValue
                ? [Self.done(PairDevice.opcode, .cancelled), Self.done(CancelPairDevice.opcode)] : []
        }
        #expect(throws: (any Error).self) { try result.get() }
        #expect(sent == [PairDevice.opcode.rawValue, CancelPairDevice.opcode.rawValue])
        #expect(end == 1_000)
    }

    @Test("without the capability that is the error")
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
