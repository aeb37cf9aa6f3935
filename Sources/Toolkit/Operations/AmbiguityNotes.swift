// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import BluetoothHost
package import Terminal

/// Remarks on targets that match several attributes; the first one is used.
///
/// Only operations without changes use it. A write that matches several attributes is refused (`OnlyMatch`).
package struct AmbiguityNotes: Sendable {
    package let notes: any NoteSink
    /// The text before a handle that names another attribute.
    package var handlePrefix = "handle:"

    package init(notes: any NoteSink, handlePrefix: String = "handle:") {
        self.notes = notes
        self.handlePrefix = handlePrefix
    }

    /// Reports other characteristics that match the target. It sends no request and relies on the known part of the
    /// database.
    package func noteOthers(of target: AttributeTarget, on device: ConnectedDevice) async {
        guard case .characteristic(let uuid, let service) = target.kind else { return }
        // Another discovery would cost more requests than the remark is worth.
        let known = await device.peripheral.database.known(uuid, in: service)
        guard let first = known.first else { return }
        if known.count > 1 {
            noteOthers(of: target, count: known.count, taken: first.valueHandle)
        } else if let service {
            await noteOtherServices(service, taken: first.valueHandle, on: device)
        }
    }

    /// Reports that several characteristics match the target.
    package func noteOthers(of target: AttributeTarget, count: Int, taken handle: Handle) {
        notes.note(
            "the device has \(count) of \(target); this is the one at \(handle). "
                + (target.service == nil ? "SERVICE/CHARACTERISTIC or " : "") + handleNamesAnother
        )
    }

    /// Reports other services that match the target. The first one with the characteristic is used.
    package func noteOtherServices(_ service: BluetoothUUID, taken handle: Handle, on device: ConnectedDevice) async {
        let count = await device.peripheral.database.knownCount(ofServices: service)
        guard count > 1 else { return }
        notes.note(
            "the device has \(count) services \(serviceText(service)); this is the characteristic at \(handle). "
                + handleNamesAnother
        )
    }

    private var handleNamesAnother: String { "\(handlePrefix) names another" }
}
