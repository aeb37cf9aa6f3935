// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// A channel of a radio in another process.
final class RemoteChannel: HCIChannel, ManagementChannel {
    private struct State {
        /// The reason of the channel's end that the other process sent.
        var end: RadioError?
        /// The packets that the other process has dropped because this one reads slowly.
        var dropped = 0
        /// The last number that the other process has reported as finished; `nil` before the first.
        var finished: UInt32?
    }

    /// The connection between the processes.
    private let channel: any PacketChannel
    let operation: String
    /// The cause of the end if the other process closes the connection without one.
    private let lost: RadioError.Cause
    /// Takes the news of the machine; `nil` if there is none.
    private let machine: RemoteAdapterState?
    /// Behind a lock, because sending and receiving happen in different tasks.
    private let state = Mutex(State())

    /// Opens a connection and sends its request. The answer comes as a packet.
    init(
        _ request: RemoteRequest,
        by connector: any RemoteConnector,
        during operation: String,
        lost: RadioError.Cause = .adapterRemoved,
        of machine: RemoteAdapterState? = nil
    ) throws(RadioError) {
        self.operation = operation
        self.lost = lost
        self.machine = machine
        channel = try connector.connect()
        do throws(RadioError) {
            try channel.send(request.encoded())
        } catch {
            channel.close()
            throw error
        }
    }

    /// Takes over a connection on which a request was sent already.
    init(_ channel: any PacketChannel, during operation: String, lost: RadioError.Cause) {
        self.channel = channel
        self.operation = operation
        self.lost = lost
        machine = nil
    }

    /// The next packet that is for the caller. Throws the reason of the end.
    func next() async throws(RadioError) -> RemotePacket {
        while true {
            if let end = state.withLock({ $0.end }) { throw end }
            let bytes: [UInt8]
            do throws(RadioError) {
                bytes = try await channel.receive()
            } catch {
                throw meaning(of: error)
            }
            if let packet = try take(bytes) { return packet }
        }
    }

    /// The next packet of the channel. Its age is unknown.
    func receive() async throws(RadioError) -> [UInt8] {
        while true {
            switch try await next() {
            case .data(let bytes), .kept(let bytes, _): return bytes
            default: break
            }
        }
    }

    /// All packets of the channel that have arrived, at least one.
    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> {
        try await receiveAged().map(\.bytes)[...]
    }

    /// Waits for packets with their ages: a value that was kept while no client listened is older than its arrival
    /// here.
    func receiveAged() async throws(RadioError) -> [TimestampedPacket] {
        while true {
            if let end = state.withLock({ $0.end }) { throw end }
            let waiting: ArraySlice<[UInt8]>
            do throws(RadioError) {
                waiting = try await channel.receiveWaiting()
            } catch {
                throw meaning(of: error)
            }
            var packets: [TimestampedPacket] = []
            for bytes in waiting {
                // Packets before the end are returned first; the next call throws.
                switch try? take(bytes) {
                case .data(let bytes): packets.append(TimestampedPacket(bytes))
                case .kept(let bytes, let age): packets.append(TimestampedPacket(bytes, age: age))
                default: break
                }
            }
            if !packets.isEmpty { return packets }
        }
    }

    /// Takes a packet; `nil` if it is not for the caller. Throws if it ends the channel.
    private func take(_ bytes: [UInt8]) throws(RadioError) -> RemotePacket? {
        let packet: RemotePacket
        do throws(DecodeError) {
            packet = try RemotePacket(decoding: bytes)
        } catch {
            throw end(RadioError(.system(call: "receive", errno: "EPROTO"), during: operation))
        }
        switch packet {
        // It is the other process that was interrupted.
        case .ended(let error) where error.cause == .cancelled && machine?.isLent == true:
            throw end(RadioError(lost, during: operation))
        case .ended(let error):
            throw end(error)
        case .dropped(let count):
            state.withLock { $0.dropped = Int(count) }
            return nil
        case .adapter(let adapter):
            machine?.set(adapter)
            return nil
        case .linked(let devices):
            machine?.set(linked: devices)
            return nil
        case .security(let news):
            machine?.take(news)
            return nil
        case .finished(let number):
            state.withLock { $0.finished = number }
            return packet
        case .data, .kept, .opened, .connected, .channel, .joined, .central, .frame, .waiting:
            return packet
        }
    }

    /// Ends the channel for a reason. The first reason counts.
    private func end(_ error: RadioError) -> RadioError {
        let first = state.withLock { state in
            state.end = state.end ?? error
            return state.end ?? error
        }
        channel.close()
        return first
    }

    /// The connection between the processes has no link that could be lost: its end means that the radio is gone.
    private func meaning(of error: RadioError) -> RadioError {
        if let end = state.withLock({ $0.end }) { return end }
        switch error.cause {
        case .closedByPeer, .linkLost, .system: return RadioError(lost, during: operation)
        default: return RadioError(error.cause, during: operation)
        }
    }

    /// The octets of a credit-based channel that the other process has sent, modulo 2^32; `nil` if it does not tell.
    var finishedCount: UInt32? { state.withLock { $0.finished } }

    /// The packets that either process has dropped.
    var droppedCount: Int { state.withLock { $0.dropped } + channel.droppedCount }

    /// Sends a packet. Throws the reason of the end if there is one already.
    func send(_ packet: [UInt8]) throws(RadioError) {
        if let end = state.withLock({ $0.end }) { throw end }
        do throws(RadioError) {
            try channel.send(packet)
        } catch {
            throw meaning(of: error)
        }
    }

    /// Suspends until the other process has taken all sent packets.
    func drained() async throws(RadioError) { try await channel.drained() }

    /// Ends the channel for a reason of this process.
    func hangUp(_ reason: RadioError) { channel.hangUp(reason) }

    /// Closes the connection, by which the other process ends the channel.
    func close() { channel.close() }
}
