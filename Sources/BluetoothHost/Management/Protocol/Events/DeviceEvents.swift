// SPDX-License-Identifier: MIT

package import Bluetooth

/// Reports a new link to a device.
package struct DeviceConnectedEvent: ManagementEventParameters {
    package static let form = ManagementForm(0x000B, "Device Connected")

    /// The device, by its identity address if the kernel has its key.
    package var device: ManagementAddress
    /// Flags; bit 3 is set if this machine made the link. Older kernels set none.
    package var flags: UInt32
    /// Advertising data of the device, as far as the kernel has seen it.
    package var data: [UInt8]

    /// Creates the event. Cuts data after 65,000 octets.
    package init(_ device: ManagementAddress, flags: UInt32 = 0, data: [UInt8] = []) {
        self.device = device
        self.flags = flags
        self.data = Array(data.prefix(65_000))
    }

    package init(from reader: inout ByteReader) throws(DecodeError) {
        device = try ManagementAddress(from: &reader)
        flags = try reader.uint32("flags")
        let length = try reader.uint16("EIR data length")
        data = try reader.bytes(Int(length), "EIR data")
    }

    package func encode(into writer: inout ByteWriter) {
        writer.append(device)
        writer.uint32(flags)
        writer.uint16(UInt16(clamping: data.count))
        writer.append(data)
    }

    package var details: String { "\(device)" }
}

/// Reports the end of a link.
package struct DeviceDisconnectedEvent: ManagementEventParameters, FieldCoded {
    package static let form = ManagementForm(0x000C, "Device Disconnected")

    /// The reason for the end of a link. Unknown values are kept.
    package struct Reason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let unspecified = Self(rawValue: 0)
        package static let timedOut = Self(rawValue: 1)
        /// This machine closed the link.
        package static let closedLocally = Self(rawValue: 2)
        package static let closedByPeer = Self(rawValue: 3)
        /// Encryption failed, for example because the device has lost the key.
        package static let authenticationFailed = Self(rawValue: 4)

        private static let names = [
            "unspecified", "connection timeout", "terminated by local host", "terminated by remote host",
            "authentication failure", "terminated by local host for suspend",
        ]

        /// The name in the documentation; `reason 42` if it has none.
        package var description: String {
            let index = Int(rawValue)
            return index < Self.names.count ? Self.names[index] : "reason \(rawValue)"
        }
    }

    package var device: ManagementAddress
    package var reason: Reason

    package init(_ device: ManagementAddress, reason: Reason) {
        self.device = device
        self.reason = reason
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
        reason = try fields(\.reason, "reason")
    }

    package var details: String { "\(device), \(reason)" }
}

/// Reports that the keys of a device have been removed from the kernel.
package struct DeviceUnpairedEvent: ManagementEventParameters, FieldCoded {
    package static let form = ManagementForm(0x0016, "Device Unpaired")

    package var device: ManagementAddress

    package init(_ device: ManagementAddress) { self.device = device }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
    }

    package var details: String { "\(device)" }
}
