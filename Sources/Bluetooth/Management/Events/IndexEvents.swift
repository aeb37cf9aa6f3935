// SPDX-License-Identifier: MIT

/// Reports that an adapter has been set up: its firmware is loaded. It may still be unpowered.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Index Added Event
public struct IndexAddedEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x0004
    public static let name = "Index Added"

    /// Creates the event.
    public init() {}

    public init(from reader: inout ByteReader) throws(DecodeError) {}

    public func encode(into writer: inout ByteWriter) {}

    public var details: String { "" }
}

/// Reports that an adapter is gone, or that a program uses it exclusively (HCI user channel).
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Index Removed Event
public struct IndexRemovedEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x0005
    public static let name = "Index Removed"

    /// Creates the event.
    public init() {}

    public init(from reader: inout ByteReader) throws(DecodeError) {}

    public func encode(into writer: inout ByteWriter) {}

    public var details: String { "" }
}
