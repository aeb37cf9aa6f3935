// SPDX-License-Identifier: MIT

/// An extended scan has ended because its duration has passed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.17
package struct LEScanTimeoutEvent: LEEventParameters {
    package static let subevent: UInt8 = 0x11
    package static let name = "LE Scan Timeout"

    package init() {}

    package init(from reader: inout ByteReader) throws(DecodeError) {}

    package func encode(into writer: inout ByteWriter) {}

    package var details: String { "" }
}
