// SPDX-License-Identifier: MIT

/// Reports that a controller failed.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Controller Error Event
public struct ControllerErrorEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x0003
    public static let name = "Controller Error"

    /// The error code, which is specific to the controller.
    public var errorCode: UInt8

    /// Creates the event.
    public init(errorCode: UInt8) { self.errorCode = errorCode }

    public init(from reader: inout ByteReader) throws(DecodeError) { errorCode = try reader.uint8("error code") }

    public func encode(into writer: inout ByteWriter) { writer.uint8(errorCode) }

    public var details: String { "0x" + Hex.string(errorCode, minimumDigits: 2) }
}
