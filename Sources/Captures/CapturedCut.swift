// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Toolkit

/// The beginning of an ACL packet whose end a capture has left out.
///
/// A file may say how long the packet was; some writers do not, and only the packet's own length tells.
struct CutACLPacket {
    /// The packet with the data that are there.
    let packet: HCIACLPacket
    /// The number of octets that are not there.
    let missing: Int

    /// Reads an HCI packet with its indicator; `nil` if it is none with data, or if nothing of it is missing.
    ///
    /// - Parameters:
    ///   - octets: What the capture has.
    ///   - missing: The number of missing octets, as far as the file says.
    init?(_ octets: [UInt8], missing: Int) {
        var reader = ByteReader(octets)
        guard (try? reader.uint8("packet indicator")) == 0x02, let word = try? reader.uint16("connection handle")
        else { return nil }
        let connection = ConnectionHandle(rawValue: word & 0x0FFF)
        if let length = try? reader.uint16("data total length") {
            let data = reader.rest()
            guard data.count < Int(length) else { return nil }
            self.missing = max(missing, Int(length) - data.count)
            packet = HCIACLPacket(connection, flags: UInt8(word >> 12), data: data)
        } else {
            // Without the length, only the file can tell that there was more.
            guard missing > 0 else { return nil }
            self.missing = missing
            packet = HCIACLPacket(connection, flags: UInt8(word >> 12), data: [])
        }
    }

    private var isContinuation: Bool { packet.flags & 0b11 == 0b01 }

    /// The frame that begins in the packet, with what there is of its payload; `nil` if its channel is not there.
    var frame: L2CAPFrame? {
        var reader = ByteReader(packet.data)
        guard !isContinuation, (try? reader.uint16("PDU length")) != nil,
            let channel = try? reader.uint16("channel ID")
        else { return nil }
        return L2CAPFrame(L2CAPChannelID(rawValue: channel), reader.rest())
    }

    /// What is shown of a packet without a frame.
    var content: CapturedEvent.Content {
        var reader = ByteReader(packet.data)
        let length = isContinuation ? nil : try? reader.uint16("PDU length")
        let total = length.map { L2CAPFrame.headerLength + Int($0) }
        return .part(.part(received: packet.data.count, total: total))
    }
}

/// The beginning of an ATT PDU whose end a capture has left out.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4
enum CutPDU {
    /// The attributes that the octets name: those of `ATTPDU.handles`, as far as they are there.
    static func handles(_ octets: [UInt8]) -> [Handle] {
        guard let opcode = octets.first else { return [] }
        var reader = ByteReader(octets.dropFirst())
        switch opcode {
        case 0x01: _ = try? reader.uint8("request opcode")
        case 0x09:
            guard let length = try? reader.uint8("Length"), length >= 2 else { return [] }
            return list(&reader) { (reader) throws(DecodeError) in _ = try reader.bytes(Int(length) - 2, "value") }
        case 0x0E, 0x20: return list(&reader) { (_) throws(DecodeError) in }
        case 0x23:
            return list(&reader) { (reader) throws(DecodeError) in
                _ = try reader.bytes(Int(try reader.uint16("Length")), "value")
            }
        case 0x0A, 0x0C, 0x12, 0x16, 0x1B, 0x1D, 0x52, 0xD2: break
        default: return []
        }
        return (try? Handle(from: &reader)).map { [$0] } ?? []
    }

    /// The handles of a list, each followed by octets that `skip` passes over.
    private static func list(
        _ reader: inout ByteReader,
        _ skip: (inout ByteReader) throws(DecodeError) -> Void
    ) -> [Handle] {
        var handles: [Handle] = []
        while let handle = try? Handle(from: &reader) {
            handles.append(handle)
            guard (try? skip(&reader)) != nil else { break }
        }
        return handles
    }

    /// `Write Request 0x0012 0a0b, cut`; without values if it is redacted.
    static func text(_ octets: [UInt8], isRedacted: Bool) -> String {
        guard let first = octets.first else { return "PDU, cut" }
        let (head, length) = head(octets)
        let rest = octets.dropFirst(length)
        let value =
            rest.isEmpty ? nil : isRedacted ? "\(count: rest.count, "octet")" : Hex.string(Array(rest))
        return [ATTOpcode(first).description, head, value].compactMap(\.self).joined(separator: " ") + ", cut"
    }

    /// The handles at the beginning of a PDU in words, and the number of octets with the opcode.
    private static func head(_ octets: [UInt8]) -> (String?, Int) {
        var reader = ByteReader(octets.dropFirst())
        switch octets.first {
        case 0x01:
            guard let request = try? reader.uint8("request opcode") else { return (nil, 1) }
            guard let handle = try? Handle(from: &reader) else { return ("\(ATTOpcode(request))", 2) }
            return ("\(ATTOpcode(request)) \(handle)", 4)
        case 0x04, 0x06, 0x08, 0x10:
            guard let first = try? Handle(from: &reader), let last = try? Handle(from: &reader) else { return (nil, 1) }
            return ("\(first)…\(last)", 5)
        case 0x0A, 0x0C, 0x12, 0x16, 0x17, 0x1B, 0x1D, 0x52, 0xD2:
            return (try? Handle(from: &reader)).map { ("\($0)", 3) } ?? (nil, 1)
        default: return (nil, 1)
        }
    }
}

/// The beginning of an HCI command or event whose end a capture has left out.
enum CutHCIPacket {
    /// The packet with the parameters that are there; `nil` if its code is not there.
    static func packet(_ octets: [UInt8]) -> HCIPacket? {
        var reader = ByteReader(octets)
        switch try? reader.uint8("packet indicator") {
        case 0x01:
            guard let opcode = try? reader.uint16("command opcode") else { return nil }
            _ = try? reader.uint8("parameter total length")
            return .command(HCICommandPacket(HCIOpcode(rawValue: opcode), parameters: reader.rest()))
        case 0x04:
            guard let code = try? reader.uint8("event code") else { return nil }
            _ = try? reader.uint8("parameter total length")
            return .event(HCIEventPacket(HCIEventCode(rawValue: code), parameters: reader.rest()))
        default: return nil
        }
    }

    /// `LE Connection Update, cut: 4000`; without the parameters if it is redacted. Secrets have to be left out before.
    static func text(_ octets: [UInt8], isRedacted: Bool) -> String {
        let (name, parameters): (String, [UInt8])
        switch packet(octets) {
        case .command(let command): (name, parameters) = (HCIText.name(of: command.opcode), command.parameters)
        case .event(let event):
            let code = "event 0x\(Hex.string(event.code.rawValue, minimumDigits: 2))"
            (name, parameters) = (HCIText.name(of: event) ?? code, event.parameters)
        default: (name, parameters) = ("packet", octets)
        }
        if parameters.isEmpty { return "\(name), cut" }
        return isRedacted
            ? "\(name), cut, \(count: parameters.count, "octet")" : "\(name), cut: \(Hex.string(parameters))"
    }
}
