// SPDX-License-Identifier: MIT

/// Asks the controller for its link manager's features, page 0.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.4.3
package struct HCIReadLocalSupportedFeatures: HCIParameterlessCommand {
    package static let opcode = HCIOpcode(.informational, 0x0003)
    package static let name = "Read Local Supported Features"
    package static let supportBit: HCISupportBit? = HCISupportBit(14, 5)

    package init() {}

    /// The return parameters: a bit for each feature.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The features, with one bit for each; bit 38 is LE (LMP_Features).
        package var features: UInt64

        package init(features: UInt64) { self.features = features }

        /// Whether the controller supports LE.
        package var supportsLE: Bool { features >> 38 & 1 == 1 }

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            features = try fields(\.features, "LMP_Features")
        }

        package var details: String { "0x" + Hex.string(features, minimumDigits: 16) }
    }
}

/// Asks the controller for its LE features.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.3
package struct LEReadLocalSupportedFeatures: HCIParameterlessCommand {
    package static let opcode = HCIOpcode(.leController, 0x0003)
    package static let name = "LE Read Local Supported Features"
    package static let supportBit: HCISupportBit? = HCISupportBit(25, 2)

    package init() {}

    /// The return parameters: a bit for each feature.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The supported features (LE_Features).
        package var features: LEFeatures

        package init(_ features: LEFeatures) { self.features = features }

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            features = try fields(\.features)
        }

        package var details: String { "\(features)" }
    }
}
