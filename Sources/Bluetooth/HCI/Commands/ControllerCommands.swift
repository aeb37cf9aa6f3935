// SPDX-License-Identifier: MIT

/// Resets the controller. It must never be sent to a shared adapter, because it ends all connections, scans and
/// advertisements of all programs.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.3.2
package struct HCIReset: HCIParameterlessCommand {
    package static let form = HCIForm(.baseband, 0x0003, "Reset", bit: (5, 7))

    package init() {}
}

/// Selects the events that the controller sends. Only the controller's owner, the kernel, sends it; it is decoded for
/// traces.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.3.1
package struct HCISetEventMask: HCICommand, FieldCoded {
    package static let form = HCIForm(.baseband, 0x0001, "Set Event Mask", bit: (5, 6))

    /// One bit for each event; LE Meta events are bit 61 (Event_Mask).
    package var mask: UInt64

    package init(mask: UInt64) { self.mask = mask }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        mask = try fields(\.mask, "Event_Mask")
    }

    package var details: String { "0x" + Hex.string(mask, minimumDigits: 16) }
}

/// Selects the LE events that the controller sends. Only the controller's owner, the kernel, sends it; it is decoded
/// for traces.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.1
package struct LESetEventMask: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x0001, "LE Set Event Mask", bit: (25, 0))

    /// One bit for each subevent; the lowest bit is for code 0x01 (LE_Event_Mask).
    package var mask: UInt64

    package init(mask: UInt64) { self.mask = mask }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        mask = try fields(\.mask, "LE_Event_Mask")
    }

    package var details: String { "0x" + Hex.string(mask, minimumDigits: 16) }
}

/// Asks the controller for its manufacturer and its version of the specification.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.4.1
package struct HCIReadLocalVersionInformation: HCIParameterlessCommand {
    package static let form = HCIForm(.informational, 0x0001, "Read Local Version Information", bit: (14, 3))

    package init() {}

    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        package var hciVersion: BluetoothVersion
        /// The manufacturer's revision of the host interface (HCI_Subversion).
        package var hciSubversion: UInt16
        /// The version of the link layer (LMP_Version).
        package var lmpVersion: BluetoothVersion
        /// The manufacturer's company identifier (Company_Identifier).
        package var company: UInt16
        /// The manufacturer's revision of the link layer (LMP_Subversion).
        package var lmpSubversion: UInt16

        package init(
            hciVersion: BluetoothVersion,
            hciSubversion: UInt16,
            lmpVersion: BluetoothVersion,
            company: UInt16,
            lmpSubversion: UInt16
        ) {
            self.hciVersion = hciVersion
            self.hciSubversion = hciSubversion
            self.lmpVersion = lmpVersion
            self.company = company
            self.lmpSubversion = lmpSubversion
        }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            hciVersion = try fields(\.hciVersion, "HCI_Version")
            hciSubversion = try fields(\.hciSubversion, "HCI_Subversion")
            lmpVersion = try fields(\.lmpVersion, "LMP_Version")
            company = try fields(\.company, "Company_Identifier")
            lmpSubversion = try fields(\.lmpSubversion, "LMP_Subversion")
        }

        package var details: String {
            "HCI \(hciVersion), LMP \(lmpVersion), company 0x\(Hex.string(company, minimumDigits: 4))"
        }
    }
}

/// Asks the controller for the commands that it supports.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.4.2
package struct HCIReadLocalSupportedCommands: HCIParameterlessCommand {
    package static let form = HCIForm(.informational, 0x0002, "Read Local Supported Commands")

    package typealias ReturnParameters = HCISupportedCommands

    package init() {}
}

/// Asks the controller for its link manager's features, page 0.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.4.3
package struct HCIReadLocalSupportedFeatures: HCIParameterlessCommand {
    package static let form = HCIForm(.informational, 0x0003, "Read Local Supported Features", bit: (14, 5))

    package init() {}

    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The features, with one bit for each; bit 38 is LE (LMP_Features).
        package var features: UInt64

        package init(features: UInt64) { self.features = features }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            features = try fields(\.features, "LMP_Features")
        }

        package var details: String { "0x" + Hex.string(features, minimumDigits: 16) }
    }
}

/// Asks the controller for its LE features.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.3
package struct LEReadLocalSupportedFeatures: HCIParameterlessCommand {
    package static let form = HCIForm(.leController, 0x0003, "LE Read Local Supported Features", bit: (25, 2))

    package typealias ReturnParameters = LEFeatures

    package init() {}
}

/// Asks the controller for its public address.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.4.6
package struct HCIReadBDADDR: HCIParameterlessCommand {
    package static let form = HCIForm(.informational, 0x0009, "Read BD_ADDR", bit: (15, 1))

    package init() {}

    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The public address; all zeros if the controller has none (BD_ADDR).
        package var address: BluetoothAddress

        package init(_ address: BluetoothAddress) { self.address = address }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            address = try fields(\.address, "BD_ADDR")
        }

        package var details: String { "\(address)" }
    }
}

/// Asks for the number and the size of the controller's buffers for data packets.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.2
package struct LEReadBufferSize: HCIParameterlessCommand {
    package static let form = HCIForm(.leController, 0x0002, "LE Read Buffer Size", bit: (25, 1))

    package init() {}

    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The maximum size of a data packet in octets; zero if LE shares the buffers of BR/EDR
        /// (LE_ACL_Data_Packet_Length).
        package var packetLength: UInt16
        /// The number of buffers (Total_Num_LE_ACL_Data_Packets).
        package var packetCount: UInt8

        package init(packetLength: UInt16, packetCount: UInt8) {
            self.packetLength = packetLength
            self.packetCount = packetCount
        }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            packetLength = try fields(\.packetLength, "LE_ACL_Data_Packet_Length")
            packetCount = try fields(\.packetCount, "Total_Num_LE_ACL_Data_Packets")
        }

        package var details: String { "\(count: packetCount, "packet") of \(count: packetLength, "octet")" }
    }
}

/// Asks for the combinations of roles that the controller supports.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.27
package struct LEReadSupportedStates: HCIParameterlessCommand {
    package static let form = HCIForm(.leController, 0x001C, "LE Read Supported States", bit: (28, 3))

    package init() {}

    /// The return parameters: a bit for each combination.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// One bit for each combination of states (LE_States).
        package var states: UInt64

        package init(states: UInt64) { self.states = states }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            states = try fields(\.states, "LE_States")
        }

        package var details: String { "0x" + Hex.string(states, minimumDigits: 16) }
    }
}

/// Asks for the range of the controller's transmit power.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.74
package struct LEReadTransmitPower: HCIParameterlessCommand {
    package static let form = HCIForm(.leController, 0x004B, "LE Read Transmit Power", bit: (38, 7))

    package init() {}

    /// The return parameters: the limits in dBm.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The minimum in dBm (Min_TX_Power).
        package var minimum: Int8
        /// The maximum in dBm (Max_TX_Power).
        package var maximum: Int8

        package init(minimum: Int8, maximum: Int8) {
            self.minimum = minimum
            self.maximum = maximum
        }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            minimum = try fields(\.minimum, "Min_TX_Power")
            maximum = try fields(\.maximum, "Max_TX_Power")
        }

        package var details: String { "\(minimum) dBm to \(maximum) dBm" }
    }
}

/// Sets the random address for scanning, initiating and legacy advertising.
///
/// A controller refuses it with Command Disallowed during a scan, an attempt to connect or legacy advertising, because
/// the address is in use then.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.4
package struct LESetRandomAddress: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x0005, "LE Set Random Address", bit: (25, 4))

    package var address: BluetoothAddress

    package init(_ address: BluetoothAddress) { self.address = address }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        address = try fields(\.address, "Random_Address")
    }

    package var details: String { "\(address)" }
}
