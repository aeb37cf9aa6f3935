// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost

/// A decoded measurement of a profile.
struct MeasurementResult: CommandResult {
    /// The name of the profile on the command line.
    let profile: String
    /// The characteristic that the measurement came from.
    let attribute: AttributeReference
    /// The decoded value, with the numbers that were derived from earlier values.
    let presentation: ValuePresentation
    /// The number of the measurement in this run, from 1.
    let sequence: Int
    /// When the value arrived.
    let timestamp: Timestamp
    /// The name of the source in the line for people, if the profile has several.
    var label: String?
    /// The width of the labels in a table, whose lines contain no time; `nil` for a separate line.
    var labelWidth: Int?

    static let record = RecordKind<Self>("measurement", "a measurement") {
        AttributeReference.record.of { $0.attribute }
        ValuePresentation.record.of { $0.presentation }
        RecordField("profile", .string, "the profile as it was given") { $0.profile }
        RecordField("sequence", .integer, "the number of the value, from 1; dropped values count as well") {
            $0.sequence
        }
    }

    var recordKind: RecordKind<Self> { Self.record }

    /// The line for people: with the time for a measurement in a stream, with an aligned label in a table.
    func text(_ style: TextStyle) -> String? {
        if let label, let labelWidth {
            return "\(style.paint(TerminalText.padded(TerminalText.escaped(label), columns: labelWidth), .cyan))  "
                + presentation.text
        }
        let label = label.map { "\(style.paint(TerminalText.escaped($0), .cyan)): " } ?? ""
        return "\(style.paint(timestamp.wall.description, .faint))  \(label)\(presentation.text)"
    }
}
