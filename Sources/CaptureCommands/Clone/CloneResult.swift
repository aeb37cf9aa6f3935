// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import Records
import Terminal
import Toolkit

/// A device as a device file.
struct CloneResult: RecordedResult {
    let device: DeviceReference
    /// The cloned device, as far as a device file can express it.
    let definition: DeviceDefinition
    /// The parts that could not be cloned exactly, in words.
    let remarks: [String]
    let values: Int
    /// The number of values that the device has sent.
    let recorded: Int
    /// The path of the file that has the definition; `nil` if the result itself has it.
    var path: String?
    /// When the clone was complete, after the recording if there was one.
    let timestamp: Timestamp

    var file: String { DeviceFile.text(of: definition) }

    /// Has the text of the device file, unless that was written to a separate file.
    static let record = RecordKind<Self>("clone", "a device as a device file") {
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
    func text(_ style: TextStyle) -> String? {
        guard path == nil else { return nil }
        let file = file
        return file.hasSuffix("\n") ? String(file.dropLast()) : file
    }
}

extension CloneResult {
    var words: String {
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
