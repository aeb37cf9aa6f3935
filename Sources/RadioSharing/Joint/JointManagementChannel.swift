// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// The management channels of several systems as one. Each packet has the number that its adapter has in the joint
/// system; one about no adapter is for the first system, which is the kernel if that is a part.
///
/// A system that ends is told as the kernel tells that an adapter is gone, and its commands are answered.
final class JointManagementChannel: ManagementChannel {
    struct Branch: Sendable {
        let part: JointPart
        let channel: any ManagementChannel

        /// The number of the adapter in its system; `nil` if it is none of this one.
        func own(_ index: ManagementIndex) -> ManagementIndex? {
            guard let identity = part.identity else { return index }
            return index == identity.here ? identity.own : nil
        }

        /// The number of the adapter in the joint system; `nil` if that has another number for it, or none.
        func here(_ index: ManagementIndex) -> ManagementIndex? {
            guard let identity = part.identity else { return index }
            return index == identity.own ? identity.here : nil
        }
    }

    private struct State {
        /// The commands of each system that have no answer yet.
        var pending: [[ManagementPacket]]
        var ended: Set<Int> = []
    }

    /// The number of events that wait for a slow reader. Beyond it the oldest are dropped.
    private static let limit = 256
    /// The number of commands that are remembered for their answers.
    private static let pendingLimit = 64

    private let branches: [Branch]
    /// The place of the system that gets packets about no adapter.
    private let main: Int
    private let events = PacketQueue(limit: limit, overflow: .dropOldest)
    private let state: Mutex<State>

    /// Takes the channels over, of which there is one at least.
    init(_ branches: [Branch], scope: TaskScope) throws(RadioError) {
        self.branches = branches
        main = branches.firstIndex { $0.part.identity == nil } ?? 0
        state = Mutex(State(pending: branches.map { _ in [] }))
        for number in branches.indices {
            guard scope.spawn({ await self.receive(from: number) }) else {
                close()
                throw RadioError(.cancelled, during: "management channel")
            }
        }
    }

    var droppedCount: Int { branches.reduce(events.droppedCount) { $0 + $1.channel.droppedCount } }

    func receive() async throws(RadioError) -> [UInt8] { try await events.next() }

    func send(_ packet: [UInt8]) throws(RadioError) {
        if let end = events.endReason { throw end }
        guard let command = try? ManagementPacket(decoding: packet) else { return }
        let number = branches.firstIndex { $0.part.identity != nil && $0.own(command.adapter) != nil } ?? main
        let isThere = state.withLock { state in
            guard !state.ended.contains(number) else { return false }
            state.pending[number] = state.pending[number].suffix(Self.pendingLimit - 1) + [command]
            return true
        }
        guard isThere else { return refuse(command) }
        let own = branches[number].own(command.adapter) ?? command.adapter
        let sent = ManagementPacket(code: command.code, adapter: own, parameters: command.parameters)
        try branches[number].channel.send(sent.encoded())
    }

    func drained() async throws(RadioError) {
        for branch in branches { try? await branch.channel.drained() }
    }

    func close() {
        for branch in branches { branch.channel.close() }
        events.finish(RadioError(.closedLocally, during: "management channel"))
    }

    /// Hands on what a system sends, until its channel ends.
    private func receive(from number: Int) async {
        do throws(RadioError) {
            while true { received(try await branches[number].channel.receive(), from: number) }
        } catch {
            ended(number, error)
        }
    }

    private func received(_ bytes: [UInt8], from number: Int) {
        guard let packet = try? ManagementPacket(decoding: bytes) else { return }
        var index = branches[number].here(packet.adapter)
        if packet.code == ManagementCommandCompleteEvent.code || packet.code == ManagementCommandStatusEvent.code {
            var reader = ByteReader(packet.parameters)
            let opcode = try? reader.uint16("command opcode")
            let command = state.withLock { state -> ManagementPacket? in
                let place = state.pending[number].firstIndex { $0.code == opcode }
                return place.map { state.pending[number].remove(at: $0) }
            }
            if packet.adapter == .none { index = command?.adapter }
        } else if packet.adapter == .none {
            index = number == main ? ManagementIndex.none : nil
        }
        guard let index else { return }
        events.push(ManagementPacket(code: packet.code, adapter: index, parameters: packet.parameters).encoded())
    }

    private func ended(_ number: Int, _ error: RadioError) {
        let (unanswered, isLast) = state.withLock { state in
            state.ended.insert(number)
            defer { state.pending[number] = [] }
            return (state.pending[number], state.ended.count == branches.count)
        }
        for command in unanswered { refuse(command) }
        if let identity = branches[number].part.identity {
            events.push(IndexRemovedEvent().packet(about: identity.here).encoded())
        }
        if isLast { events.finish(error) }
    }

    /// Answers a command as the kernel does when the adapter is gone.
    private func refuse(_ command: ManagementPacket) {
        let answer = ManagementCommandStatusEvent(ManagementOpcode(rawValue: command.code), status: .invalidIndex)
        events.push(answer.packet(about: command.adapter).encoded())
    }
}
