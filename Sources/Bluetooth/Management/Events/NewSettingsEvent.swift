// SPDX-License-Identifier: GPL-2.0-or-later

/// An adapter is set to something else: powered, for one. Who caused it gets the answer to the command instead.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, New Settings Event
public struct NewSettingsEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x0006
    public static let name = "New Settings"

    /// All settings as they are now.
    public var settings: ManagementSettings

    /// Makes the event.
    public init(_ settings: ManagementSettings) { self.settings = settings }

    public init(from reader: inout ByteReader) throws(DecodeError) { settings = try ManagementSettings(from: &reader) }

    public func encode(into writer: inout ByteWriter) { writer.append(settings) }

    public var details: String { "\(settings)" }
}
