// SPDX-License-Identifier: MIT

package import Bluetooth

/// Reports that a controller failed.
package struct ControllerErrorEvent: ManagementEventParameters, FieldCoded {
    package static let form = ManagementForm(0x0003, "Controller Error")

    /// The error code, which is specific to the controller.
    package var errorCode: UInt8

    package init(errorCode: UInt8) { self.errorCode = errorCode }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        errorCode = try fields(\.errorCode, "error code")
    }

    package var details: String { "0x" + Hex.string(errorCode, minimumDigits: 2) }
}

/// Reports that an adapter has been set up: its firmware is loaded. It may still be unpowered.
package struct IndexAddedEvent: ManagementEventParameters, EmptyCoded {
    package static let form = ManagementForm(0x0004, "Index Added")

    package init() {}
}

/// Reports that an adapter is gone, or that a program uses it exclusively (HCI user channel).
package struct IndexRemovedEvent: ManagementEventParameters, EmptyCoded {
    package static let form = ManagementForm(0x0005, "Index Removed")

    package init() {}
}

/// Reports a change of an adapter's settings, for example that it was powered. The program that caused the change
/// receives the answer to its command instead.
package struct NewSettingsEvent: ManagementEventParameters, FieldCoded {
    package static let form = ManagementForm(0x0006, "New Settings")

    /// All settings after the change.
    package var settings: ManagementSettings

    package init(_ settings: ManagementSettings) { self.settings = settings }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        settings = try fields(\.settings)
    }

    package var details: String { "\(settings)" }
}
