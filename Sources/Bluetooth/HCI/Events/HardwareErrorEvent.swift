// SPDX-License-Identifier: GPL-2.0-or-later

/// The controller failed; its state is lost.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.16
public struct HardwareErrorEvent: HCIEventParameters {
    public static let code = HCIEventCode.hardwareError
    public static let name = "Hardware Error"

    /// The maker's number for what happened (Hardware_Code).
    public var hardwareCode: UInt8

    /// Makes the event.
    public init(hardwareCode: UInt8) { self.hardwareCode = hardwareCode }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        hardwareCode = try reader.uint8("Hardware_Code")
    }

    public func encode(into writer: inout ByteWriter) { writer.uint8(hardwareCode) }

    public var details: String { "0x" + Hex.string(hardwareCode, minimumDigits: 2) }
}
