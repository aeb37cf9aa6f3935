// SPDX-License-Identifier: MIT

/// An extended scan has ended because its duration has passed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.17
public struct LEScanTimeoutEvent: LEEventParameters {
    public static let subevent = LESubeventCode.scanTimeout
    public static let name = "LE Scan Timeout"

    /// Creates the event.
    public init() {}

    public init(from reader: inout ByteReader) throws(DecodeError) {}

    public func encode(into writer: inout ByteWriter) {}

    public var details: String { "" }
}
