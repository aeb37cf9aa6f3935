// SPDX-License-Identifier: MIT

/// Reports a change of an adapter's settings, for example that it was powered. The program that caused the change
/// receives the answer to its command instead.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, New Settings Event
package struct NewSettingsEvent: ManagementEventParameters, FieldCoded {
    package static let code: UInt16 = 0x0006
    package static let name = "New Settings"

    /// All settings after the change.
    package var settings: ManagementSettings

    package init(_ settings: ManagementSettings) { self.settings = settings }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        settings = try fields(\.settings)
    }

    package var details: String { "\(settings)" }
}
