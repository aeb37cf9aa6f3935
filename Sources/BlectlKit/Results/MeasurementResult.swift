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

    func write(to json: inout JSONWriter) {
        attribute.write(self, type: "measurement", profile: profile, isNumbered: true, to: &json)
    }

    /// Measurements come many times a second, so that their records are made from a template.
    var templateKey: RecordTemplateKey? { .measurement(attribute, profile: profile) }

    /// Writes one of the members that differ from one measurement of a characteristic to the next.
    func write(_ member: VaryingValueMember, to json: inout JSONWriter) {
        member.write(presentation, timestamp, sequence: sequence, to: &json)
    }

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
