// SPDX-License-Identifier: MIT

/// Reports a new link to a device.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Device Connected Event
public struct DeviceConnectedEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x000B
    public static let name = "Device Connected"

    /// The device, by its identity address if the kernel has its key.
    public var device: ManagementAddress
    /// Flags; bit 3 is set if this machine made the link. Older kernels set none.
    public var flags: UInt32
    /// Advertising data of the device, as far as the kernel has seen it.
    public var data: [UInt8]

    /// Creates the event. Cuts data after 65,000 octets.
    public init(_ device: ManagementAddress, flags: UInt32 = 0, data: [UInt8] = []) {
        self.device = device
        self.flags = flags
        self.data = Array(data.prefix(65_000))
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        device = try ManagementAddress(from: &reader)
        flags = try reader.uint32("flags")
        let length = try reader.uint16("EIR data length")
        data = try reader.bytes(Int(length), "EIR data")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(device)
        writer.uint32(flags)
        writer.uint16(UInt16(clamping: data.count))
        writer.append(data)
    }

    public var details: String { "\(device)" }
}

/// Reports the end of a link.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Device Disconnected Event
public struct DeviceDisconnectedEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x000C
    public static let name = "Device Disconnected"

    /// The reason for the end of a link. Unknown values are kept.
    public struct Reason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The octet on the wire.
        public let rawValue: UInt8

        /// Keeps any value, also an unknown one.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// No reason is known.
        public static let unspecified = Self(rawValue: 0)
        /// The device fell silent.
        public static let timedOut = Self(rawValue: 1)
        /// This machine closed the link.
        public static let closedLocally = Self(rawValue: 2)
        /// The device closed the link.
        public static let closedByPeer = Self(rawValue: 3)
        /// Encryption failed, for example because the device has lost the key.
        public static let authenticationFailed = Self(rawValue: 4)

        private static let names = [
            "unspecified", "connection timeout", "terminated by local host", "terminated by remote host",
            "authentication failure", "terminated by local host for suspend",
        ]

        /// The name in the documentation; `reason 42` if it has none.
        public var description: String {
            let index = Int(rawValue)
            return index < Self.names.count ? Self.names[index] : "reason \(rawValue)"
        }
    }

    /// The device.
    public var device: ManagementAddress
    /// The reason.
    public var reason: Reason

    /// Creates the event.
    public init(_ device: ManagementAddress, reason: Reason) {
        self.device = device
        self.reason = reason
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        device = try ManagementAddress(from: &reader)
        reason = Reason(rawValue: try reader.uint8("reason"))
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(device)
        writer.uint8(reason.rawValue)
    }

    public var details: String { "\(device), \(reason)" }
}

/// Reports that the keys of a device have been removed from the kernel.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Device Unpaired Event
public struct DeviceUnpairedEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x0016
    public static let name = "Device Unpaired"

    /// The device.
    public var device: ManagementAddress

    /// Creates the event.
    public init(_ device: ManagementAddress) { self.device = device }

    public init(from reader: inout ByteReader) throws(DecodeError) { device = try ManagementAddress(from: &reader) }

    public func encode(into writer: inout ByteWriter) { writer.append(device) }

    public var details: String { "\(device)" }
}
