// SPDX-License-Identifier: MIT

/// Asks for the capacity of the filter accept list. On Linux the kernel manages the list; the command is decoded for
/// traces.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.14
public struct LEReadFilterAcceptListSize: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.leController, 0x000F)
    public static let name = "LE Read Filter Accept List Size"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(26, 6)

    /// Creates the command.
    public init() {}

    /// The return parameters: the capacity.
    public struct ReturnParameters: HCIReturnParameters {
        /// The number of devices that fit into the list (Filter_Accept_List_Size).
        public var size: UInt8

        /// Creates the return parameters.
        public init(size: UInt8) { self.size = size }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            size = try reader.uint8("Filter_Accept_List_Size")
        }

        public func encode(into writer: inout ByteWriter) { writer.uint8(size) }

        public var details: String { "\(count: size, "device")" }
    }
}

/// Empties the filter accept list.
///
/// The list cannot change while a scan, an advertisement or an attempt to connect uses it: the controller refuses with
/// Command Disallowed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.15
public struct LEClearFilterAcceptList: HCIParameterlessCommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0010)
    public static let name = "LE Clear Filter Accept List"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(26, 7)

    /// Creates the command.
    public init() {}
}

/// Adds a device to the filter accept list.
///
/// The list cannot change while a scan, an advertisement or an attempt to connect uses it. A full list is refused with
/// Memory Capacity Exceeded.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.16
public struct LEAddDeviceToFilterAcceptList: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0011)
    public static let name = "LE Add Device To Filter Accept List"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(27, 0)

    /// The device (Address_Type, Address).
    public var device: DeviceAddress

    /// Creates the command.
    public init(_ device: DeviceAddress) { self.device = device }

    public init(from reader: inout ByteReader) throws(DecodeError) { device = try reader.deviceAddress("Address") }

    public func encode(into writer: inout ByteWriter) { writer.deviceAddress(device) }

    public var details: String { "\(device)" }
}

/// Removes a device from the filter accept list.
///
/// The list cannot change while a scan, an advertisement or an attempt to connect uses it.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.17
public struct LERemoveDeviceFromFilterAcceptList: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0012)
    public static let name = "LE Remove Device From Filter Accept List"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(27, 1)

    /// The device (Address_Type, Address).
    public var device: DeviceAddress

    /// Creates the command.
    public init(_ device: DeviceAddress) { self.device = device }

    public init(from reader: inout ByteReader) throws(DecodeError) { device = try reader.deviceAddress("Address") }

    public func encode(into writer: inout ByteWriter) { writer.deviceAddress(device) }

    public var details: String { "\(device)" }
}
