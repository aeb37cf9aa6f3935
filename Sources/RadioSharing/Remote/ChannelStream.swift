// SPDX-License-Identifier: MIT

import Bluetooth
package import BluetoothHost
import Synchronization

/// Channels between two processes through one stream of octets, such as the standard streams of a program on another
/// machine.
///
/// Each end first says what it is, and the version of what follows. A shell that starts the program may print something
/// before, which is passed over. Then each `ChannelPacket` comes after its length, as four octets, little-endian.
package final class ChannelStream: RemoteConnector {
    /// The version of what follows the greetings.
    private static let version = 2
    /// What each end says first: this, its version, and a line feed. It begins with one, because the shell may not have
    /// ended its line.
    private static let greeting = Array("\nblectl radio ".utf8)
    /// The most octets that are passed over before it.
    private static let maximumPreamble = 64 << 10
    /// The longest packet in octets: a number, an event, and its data with their length.
    private static let maximumLength = 8 + Int(UInt16.max)
    /// The most channels at a time. Further ones end at once.
    private static let maximumChannels = 512

    private struct State {
        var channels: [UInt32: MultiplexedChannel] = [:]
        /// The number of the last channel that this end has opened.
        var lastChannel: UInt32
        var end: RadioError?
    }

    private let stream: any PacketChannel
    private let operation: String
    private let state: Mutex<State>
    /// Ends when the other end has said what it is, or has gone.
    private let greeted = AsyncStream<Never>.makeStream()

    /// Takes a stream over, and says what this end is.
    ///
    /// - Parameters:
    ///   - stream: The octets of both directions, in pieces of any length.
    ///   - isOpener: Whether this end opens channels; the other one takes them. Their numbers are odd and even.
    ///   - operation: The operation in words, for errors.
    package init(_ stream: any PacketChannel, isOpener: Bool, during operation: String) {
        self.stream = stream
        self.operation = operation
        state = Mutex(State(lastChannel: isOpener ? 1 : 0))
        send(Self.greeting + Array("\(Self.version)\n".utf8))
    }

    /// Suspends until the other end has said what it is. Throws if it ends before.
    package func untilGreeted() async throws(RadioError) {
        for await _ in greeted.stream {}
        if let end = state.withLock({ $0.end }) { throw end }
        if Task.isCancelled { throw RadioError(.cancelled, during: operation) }
    }

    /// Opens a channel to the other end.
    package func connect() throws(RadioError) -> any PacketChannel {
        let (number, end) = state.withLock { state in
            state.lastChannel &+= 2
            return (state.lastChannel, state.end)
        }
        if let end { throw end }
        let channel = add(number)
        send(ChannelPacket(channel: number, event: .open(nil)))
        return channel
    }

    /// Carries the channels until the stream ends or the task is cancelled. Then all have ended.
    ///
    /// - Parameter accept: Takes each channel that the other end opens.
    package func carry(_ accept: @Sendable (any PacketChannel) -> Void = { $0.close() }) async {
        do {
            var octets = try await preamble()
            greeted.continuation.finish()
            while true {
                var start = 0
                while let packet = try packet(in: octets, from: &start) { take(packet, accept) }
                octets.removeFirst(start)
                octets.append(contentsOf: try await stream.receive())
            }
        } catch let error as RadioError {
            finish(error)
        } catch {
            finish(RadioError(.controllerGarbled, during: operation))
        }
    }

    package func close() { finish(RadioError(.closedLocally, during: operation)) }

    // MARK: - The stream

    /// The octets after the greeting of the other end.
    private func preamble() async throws -> [UInt8] {
        var octets: [UInt8] = []
        while octets.count < Self.maximumPreamble {
            octets += try await stream.receive()
            guard let start = octets.indices.first(where: { octets[$0...].starts(with: Self.greeting) }) else {
                continue
            }
            let rest = octets[(start + Self.greeting.count)...]
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { continue }
            guard let version = Int(String(decoding: rest[..<end], as: UTF8.self)) else { break }
            guard version == Self.version else {
                throw RadioError(.otherVersion(isOlder: version < Self.version), during: operation)
            }
            return Array(rest[(end + 1)...])
        }
        throw RadioError(.controllerGarbled, during: operation)
    }

    /// The packet that begins at `start`, which moves behind it; `nil` if it is not whole yet.
    private func packet(in octets: [UInt8], from start: inout Int) throws -> ChannelPacket? {
        guard octets.count - start >= 4 else { return nil }
        var reader = ByteReader(Array(octets[start..<start + 4]))
        let length = Int(try reader.uint32("Length"))
        guard length <= Self.maximumLength else { throw DecodeError("Length", .invalid(value: UInt64(length))) }
        let end = start + 4 + length
        guard octets.count >= end else { return nil }
        defer { start = end }
        return try ChannelPacket(decoding: Array(octets[(start + 4)..<end]))
    }

    private func send(_ packet: ChannelPacket) {
        let bytes = packet.encoded()
        var writer = ByteWriter()
        writer.uint32(UInt32(bytes.count))
        writer.append(bytes)
        send(writer.bytes)
    }

    /// Sends octets. A failure ends the stream, by which all channels notice it.
    private func send(_ octets: [UInt8]) {
        do throws(RadioError) {
            try stream.send(octets)
        } catch {
            stream.hangUp(error)
        }
    }

    private func finish(_ reason: RadioError) {
        let channels = state.withLock { state in
            state.end = state.end ?? reason
            defer { state.channels = [:] }
            return state.channels
        }
        for (_, channel) in channels.sorted(by: { $0.key < $1.key }) { channel.end(reason) }
        stream.close()
        greeted.continuation.finish()
    }

    // MARK: - Channels

    private func take(_ packet: ChannelPacket, _ accept: (any PacketChannel) -> Void) {
        switch packet.event {
        case .open:
            let hasRoom = state.withLock { state in
                state.channels[packet.channel] == nil && state.channels.count < Self.maximumChannels
            }
            guard hasRoom else { return send(ChannelPacket(channel: packet.channel, event: .close)) }
            accept(add(packet.channel))
        // Those are for a world of several processes.
        case .offer, .withdraw: break
        case .data, .pause, .resume, .close:
            let channel = state.withLock { state in
                defer { if packet.event == .close { state.channels[packet.channel] = nil } }
                return state.channels[packet.channel]
            }
            channel?.take(packet.event)
        }
    }

    private func add(_ number: UInt32) -> MultiplexedChannel {
        let stream = stream
        let channel = MultiplexedChannel { [weak self] event in
            self?.emit(event, on: number)
        } untilRoom: { () async throws(RadioError) in
            try await stream.drained()
        }
        let end = state.withLock { state in
            if state.end == nil { state.channels[number] = channel }
            return state.end
        }
        if let end { channel.end(end) }
        return channel
    }

    private func emit(_ event: ChannelPacket.Event, on number: UInt32) {
        let isThere = state.withLock { state in
            defer { if event == .close { state.channels[number] = nil } }
            return state.channels[number] != nil
        }
        if isThere { send(ChannelPacket(channel: number, event: event)) }
    }
}
