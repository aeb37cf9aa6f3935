// SPDX-License-Identifier: MIT

/// Selects the events that the controller sends. Only the controller's owner, the kernel, sends it; it is decoded for
/// traces.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.3.1
public struct HCISetEventMask: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.baseband, 0x0001)
    public static let name = "Set Event Mask"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(5, 6)

    /// One bit for each event; LE Meta events are bit 61 (Event_Mask).
    public var mask: UInt64

    /// Creates the command.
    public init(mask: UInt64) { self.mask = mask }

    public init(from reader: inout ByteReader) throws(DecodeError) { mask = try reader.uint64("Event_Mask") }

    public func encode(into writer: inout ByteWriter) { writer.uint64(mask) }

    public var details: String { "0x" + Hex.string(mask, minimumDigits: 16) }
}

/// Selects the LE events that the controller sends. Only the controller's owner, the kernel, sends it; it is decoded
/// for traces.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.1
public struct LESetEventMask: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0001)
    public static let name = "LE Set Event Mask"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(25, 0)

    /// One bit for each subevent; the lowest bit is for code 0x01 (LE_Event_Mask).
    public var mask: UInt64

    /// Creates the command.
    public init(mask: UInt64) { self.mask = mask }

    public init(from reader: inout ByteReader) throws(DecodeError) { mask = try reader.uint64("LE_Event_Mask") }

    public func encode(into writer: inout ByteWriter) { writer.uint64(mask) }

    public var details: String { "0x" + Hex.string(mask, minimumDigits: 16) }
}
