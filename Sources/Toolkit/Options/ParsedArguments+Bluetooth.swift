// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import CommandLineInterface

// Values that the parser checks only as text, because it knows no Bluetooth.
extension ParsedArguments {
    package func target<Value>(_ text: String, of argument: Argument<Value>) throws(UsageError) -> AttributeTarget {
        try target(text, of: argument.spec.name)
    }

    /// - Parameter subject: What the text is for, as errors name it.
    package func target(_ text: String, of subject: String) throws(UsageError) -> AttributeTarget {
        do throws(AttributeTarget.Problem) {
            return try AttributeTarget(text, in: formats)
        } catch {
            throw invalid(text, of: subject, ValueProblem(error))
        }
    }

    package func targets(_ argument: Argument<[String]>) throws(UsageError) -> [AttributeTarget] {
        try self[argument].map { text throws(UsageError) in try target(text, of: argument) }
    }

    package func targets(_ option: Option<[String]>) throws(UsageError) -> [AttributeTarget] {
        try self[option].map { text throws(UsageError) in try target(text, of: "'\(option.spec.synopsis)'") }
    }

    /// The characteristic that an option names; `nil` if it is not given.
    package func characteristic(_ option: Option<String?>) throws(UsageError) -> AttributeTarget? {
        guard let text = self[option] else { return nil }
        let target = try target(text, of: "'\(option.spec.synopsis)'")
        guard !target.isDescriptor else { throw invalid(option, text, "expected a characteristic, not a descriptor") }
        return target
    }

    package func services(_ option: Option<[String]>) throws(UsageError) -> [BluetoothUUID] {
        try self[option].map { text throws(UsageError) in try service(text, in: text, of: option) }
    }

    /// The service of a name that is a part of the text of an option, or all of it.
    package func service<Value>(
        _ name: String,
        in text: String,
        of option: Option<Value>
    ) throws(UsageError) -> BluetoothUUID {
        do throws(AttributeTarget.Problem) {
            return try serviceUUID(name, in: formats)
        } catch {
            throw invalid(option, text, ValueProblem(error))
        }
    }
}

extension ValueProblem {
    /// The problem of a text that names no attribute.
    package init(_ problem: AttributeTarget.Problem) {
        self.init(expectation: problem.expectation, hint: problem.hint)
    }
}
