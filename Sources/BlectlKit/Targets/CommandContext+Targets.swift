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
}
