// SPDX-License-Identifier: GPL-2.0-or-later

/// An adapter is there, and set up: its firmware is loaded. Whether it is powered is told by its settings.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Index Added Event
public struct IndexAddedEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x0004
    public static let name = "Index Added"

    /// Makes the event.
    public init() {}

    public init(from reader: inout ByteReader) throws(DecodeError) {}

    public func encode(into writer: inout ByteWriter) {}

    public var details: String { "" }
}

/// An adapter is gone, or a program has taken it to itself (HCI user channel).
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Index Removed Event
public struct IndexRemovedEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x0005
    public static let name = "Index Removed"

    /// Makes the event.
    public init() {}

    public init(from reader: inout ByteReader) throws(DecodeError) {}

    public func encode(into writer: inout ByteWriter) {}

    public var details: String { "" }
}
