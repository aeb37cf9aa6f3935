// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth

/// A link over BR/EDR: one for data, or a synchronous one for audio. Connection Complete and Synchronous Connection
/// Complete begin alike.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.3 and 7.7.35
package struct ClassicLink {
    package let status: HCIStatus
    package let connection: ConnectionHandle
    package let address: BluetoothAddress
    private let type: UInt8

    /// The link that an event announces; `nil` for another event, and for a malformed one.
    package init?(_ event: HCIEventPacket) {
        guard event.code.rawValue == 0x03 || event.code.rawValue == 0x2C else { return nil }
        var reader = ByteReader(event.parameters)
        guard let status = try? HCIStatus(from: &reader), let connection = try? ConnectionHandle(from: &reader),
            let address = try? BluetoothAddress(from: &reader), let type = try? reader.uint8("Link_Type")
        else { return nil }
        (self.status, self.connection, self.address, self.type) = (status, connection, address, type)
    }

    /// The device at the other end. An address over BR/EDR is a public one.
    package var device: DeviceAddress { DeviceAddress(address, .public) }

    /// `connection 0x0004 to 61:5C:4D:3E:2F:10, ACL`
    package var details: String {
        guard status == .success else { return "\(address): \(status)" }
        let kind =
            switch type {
            case 0x00: "SCO"
            case 0x01: "ACL"
            case 0x02: "eSCO"
            default: "type 0x\(Hex.string(type, minimumDigits: 2))"
            }
        return "connection \(connection) to \(address), \(kind)"
    }
}

/// An isochronous stream and the LE link that it belongs to.
package struct StreamLink {
    package let stream: ConnectionHandle
    package let link: ConnectionHandle

    /// The streams that LE Create CIS asks for, or LE CIS Request.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.99 and 7.7.65.26
    package static func all(of packet: HCIPacket) -> [StreamLink] {
        switch packet {
        case .command(let command) where command.opcode == HCIOpcode(.leController, 0x0064):
            var reader = ByteReader(command.parameters)
            guard let count = try? reader.uint8("CIS_Count") else { return [] }
            var links: [StreamLink] = []
            for _ in 0..<count {
                guard let stream = reader.connection(after: 0), let link = reader.connection(after: 0) else { break }
                links.append(StreamLink(stream: stream, link: link))
            }
            return links
        case .event(let event) where event.code == .leMeta && event.parameters.first == 0x1A:
            var reader = ByteReader(event.parameters)
            guard let link = reader.connection(after: 1), let stream = reader.connection(after: 0) else { return [] }
            return [StreamLink(stream: stream, link: link)]
        case .command, .acl, .event, .other: return []
        }
    }
}

extension HCIEventPacket {
    /// The event, decoded; `nil` if it is malformed. The second version of Enhanced Connection Complete becomes the
    /// first one, whose fields it begins with.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.7.65.10
    package var decoded: HCIEvent? {
        guard code == .leMeta, parameters.first == 0x29 else { return try? HCIEvent(self) }
        return try? HCIEvent(HCIEventPacket(.leMeta, parameters: [0x0A] + parameters.dropFirst()))
    }
}

extension ByteReader {
    /// The handle of a connection after so many octets; `nil` if the octets end before.
    package mutating func connection(after count: Int) -> ConnectionHandle? {
        guard (try? bytes(count, "parameters")) != nil else { return nil }
        return try? ConnectionHandle(from: &self)
    }
}
