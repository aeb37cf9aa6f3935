// SPDX-License-Identifier: MIT

/// Reports that an adapter has been set up: its firmware is loaded. It may still be unpowered.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Index Added Event
package struct IndexAddedEvent: ManagementEventParameters {
    package static let code: UInt16 = 0x0004
    package static let name = "Index Added"

    package init() {}

    package init(from reader: inout ByteReader) throws(DecodeError) {}

    package func encode(into writer: inout ByteWriter) {}

    package var details: String { "" }
}

/// Reports that an adapter is gone, or that a program uses it exclusively (HCI user channel).
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Index Removed Event
package struct IndexRemovedEvent: ManagementEventParameters {
    package static let code: UInt16 = 0x0005
    package static let name = "Index Removed"

    package init() {}

    package init(from reader: inout ByteReader) throws(DecodeError) {}

    package func encode(into writer: inout ByteWriter) {}

    package var details: String { "" }
}
