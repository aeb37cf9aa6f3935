// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import CommandLineInterface

// Values that the parser checks only as text, because it knows no Bluetooth.
extension ParsedArguments {
    package func target<Value>(_ text: String, of argument: Argument<Value>) throws(UsageError) -> AttributeTarget {
        do throws(AttributeTarget.Problem) {
            return try AttributeTarget(text, in: formats)
        } catch {
            throw invalid(argument, text, ValueProblem(expectation: error.expectation, hint: error.hint))
        }
    }

    package func targets(_ argument: Argument<[String]>) throws(UsageError) -> [AttributeTarget] {
        try self[argument].map { text throws(UsageError) in try target(text, of: argument) }
    }

    /// The characteristic that an option names; `nil` if it is not given.
    package func characteristic(_ option: Option<String?>) throws(UsageError) -> AttributeTarget? {
        guard let text = self[option] else { return nil }
        let target: AttributeTarget
        do throws(AttributeTarget.Problem) {
            target = try AttributeTarget(text, in: formats)
        } catch {
            throw invalid(option, text, error.expectation)
        }
        guard !target.isDescriptor else { throw invalid(option, text, "expected a characteristic, not a descriptor") }
        return target
    }

    package func services(_ option: Option<[String]>) throws(UsageError) -> [BluetoothUUID] {
        try self[option].map { text throws(UsageError) in
            do throws(AttributeTarget.Problem) {
                return try serviceUUID(text, in: formats)
            } catch {
                throw invalid(option, text, error.expectation)
            }
        }
    }
}
