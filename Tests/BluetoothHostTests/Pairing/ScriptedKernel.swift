// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// A kernel that plays the part of a management channel: answers each command by a function.
final class ScriptedKernel: ManagementChannel, RadioSystem {
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

    /// Reports events by itself.
    func tell(_ packets: [ManagementPacket]) { for packet in packets { events.push(packet.encoded()) } }

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

/// Gives the same answer to each prompt, and notes the steps.
final class Answers: PairingDelegate {
    private let given: PairingAnswer?
    private let log = Mutex<[PairingStep]>([])

    /// - Parameter given: The answer; `nil` never answers.
    init(given: PairingAnswer?) { self.given = given }

    var steps: [PairingStep] { log.withLock { $0 } }

    func answer(_ prompt: PairingPrompt) async -> PairingAnswer {
        if let given { return given }
        let (never, continuation) = AsyncStream<Never>.makeStream()
        for await _ in never {}
        continuation.finish()
        return .no
    }

    func took(_ step: PairingStep) async { log.withLock { $0.append(step) } }
}
