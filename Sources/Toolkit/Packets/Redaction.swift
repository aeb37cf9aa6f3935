// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost

/// What is left of packets in logs that leave the lab (`--redact`): kind, attribute, length and outcome, without
/// values, names and keys.
///
/// A text or an octet is kept only if it is known to carry none of them, so a packet of an unknown kind shows only its
/// kind and its length.
package enum Redaction {
    // MARK: - Texts

    package static func text(ofATT octets: [UInt8]) -> String {
        guard let first = octets.first else { return "empty PDU" }
        guard let pdu = try? ATTPDU(decoding: octets) else {
            return "malformed \(ATTOpcode(first)), \(count: octets.count, "octet")"
        }
        if isOpen(pdu) { return pdu.description }
        let handles = pdu.handles.map { "\($0)" }.joined(separator: " ")
        let value = "\(count: octets.count - min(octets.count, headerLength(ofATT: first)), "octet")"
        return "\(ATTOpcode(first))\(handles.isEmpty ? "" : " \(handles)"), \(value)"
    }

    package static func text(of packet: HCIPacket) -> String {
        switch packet {
        case .command(let command):
            isOpen(command)
                ? command.description : "\(name(of: command)), \(count: command.parameters.count, "octet")"
        case .event(let packet): text(of: packet)
        case .acl(let data): "\(HCIText.name(of: data)) \(data.connection), \(count: data.data.count, "octet")"
        case .other(let indicator, let rest):
            CapturedAudio(indicator, rest).map { "\($0.name): \($0.openText)" }
                ?? "packet 0x\(Hex.string(indicator, minimumDigits: 2)), \(count: rest.count, "octet")"
        }
    }

    private static func text(of packet: HCIEventPacket) -> String {
        let octets = "\(count: packet.parameters.count, "octet")"
        // The description of a malformed event has its octets.
        let name = HCIText.name(of: packet) ?? "event 0x\(Hex.string(packet.code.rawValue, minimumDigits: 2))"
        guard let event = try? HCIEvent(packet) else { return "\(name), malformed, \(octets)" }
        if isOpen(packet) { return HCIText.text(of: .event(packet)) }
        if case .known(is CommandCompleteEvent) = event, packet.parameters.count >= 3 {
            let opcode = HCIOpcode(rawValue: UInt16(packet.parameters[1]) | UInt16(packet.parameters[2]) << 8)
            let status = packet.parameters.count > 3 ? ": \(HCIStatus(rawValue: packet.parameters[3]))" : ""
            return "Command Complete: \(HCIText.name(of: opcode))\(status), \(octets)"
        }
        return "\(name), \(octets)"
    }

    /// The name of a command, with the remark that it is malformed.
    private static func name(of command: HCICommandPacket) -> String {
        HCIText.name(of: command.opcode) + (HCIText.isMalformed(.command(command)) ? ", malformed" : "")
    }

    package static func text(of packet: ManagementPacket, isSent: Bool) -> String {
        let number = "\(isSent ? "command" : "event") 0x\(Hex.string(packet.code, minimumDigits: 4))"
        let kind = HCIText.name(of: packet, isSent: isSent) ?? number
        let remark = HCIText.isMalformed(packet, isSent: isSent) ? ", malformed" : ""
        return "\(packet.adapter) \(kind)\(remark), \(count: packet.parameters.count, "octet")"
    }

    /// A frame of another channel than that of ATT, in words.
    package static func text(of frame: L2CAPFrame) -> String {
        if isOpen(frame) { return L2CAPText.text(of: frame) }
        let remark = L2CAPText.isMalformed(frame) ? "malformed, " : ""
        return
            "\(L2CAPText.name(of: frame) ?? "channel \(frame.channel)"), \(remark)\(count: frame.payload.count, "octet")"
    }

    package static func malformed(_ error: DecodeError, _ octets: [UInt8]) -> String {
        "malformed (\(error.field)), \(count: octets.count, "octet")"
    }

    // MARK: - Octets

    /// An HCI packet with its indicator, with zeros in place of private contents. Its form stays, so that readers of
    /// the capture accept it.
    package static func zeroed(_ octets: [UInt8]) -> [UInt8] {
        switch octets.first {
        case 0x01 where octets.count >= 4: return zeroed(command: octets)
        case 0x04 where octets.count >= 3: return zeroed(event: octets)
        case 0x02 where octets.count >= 9: return zeroed(data: octets)
        default: return zeroed(octets, after: 1)
        }
    }

    private static func zeroed(_ octets: [UInt8], after count: Int) -> [UInt8] {
        octets.prefix(count) + [UInt8](repeating: 0, count: max(0, octets.count - count))
    }

    private static func zeroed(command octets: [UInt8]) -> [UInt8] {
        guard case .command(let packet)? = try? HCIPacket(decoding: octets) else { return zeroed(octets, after: 4) }
        return isOpen(packet) ? octets : zeroed(octets, after: 4 + parameterHeader(of: packet.opcode.rawValue))
    }

    private static func zeroed(event octets: [UInt8]) -> [UInt8] {
        guard case .event(let packet)? = try? HCIPacket(decoding: octets), let event = try? HCIEvent(packet) else {
            return zeroed(octets, after: 3)
        }
        // The decoder ignores octets after the known parameters, and they may be anything.
        let octets = zeroed(octets, after: 3 + event.packet.parameters.count)
        if isOpen(packet) { return octets }
        guard packet.code == .leMeta else {
            // Of a Command Complete: the number of commands, the opcode and the status.
            return zeroed(octets, after: packet.code == .commandComplete ? 7 : 3)
        }
        // The octets of a report before its data, the last of which is the length of the data, and the octets after
        // them.
        switch packet.parameters.first {
        case 0x02: return zeroed(reports: octets, header: 9, trailer: 1)
        case 0x0D: return zeroed(reports: octets, header: 24, trailer: 0)
        default: return zeroed(octets, after: 4)
        }
    }

    /// Advertising reports whose data keep the lengths and the types of their structures.
    private static func zeroed(reports octets: [UInt8], header: Int, trailer: Int) -> [UInt8] {
        var result = octets
        // After the indicator, code, length, subevent and the number of reports.
        var start = 5 + header
        while start <= octets.count {
            let end = min(octets.count, start + Int(octets[start - 1]))
            var position = start
            while position < end {
                let next = position + 1 + Int(octets[position])
                // A structure that goes on in the next report keeps nothing, as its beginning does not there.
                let kept = next <= end ? position + 2 : position
                for index in kept..<max(kept, min(next, end)) { result[index] = 0 }
                position = next
            }
            start = end + trailer + header
        }
        return result
    }

    /// A frame in ACL data: 5 octets of header with the indicator, and 4 of the frame.
    private static func zeroed(data octets: [UInt8]) -> [UInt8] {
        guard let frame = try? L2CAPFrame(decoding: Array(octets.dropFirst(5))) else { return zeroed(octets, after: 5) }
        guard frame.channel == .att else { return isOpen(frame) ? octets : zeroed(octets, after: 9) }
        guard let first = frame.payload.first, let pdu = try? ATTPDU(decoding: frame.payload) else {
            return zeroed(octets, after: 9)
        }
        if isOpen(pdu) { return octets }
        let head = octets.prefix(9)
        switch pdu {
        case .server(.response(.readByType(let response))):
            let kept = response.entries.flatMap { entry in
                [UInt8(entry.handle.rawValue & 0xFF), UInt8(entry.handle.rawValue >> 8)]
                    + [UInt8](repeating: 0, count: entry.value.count)
            }
            return head + frame.payload.prefix(2) + kept
        case .server(.multipleNotification(let notification)):
            let kept = notification.values.flatMap { entry in
                let (handle, length) = (entry.handle.rawValue, entry.value.count)
                return [UInt8(handle & 0xFF), UInt8(handle >> 8), UInt8(length & 0xFF), UInt8(length >> 8)]
                    + [UInt8](repeating: 0, count: length)
            }
            return head + [first] + kept
        default: return zeroed(octets, after: 9 + headerLength(ofATT: first))
        }
    }

    // MARK: - Public contents

    /// Whether a PDU has no value: it requests one, has handles only, or reports an error.
    private static func isOpen(_ pdu: ATTPDU) -> Bool {
        switch pdu {
        case .client(.request(let request)):
            switch request {
            case .exchangeMTU, .findInformation, .readByType, .read, .readBlob, .readMultiple, .readByGroupType,
                .executeWrite, .readMultipleVariable:
                true
            case .findByTypeValue, .write, .prepareWrite: false
            }
        case .client(.confirmation), .server(.error): true
        case .server(.response(let response)):
            switch response {
            case .exchangeMTU, .findInformation, .findByTypeValue, .write, .executeWrite: true
            default: false
            }
        case .client(.command), .client(.unknown), .server(.notification), .server(.indication),
            .server(.multipleNotification), .server(.unknown):
            false
        }
    }

    /// The octets before the value of a PDU.
    private static func headerLength(ofATT opcode: UInt8) -> Int {
        switch opcode {
        case 0x06: 7
        case 0x12, 0x52, 0xD2, 0x1B, 0x1D: 3
        case 0x16, 0x17: 5
        case 0x09, 0x11: 2
        default: 1
        }
    }

    /// Whether a command has no data, no names and no keys. The parameters of one that is malformed may be anything.
    private static func isOpen(_ packet: HCICommandPacket) -> Bool {
        guard (try? HCICommandCatalog.command(in: packet)) != nil else { return false }
        return switch packet.opcode.rawValue {
        // Reset, event masks, Disconnect, RSSI; scanning, advertising and connections without their data.
        case 0x0C03, 0x0C01, 0x2001, 0x0406, 0x1405, 0x2006, 0x200A, 0x200B, 0x200C, 0x200D, 0x200E, 0x2013, 0x2016,
            0x2022, 0x2030, 0x2032, 0x2036, 0x2039, 0x2041, 0x2042, 0x2043:
            true
        default: false
        }
    }

    /// The octets of a command's parameters that say how its data are laid out.
    private static func parameterHeader(of opcode: UInt16) -> Int {
        switch opcode {
        // Advertising data and scan response data: the length.
        case 0x2008, 0x2009: 1
        // The same of a set: its handle, the operation, the fragments and the length.
        case 0x2037, 0x2038: 4
        default: 0
        }
    }

    /// Whether an event is about a link and its properties only.
    private static func isOpen(_ packet: HCIEventPacket) -> Bool {
        switch packet.code {
        case .disconnectionComplete, .encryptionChange, .commandStatus, .hardwareError, .numberOfCompletedPackets,
            .encryptionKeyRefreshComplete, .readRemoteVersionInformationComplete:
            true
        case .leMeta:
            // Links and their parameters, features, data length and PHY.
            switch packet.parameters.first {
            case 0x01, 0x03, 0x04, 0x06, 0x07, 0x0A, 0x0C, 0x11, 0x12, 0x13, 0x14: true
            default: false
            }
        default: false
        }
    }

    /// Whether a frame is a signal with known fields.
    private static func isOpen(_ frame: L2CAPFrame) -> Bool {
        guard frame.channel == .leSignaling,
            let command = try? Bluetooth.L2CAPCommand(decoding: frame.payload)
        else { return false }
        if case .other = command.signal { return false }
        return true
    }
}
