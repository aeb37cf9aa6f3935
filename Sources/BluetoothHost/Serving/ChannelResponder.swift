// SPDX-License-Identifier: MIT

public import BluetoothDevices

/// Carries out the device's definition on a credit-based channel, until the channel ends.
public struct ChannelResponder: Sendable {
    private let service: DeviceChannel

    /// Creates a responder for the channels of a service.
    public init(_ service: DeviceChannel) { self.service = service }

    /// Serves one channel, and closes it afterwards.
    public func run(on channel: any L2CAPChannel) async {
        defer { channel.close() }
        do throws(RadioError) {
            switch service.behavior {
            case .echo: try await echo(channel)
            case .sink: while true { _ = try await channel.receive() }
            case .source(let octets): try await send(octets, on: channel)
            }
        } catch {
            // The channel has ended, so the error has no receiver.
        }
    }

    /// Reads no further unit before the last one is on its way, so that a client that does not read is held back.
    private func echo(_ channel: any L2CAPChannel) async throws(RadioError) {
        while true {
            var rest = try await channel.receive()[...]
            repeat {
                let part = rest.prefix(Int(channel.sendMTU))
                rest = rest.dropFirst(part.count)
                try channel.send(Array(part))
                try await channel.drained()
            } while !rest.isEmpty
        }
    }

    /// Sends octets that count from 0 to 255, as fast as the client gives credits.
    private func send(_ octets: Int?, on channel: any L2CAPChannel) async throws(RadioError) {
        var sent = 0
        while sent < octets ?? .max {
            let count = min(Int(channel.sendMTU), (octets ?? .max) - sent)
            try channel.send((sent..<sent + count).map { UInt8(truncatingIfNeeded: $0) })
            try await channel.drained()
            sent += count
        }
    }
}
