// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The fields of signals that no link of this program sends, in words: those of BR/EDR links, and those for several
/// channels at a time.
///
/// Spec: Core 5.4, Vol 3, Part A, 4
enum L2CAPFields {
    /// The fields of a signal; `nil` if they are not known, or malformed.
    static func text(of code: UInt8, _ data: [UInt8]) -> String? {
        var reader = ByteReader(data)
        let text = try? text(of: code, &reader)
        return reader.isAtEnd ? text ?? nil : nil
    }

    private static func text(of code: UInt8, _ reader: inout ByteReader) throws(DecodeError) -> String? {
        switch code {
        case 0x02: return "PSM \(SPSM(try reader.uint16("PSM"))), channel \(try channel(&reader))"
        case 0x03:
            let (destination, source) = (try channel(&reader), try channel(&reader))
            let (result, status) = (try reader.uint16("Result"), try reader.uint16("Status"))
            let outcome = name(of: result, ["successful", "pending"] + refusals)
            return result == 0
                ? "channel \(destination), for channel \(source)"
                : "\(outcome)\(status == 0 ? "" : ", status 0x\(Hex.string(status, minimumDigits: 4))")"
        case 0x0A: return name(of: try reader.uint16("InfoType"), informationTypes)
        case 0x0B:
            let type = try reader.uint16("InfoType")
            let result = try reader.uint16("Result")
            let value = Hex.string(reader.rest())
            let kind = name(of: type, informationTypes)
            return result == 0 ? "\(kind), \(value)" : "\(kind), not supported"
        case 0x17:
            let spsm = SPSM(try reader.uint16("SPSM"))
            return "SPSM \(spsm), \(try limits(&reader)), channels \(try channels(&reader))"
        case 0x18:
            let limits = try limits(&reader)
            let result = try reader.uint16("Result")
            let channels = try channels(&reader)
            let outcome = name(of: result, connectionResults)
            if result == 0 { return "\(limits), channels \(channels)" }
            // Some of the channels may be open nevertheless.
            return channels.isEmpty ? outcome : "\(outcome), \(limits), channels \(channels)"
        case 0x19:
            let (mtu, mps) = (try reader.uint16("MTU"), try reader.uint16("MPS"))
            return "MTU \(mtu), MPS \(mps), channels \(try channels(&reader))"
        case 0x1A: return name(of: try reader.uint16("Result"), reconfigurationResults)
        default: return nil
        }
    }

    private static func channel(_ reader: inout ByteReader) throws(DecodeError) -> L2CAPChannelID {
        L2CAPChannelID(rawValue: try reader.uint16("CID"))
    }

    /// The numbers of channels up to the end; `refused` for 0.
    private static func channels(_ reader: inout ByteReader) throws(DecodeError) -> String {
        var texts: [String] = []
        while !reader.isAtEnd {
            let channel = try channel(&reader)
            texts.append(channel.rawValue == 0 ? "refused" : "\(channel)")
        }
        return texts.joined(separator: " ")
    }

    private static func limits(_ reader: inout ByteReader) throws(DecodeError) -> String {
        let (mtu, mps) = (try reader.uint16("MTU"), try reader.uint16("MPS"))
        return "MTU \(mtu), MPS \(mps), \(count: Int(try reader.uint16("Initial Credits")), "credit")"
    }

    private static func name(of number: UInt16, _ names: [String]) -> String {
        let name = names.indices.contains(Int(number)) ? names[Int(number)] : ""
        return name.isEmpty ? "0x\(Hex.string(number, minimumDigits: 4))" : name
    }

    /// From 0x0002. Spec: Core 5.4, Vol 3, Part A, 4.3
    private static let refusals = [
        "PSM not supported", "security block", "no resources available", "", "invalid source CID",
        "source CID already allocated",
    ]

    /// Spec: Core 5.4, Vol 3, Part A, 4.10
    private static let informationTypes = ["", "connectionless MTU", "extended features", "fixed channels"]

    /// Spec: Core 5.4, Vol 3, Part A, 4.26
    private static let connectionResults = [
        "all connections successful", "", "all connections refused, SPSM not supported", "",
        "some connections refused, insufficient resources", "all connections refused, insufficient authentication",
        "all connections refused, insufficient authorization", "all connections refused, encryption key size too short",
        "all connections refused, insufficient encryption", "some connections refused, invalid source CID",
        "some connections refused, source CID already allocated", "all connections refused, unacceptable parameters",
        "all connections refused, invalid parameters", "all connections pending, no further information available",
        "all connections pending, authentication pending", "all connections pending, authorization pending",
    ]

    /// Spec: Core 5.4, Vol 3, Part A, 4.28
    private static let reconfigurationResults = [
        "successful", "failed, reduction in size of MTU not allowed",
        "failed, reduction in size of MPS not allowed for more than one channel at a time",
        "failed, one or more destination CIDs invalid", "failed, other unacceptable parameters",
    ]
}
