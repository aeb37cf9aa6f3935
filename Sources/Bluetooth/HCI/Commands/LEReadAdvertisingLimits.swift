// SPDX-License-Identifier: MIT

/// Asks for the maximum length of advertising data.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.57
package struct LEReadMaximumAdvertisingDataLength: HCIParameterlessCommand {
    package static let opcode = HCIOpcode(.leController, 0x003A)
    package static let name = "LE Read Maximum Advertising Data Length"
    package static let supportBit: HCISupportBit? = HCISupportBit(36, 6)

    package init() {}

    /// The return parameters: the limit for all sets.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The length in octets: 31…1,650 (Max_Advertising_Data_Length).
        package var length: UInt16

        package init(length: UInt16) { self.length = length }

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            length = try fields(\.length, "Max_Advertising_Data_Length")
        }

        package var details: String { "\(count: length, "octet")" }
    }
}

/// Asks for the number of advertising sets that the controller supports.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.58
package struct LEReadNumberOfSupportedAdvertisingSets: HCIParameterlessCommand {
    package static let opcode = HCIOpcode(.leController, 0x003B)
    package static let name = "LE Read Number of Supported Advertising Sets"
    package static let supportBit: HCISupportBit? = HCISupportBit(36, 7)

    package init() {}

    /// The return parameters: the number of sets. The controller may change it at any time, because it may need the
    /// memory for other purposes.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The number of sets: 1…240 (Num_Supported_Advertising_Sets).
        package var count: UInt8

        package init(count: UInt8) { self.count = count }

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            count = try fields(\.count, "Num_Supported_Advertising_Sets")
        }

        package var details: String { "\(count: count, "set")" }
    }
}
