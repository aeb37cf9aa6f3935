// SPDX-License-Identifier: MIT

/// Asks the controller for its link manager's features, page 0.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.4.3
public struct HCIReadLocalSupportedFeatures: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.informational, 0x0003)
    public static let name = "Read Local Supported Features"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(14, 5)

    /// Creates the command.
    public init() {}

    /// The return parameters: a bit for each feature.
    public struct ReturnParameters: HCIReturnParameters {
        /// The features, with one bit for each; bit 38 is LE (LMP_Features).
        public var features: UInt64

        /// Keeps all bits, also those that are reserved.
        public init(features: UInt64) { self.features = features }

        /// Whether the controller supports LE.
        public var supportsLE: Bool { features >> 38 & 1 == 1 }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            features = try reader.uint64("LMP_Features")
        }

        public func encode(into writer: inout ByteWriter) { writer.uint64(features) }

        public var details: String { "0x" + Hex.string(features, minimumDigits: 16) }
    }
}

/// Asks the controller for its LE features.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.3
public struct LEReadLocalSupportedFeatures: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.leController, 0x0003)
    public static let name = "LE Read Local Supported Features"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(25, 2)

    /// Creates the command.
    public init() {}

    /// The return parameters: a bit for each feature.
    public struct ReturnParameters: HCIReturnParameters {
        /// The supported features (LE_Features).
        public var features: LEFeatures

        /// Creates the return parameters.
        public init(_ features: LEFeatures) { self.features = features }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            features = try LEFeatures(from: &reader)
        }

        public func encode(into writer: inout ByteWriter) { writer.append(features) }

        public var details: String { "\(features)" }
    }
}
