// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

extension CommandContext {
    /// Reads a TARGET; what names nothing is a usage error.
    func target<Value>(_ text: String, of argument: Argument<Value>) throws -> AttributeTarget {
        do throws(AttributeTarget.Problem) {
            return try AttributeTarget(text)
        } catch {
            throw arguments.invalid(argument, text, error.expectation)
        }
    }

    /// Says so where a target names one of several characteristics: the first was taken. Costs no request: it tells what is
    /// known.
    func noteOthers(of target: AttributeTarget, on device: ConnectedDevice) async {
        guard case .characteristic(let uuid, nil) = target.kind else { return }
        let known = await device.peripheral.database.known(uuid)
        guard let first = known.first, known.count > 1 else { return }
        noteOthers(of: target, count: known.count, taken: first.valueHandle)
    }

    /// Says that a target names one of several characteristics.
    func noteOthers(of target: AttributeTarget, count: Int, taken handle: Handle) {
        diagnostics.note(
            "the device has \(count) of \(target); this is the one at \(handle)."
                + " SERVICE/CHARACTERISTIC or handle: names another"
        )
    }
}
