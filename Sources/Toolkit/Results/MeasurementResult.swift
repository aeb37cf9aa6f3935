// SPDX-License-Identifier: GPL-2.0-or-later

package import Records
package import Terminal

/// A decoded measurement of a profile.
package struct MeasurementResult: RecordedResult {
    /// The name of the profile on the command line.
    package let profile: String
    package let attribute: AttributeReference
    /// The decoded value, with the numbers that were derived from earlier values.
    package let presentation: ValuePresentation
    /// The number of the measurement in this run, from 1.
    package let sequence: Int
    package let timestamp: Timestamp
    /// The name of the source in the line for people, if the profile has several.
    package var label: String?
    /// The width of the labels in a table, whose lines contain no time; `nil` for a separate line.
    package var labelWidth: Int?

    package init(
        profile: String,
        attribute: AttributeReference,
        presentation: ValuePresentation,
        sequence: Int,
        timestamp: Timestamp,
        label: String? = nil,
        labelWidth: Int? = nil
    ) {
        self.profile = profile
        self.attribute = attribute
        self.presentation = presentation
        self.sequence = sequence
        self.timestamp = timestamp
        self.label = label
        self.labelWidth = labelWidth
    }

    package static let record = RecordKind<Self>("measurement", "a measurement") {
        AttributeReference.record.of { $0.attribute }
        ValuePresentation.record.of { $0.presentation }
        RecordField("profile", .string, "profile as given") { $0.profile }
        RecordField("sequence", .integer, "its number, from 1, dropped values included") {
            $0.sequence
        }
    }

    /// The line for people: with the time for a measurement in a stream, with an aligned label in a table.
    package func text(_ style: TextStyle) -> String? {
        if let label, let labelWidth {
            return "\(style.paint(TerminalText.padded(TerminalText.escaped(label), columns: labelWidth), .cyan))  "
                + presentation.text
        }
        let label = label.map { "\(style.paint(TerminalText.escaped($0), .cyan)): " } ?? ""
        return "\(timestamp.text(style))  \(label)\(presentation.text)"
    }
}
