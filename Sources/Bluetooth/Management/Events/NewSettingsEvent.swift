// SPDX-License-Identifier: MIT

/// Reports a change of an adapter's settings, for example that it was powered. The program that caused the change
/// receives the answer to its command instead.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, New Settings Event
public struct NewSettingsEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x0006
    public static let name = "New Settings"

    /// All settings after the change.
    public var settings: ManagementSettings

    /// Creates the event.
    public init(_ settings: ManagementSettings) { self.settings = settings }

    public init(from reader: inout ByteReader) throws(DecodeError) { settings = try ManagementSettings(from: &reader) }

    public func encode(into writer: inout ByteWriter) { writer.append(settings) }

    public var details: String { "\(settings)" }
}
