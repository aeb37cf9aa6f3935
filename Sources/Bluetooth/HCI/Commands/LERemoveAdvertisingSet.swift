// SPDX-License-Identifier: MIT

/// Removes an advertising set. It must be disabled.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.59
public struct LERemoveAdvertisingSet: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x003C)
    public static let name = "LE Remove Advertising Set"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(37, 0)

    /// The set (Advertising_Handle).
    public var set: LEAdvertisingHandle

    /// Creates the command.
    public init(_ set: LEAdvertisingHandle) { self.set = set }

    public init(from reader: inout ByteReader) throws(DecodeError) { set = try LEAdvertisingHandle(from: &reader) }

    public func encode(into writer: inout ByteWriter) { writer.append(set) }

    public var details: String { "set \(set)" }
}

/// Removes all advertising sets. All must be disabled.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.60
public struct LEClearAdvertisingSets: HCIParameterlessCommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x003D)
    public static let name = "LE Clear Advertising Sets"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(37, 1)

    /// Creates the command.
    public init() {}
}
