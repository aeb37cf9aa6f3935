// SPDX-License-Identifier: MIT

import Bluetooth
package import BluetoothHost

/// The connection of two processes whose clocks go together. Carries messages of any length in parts.
package struct ClockLink: Sendable {
    /// The longest part, in octets.
    private static let partLength = 4_096
    /// The longest message, in octets. All packets of a turn are in one.
    private static let maximumLength = 32 << 20

    let channel: any PacketChannel

    /// Takes a connection over.
    package init(_ channel: any PacketChannel) { self.channel = channel }

    func send(_ message: ClockMessage) throws(RadioError) {
        let bytes = message.encoded()
        var start = 0
        repeat {
            let end = min(start + Self.partLength - 1, bytes.count)
            try channel.send([end == bytes.count ? 1 : 0] + bytes[start..<end])
            start = end
        } while start < bytes.count
    }

    /// The next message. Throws at the end of the connection, and if the other end says something else.
    func receive() async throws(RadioError) -> ClockMessage {
        let malformed = RadioError(.system(call: "receive", errno: "EPROTO"), during: "shared clock")
        var bytes: [UInt8] = []
        while true {
            let part = try await channel.receive()
            guard let isLast = part.first, bytes.count + part.count <= Self.maximumLength else { throw malformed }
            bytes += part.dropFirst()
            guard isLast != 0 else { continue }
            do throws(DecodeError) {
                return try ClockMessage(decoding: bytes)
            } catch {
                throw malformed
            }
        }
    }
}
