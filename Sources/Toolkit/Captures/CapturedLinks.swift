// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// Finds the connections that HCI commands and events are about.
struct CapturedLinks {
    /// The maximum number of commands without an answer that are remembered.
    private static let commandLimit = 256

    private struct Command: Hashable {
        let adapter: ManagementIndex?
        let opcode: HCIOpcode
    }

    /// The connections of commands without an answer. An answer need not name the connection again.
    private var waiting: [Command: ConnectionHandle] = [:]

    /// The connections, each once; empty if the packet is about none. The packets have to come in their order.
    mutating func connections(of packet: HCIPacket, on adapter: ManagementIndex?) -> [ConnectionHandle] {
        switch packet {
        case .command(let packet):
            // An older command with this opcode has got no answer.
            let command = Command(adapter: adapter, opcode: packet.opcode)
            waiting[command] = nil
            let found = Self.connections(of: packet)
            if found.count == 1, let connection = found.first {
                if waiting.count >= Self.commandLimit { waiting = [:] }
                waiting[command] = connection
            }
            return found
        case .event(let packet): return connections(of: packet, on: adapter)
        case .acl: return []
        case .other(let indicator, let octets): return CapturedAudio(indicator, octets)?.connection.map { [$0] } ?? []
        }
    }

    private static func connections(of packet: HCICommandPacket) -> [ConnectionHandle] {
        var reader = ByteReader(packet.parameters)
        switch packet.opcode.rawValue {
        // Host Number Of Completed Packets: pairs of a connection and a number.
        case 0x0C35: return list(&reader, skipping: 2)
        default: break
        }
        let streams = StreamLink.all(of: .command(packet))
        if !streams.isEmpty { return unique(streams.map(\.link)) }
        guard ProtocolNames.hciCommand(packet.opcode.rawValue)?.isOfConnection == true else { return [] }
        return reader.connection(after: 0).map { [$0] } ?? []
    }

    private mutating func connections(of packet: HCIEventPacket, on adapter: ManagementIndex?) -> [ConnectionHandle] {
        switch packet.hasAnswers ? packet.decoded : nil {
        case .known(let complete as CommandCompleteEvent):
            let asked = waiting.removeValue(forKey: Command(adapter: adapter, opcode: complete.opcode))
            var reader = ByteReader(complete.returnParameters)
            let returned =
                ProtocolNames.hciCommand(complete.opcode.rawValue)?.returnsConnection == true
                ? reader.connection(after: 1) : nil
            return (returned ?? asked).map { [$0] } ?? []
        case .known(let status as CommandStatusEvent):
            let asked = waiting.removeValue(forKey: Command(adapter: adapter, opcode: status.opcode))
            return asked.map { [$0] } ?? []
        case .known(let completed as NumberOfCompletedPacketsEvent):
            return Self.unique(completed.completions.map(\.connection))
        default: break
        }
        var reader = ByteReader(packet.parameters)
        // Number Of Completed Data Blocks: a total, then connections with two numbers each.
        if packet.code.rawValue == 0x48, (try? reader.uint16("Total_Num_Data_Blocks")) != nil {
            return Self.list(&reader, skipping: 4)
        }
        guard let entry = HCIText.entry(of: packet), let offset = entry.connectionOffset else { return [] }
        if packet.code == .leMeta { _ = try? reader.uint8("Subevent_Code") }
        var status = reader
        if entry.needsSuccess, (try? status.uint8("Status")) != HCIStatus.success.rawValue { return [] }
        return reader.connection(after: offset).map { [$0] } ?? []
    }

    /// The connections of a list with its number of entries before it, each followed by so many other octets.
    private static func list(_ reader: inout ByteReader, skipping count: Int) -> [ConnectionHandle] {
        guard let entries = try? reader.uint8("Num_Handles") else { return [] }
        var found: [ConnectionHandle] = []
        for _ in 0..<entries {
            guard let connection = reader.connection(after: 0) else { break }
            found.append(connection)
            guard (try? reader.bytes(count, "entry")) != nil else { break }
        }
        return unique(found)
    }

    private static func unique(_ connections: [ConnectionHandle]) -> [ConnectionHandle] {
        var seen: Set<ConnectionHandle> = []
        return connections.filter { seen.insert($0).inserted }
    }
}

extension ByteReader {
    /// The handle of a connection after so many octets; `nil` if the octets end before.
    fileprivate mutating func connection(after count: Int) -> ConnectionHandle? {
        guard (try? bytes(count, "parameters")) != nil else { return nil }
        return try? ConnectionHandle(from: &self)
    }
}

/// A link over BR/EDR: one for data, or a synchronous one for audio. Connection Complete and Synchronous Connection
/// Complete begin alike.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.3 and 7.7.35
struct ClassicLink {
    let status: HCIStatus
    let connection: ConnectionHandle
    let address: BluetoothAddress
    /// The kind of link (Link_Type).
    private let type: UInt8

    /// The link that an event announces; `nil` for another event, and for a malformed one.
    init?(_ event: HCIEventPacket) {
        guard event.code.rawValue == 0x03 || event.code.rawValue == 0x2C else { return nil }
        var reader = ByteReader(event.parameters)
        guard let status = try? HCIStatus(from: &reader), let connection = try? ConnectionHandle(from: &reader),
            let address = try? BluetoothAddress(from: &reader), let type = try? reader.uint8("Link_Type")
        else { return nil }
        (self.status, self.connection, self.address, self.type) = (status, connection, address, type)
    }

    /// The device at the other end. An address over BR/EDR is a public one.
    var device: DeviceAddress { DeviceAddress(address, .public) }

    /// `connection 0x0004 to 61:5C:4D:3E:2F:10, ACL`
    var details: String {
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
struct StreamLink {
    let stream: ConnectionHandle
    let link: ConnectionHandle

    /// The streams that LE Create CIS asks for, or LE CIS Request.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.99 and 7.7.65.26
    static func all(of packet: HCIPacket) -> [StreamLink] {
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
    var decoded: HCIEvent? {
        guard code == .leMeta, parameters.first == 0x29 else { return try? HCIEvent(self) }
        let subevent = LEEnhancedConnectionCompleteEvent.subevent
        return try? HCIEvent(HCIEventPacket(.leMeta, parameters: [subevent] + parameters.dropFirst()))
    }
}

extension HCIEventPacket {
    /// Whether it answers a command or data. Others, of which there may be very many, need not be decoded for their
    /// connection.
    fileprivate var hasAnswers: Bool { [.commandComplete, .commandStatus, .numberOfCompletedPackets].contains(code) }

    /// Whether it may begin or end a link.
    var isAboutLinks: Bool {
        switch (code.rawValue, parameters.first) {
        case (0x03, _), (0x05, _), (0x2C, _), (0x3E, 0x01), (0x3E, 0x0A), (0x3E, 0x29): true
        default: false
        }
    }
}

extension HCIPacket {
    /// Whether it ends all links of the controller: a reset, or the report that it is done.
    var endsAllLinks: Bool {
        switch self {
        case .command(let command): return command.opcode == HCIReset.opcode
        case .event(let event):
            guard event.code == .commandComplete,
                case .known(let complete as CommandCompleteEvent)? = event.decoded
            else { return false }
            return complete.opcode == HCIReset.opcode && complete.status == .success
        case .acl, .other: return false
        }
    }

    /// Whether it is data of a link. Some controllers send their logs in packets of handles that no link has: one of a
    /// chip maker, and those above the range for links.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 5.4.2
    static func isLink(_ connection: ConnectionHandle) -> Bool {
        connection.rawValue <= 0x0EFF && connection.rawValue != 0x0EDC
    }
}
