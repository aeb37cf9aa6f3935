// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothDevices
package import Records
package import Terminal

/// A device as a device file.
package struct CloneResult: RecordedResult {
    package let device: DeviceReference
    /// The cloned device, as far as a device file can express it.
    package let definition: DeviceDefinition
    /// The parts that could not be cloned exactly, in words.
    package let remarks: [String]
    package let values: Int
    /// The number of values that the device has sent.
    package let recorded: Int
    /// The path of the file that has the definition; `nil` if the result itself has it.
    package var path: String?
    /// When the clone was complete, after the recording if there was one.
    package let timestamp: Timestamp

    package init(
        device: DeviceReference,
        definition: DeviceDefinition,
        remarks: [String],
        values: Int,
        recorded: Int,
        timestamp: Timestamp
    ) {
        self.device = device
        self.definition = definition
        self.remarks = remarks
        self.values = values
        self.recorded = recorded
        self.timestamp = timestamp
    }

    package var file: String { DeviceFile.text(of: definition) }

    /// Has the text of the device file, unless that was written to a separate file.
    package static let record = RecordKind<Self>("clone", "a device as a device file") {
        RecordField.device { $0.device }
        RecordField("advertising_sets", .integer, "number of advertising sets") {
            $0.definition.advertising.count
        }
        RecordField("services", .integer, "number of services") { $0.definition.services.count }
        RecordField("characteristics", .integer, "number of characteristics") {
            $0.definition.services.reduce(0) { $0 + $1.characteristics.count }
        }
        RecordField("values", .integer, "number of read values") { $0.values }
        RecordField("recorded_values", .integer, "number of sent values") { $0.recorded }
        RecordField("remarks", .array(of: .string), "what could not be cloned exactly") { $0.remarks }
        RecordField("path", orNull: .string, "file that was written; null without `--output`") { $0.path }
        RecordField("file", orNull: .string, "text of the device file; null with `--output`") {
            $0.path == nil ? $0.file : nil
        }
    }

    /// The device file for standard output; `nil` if it was written to `path`. The final line feed is dropped,
    /// because the output adds one.
    package func text(_ style: TextStyle) -> String? {
        guard path == nil else { return nil }
        let file = file
        return file.hasSuffix("\n") ? String(file.dropLast()) : file
    }
}

extension CloneResult {
    package var words: String {
        let characteristics = definition.services.reduce(0) { $0 + $1.characteristics.count }
        var parts = [
            "\(count: definition.advertising.count, "advertising set")",
            "\(count: definition.services.count, "service")",
            "\(count: characteristics, "characteristic")",
            "\(count: values, "value")",
        ]
        if recorded > 0 { parts.append("\(count: recorded, "recorded value")") }
        return "cloned \(device.text): \(parts.joined(separator: ", "))"
    }
}
