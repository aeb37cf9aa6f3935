// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Toolkit

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
        // Number Of Completed Data Blocks: a total, then connections with two numbers each.
        if packet.code.rawValue == 0x48 {
            var reader = ByteReader(packet.parameters)
            return (try? reader.uint16("Total_Num_Data_Blocks")) == nil ? [] : Self.list(&reader, skipping: 4)
        }
        guard let entry = HCIText.entry(of: packet), let offset = entry.connectionOffset else { return [] }
        var reader = ByteReader(packet.parameters)
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
}
