// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothProfiles
import Records
package import Toolkit

extension BlectlError {
    /// The maximum number of differences that a failure lists.
    private static let listedDifferences = 20

    /// The failure of some targets, or of a comparison, in the words of its records.
    package init(partial failure: PartialFailure, _ records: [JSONValue]) {
        // The first one, because the exit status of a partial failure is that of the first failed target.
        let record = records.first { $0.type == "error" }
        var message = record?.text(at: "message") ?? "a part of the command failed"
        var code: UInt8?
        if case .number(let number)? = record?["att_error"] { code = UInt8(number.description) }
        var details: [String] = []
        // The output of `diff` is all that it says of a difference, and nobody sees that of a step.
        let differences = records.filter { $0.type == "difference" }
        if record == nil, !differences.isEmpty {
            message = Self.summary(of: differences, records.last { $0.type == "comparison" })
            details = differences.prefix(Self.listedDifferences).map { Self.line(of: $0) }
            let others = differences.count - details.count
            if others > 0 { details.append("and \(count: others, "other")") }
        }
        let error = BlectlError(failure.status, message, hint: record?.text(at: "hint"), attError: code)
        self = error.withErrorName(record?.text(at: "att_error_name")).with(details: details)
    }

    /// How many differences there are, and between which devices if that is known.
    private static func summary(of differences: [JSONValue], _ comparison: JSONValue?) -> String {
        let number = "\(count: differences.count, "difference")"
        guard let first = comparison?["first"]?.line, let second = comparison?["second"]?.line
        else { return number }
        return "\(number) between \(first) and \(second)"
    }

    /// A difference on one line, as `diff` prints it.
    private static func line(of difference: JSONValue) -> String {
        func word(_ key: String) -> String? { difference[key]?.line }
        let sign =
            switch word("change") {
            case "added": "+"
            case "removed": "-"
            default: "~"
            }
        let sides = [word("first"), word("second")].compactMap(\.self).joined(separator: " -> ")
        return "\(sign) \(word("path") ?? "")  \(word("aspect") ?? "")  \(sides)"
    }
}
