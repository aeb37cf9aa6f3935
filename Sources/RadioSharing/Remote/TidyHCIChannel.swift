// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// A channel to a controller for another process. At its end, what that has left switched on is switched off: the kernel
/// does not do so.
final class TidyHCIChannel: HCIChannel {
    private let base: any HCIChannel
    private let leftovers = Mutex(ChannelLeftovers())

    init(_ base: any HCIChannel) { self.base = base }

    var droppedCount: Int { base.droppedCount }
    func drained() async throws(RadioError) { try await base.drained() }

    func receive() async throws(RadioError) -> [UInt8] {
        let packet = try await base.receive()
        received(packet)
        return packet
    }

    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> {
        let packets = try await base.receiveWaiting()
        for packet in packets { received(packet) }
        return packets
    }

    func receiveAged() async throws(RadioError) -> [TimestampedPacket] {
        let packets = try await base.receiveAged()
        for packet in packets { received(packet.bytes) }
        return packets
    }

    func send(_ packet: [UInt8]) throws(RadioError) {
        try base.send(packet)
        guard case .command(let command)? = try? HCIPacket(decoding: packet) else { return }
        leftovers.withLock { $0.sent(command) }
    }

    private func received(_ packet: [UInt8]) {
        guard packet.starts(with: [0x04, CommandCompleteEvent.code.rawValue]),
            case .event(let packet)? = try? HCIPacket(decoding: packet),
            case .known(let event as CommandCompleteEvent)? = try? HCIEvent(packet)
        else { return }
        leftovers.withLock { $0.answered(event) }
    }

    func hangUp(_ reason: RadioError) {
        tidyUp()
        base.hangUp(reason)
    }

    func close() {
        tidyUp()
        base.close()
    }

    private func tidyUp() {
        let commands = leftovers.withLock { leftovers in
            defer { leftovers = ChannelLeftovers() }
            return leftovers.commands
        }
        // A controller that is gone has nothing left on.
        for command in commands { try? base.send(HCIPacket.command(command).encoded()) }
    }
}
