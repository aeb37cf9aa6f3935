// SPDX-License-Identifier: MIT

import Bluetooth

/// The kind of a record of the kernel's monitor socket: the lower half of its flags. Unknown values are kept.
///
/// Spec: BlueZ, src/shared/btsnoop.h, and the kernel's include/net/bluetooth/hci_mon.h
struct MonitorOpcode: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt16

    static let newIndex = Self(rawValue: 0)
    static let deletedIndex = Self(rawValue: 1)
    static let command = Self(rawValue: 2)
    static let event = Self(rawValue: 3)
    static let sentACL = Self(rawValue: 4)
    static let receivedACL = Self(rawValue: 5)
    static let sentSCO = Self(rawValue: 6)
    static let receivedSCO = Self(rawValue: 7)
    static let openedIndex = Self(rawValue: 8)
    static let closedIndex = Self(rawValue: 9)
    static let indexInformation = Self(rawValue: 10)
    static let systemNote = Self(rawValue: 12)
    static let userLogging = Self(rawValue: 13)
    static let controlCommand = Self(rawValue: 16)
    static let controlEvent = Self(rawValue: 17)
    static let sentISO = Self(rawValue: 18)
    static let receivedISO = Self(rawValue: 19)

    /// The kind of an HCI packet with that indicator; that of a command or an event for an unknown indicator.
    init(indicator: UInt8, _ direction: CapturedPacket.Direction) {
        switch (indicator, direction) {
        case (0x02, .sent): self = .sentACL
        case (0x02, .received): self = .receivedACL
        case (0x03, .sent): self = .sentSCO
        case (0x03, .received): self = .receivedSCO
        case (0x05, .sent): self = .sentISO
        case (0x05, .received): self = .receivedISO
        case (_, .sent): self = .command
        case (_, .received): self = .event
        }
    }

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The indicator and the direction of an HCI packet; `nil` for other kinds.
    var packet: (indicator: UInt8, CapturedPacket.Direction)? {
        switch self {
        case .command: (0x01, .sent)
        case .event: (0x04, .received)
        case .sentACL: (0x02, .sent)
        case .receivedACL: (0x02, .received)
        case .sentSCO: (0x03, .sent)
        case .receivedSCO: (0x03, .received)
        case .sentISO: (0x05, .sent)
        case .receivedISO: (0x05, .received)
        default: nil
        }
    }
}

extension CapturedPacket {
    init(monitor record: BTSnoopRecord) throws(DecodeError) {
        let opcode = MonitorOpcode(rawValue: UInt16(truncatingIfNeeded: record.flags))
        let adapter = ManagementIndex(rawValue: UInt16(truncatingIfNeeded: record.flags >> 16))
        if let (indicator, direction) = opcode.packet {
            self.init(.hci([indicator] + record.data), direction, adapter: adapter)
            return
        }
        var reader = ByteReader(record.data)
        switch opcode {
        case .newIndex: self.init(.adapter(try Self.added(&reader)), .received, adapter: adapter)
        case .deletedIndex: self.init(.adapter("removed"), .received, adapter: adapter)
        case .openedIndex: self.init(.adapter("opened"), .received, adapter: adapter)
        case .closedIndex: self.init(.adapter("closed"), .received, adapter: adapter)
        case .indexInformation:
            let address = try BluetoothAddress(from: &reader)
            let company = try reader.uint16("manufacturer")
            let text = "address \(address), manufacturer 0x\(Hex.string(company, minimumDigits: 4))"
            self.init(.adapter(text), .received, adapter: adapter)
        case .systemNote: self.init(.note(Self.text(reader.rest())), .received, adapter: adapter)
        case .userLogging:
            _ = try reader.uint8("priority")
            let length = Int(try reader.uint8("ident length"))
            let program = Self.text(try reader.bytes(length, "ident"))
            self.init(.note("\(program): \(Self.text(reader.rest()))"), .received, adapter: adapter)
        case .controlCommand, .controlEvent:
            _ = try reader.uint32("cookie")
            let code = try reader.uint16("code")
            let packet = ManagementPacket(code: code, adapter: adapter, parameters: reader.rest())
            self.init(.management(packet), opcode == .controlCommand ? .sent : .received, adapter: adapter)
        default: self.init(.other(opcode.rawValue, reader.rest()), .received, adapter: adapter)
        }
    }

    /// Type, bus, address and name of an adapter that was added.
    private static func added(_ reader: inout ByteReader) throws(DecodeError) -> String {
        _ = try reader.uint8("type")
        _ = try reader.uint8("bus")
        let address = try BluetoothAddress(from: &reader)
        let name = text(try reader.bytes(8, "name"))
        return name.isEmpty ? "added, address \(address)" : "added as \(name), address \(address)"
    }

    /// The text before the first zero.
    private static func text(_ octets: [UInt8]) -> String { String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self) }
}
