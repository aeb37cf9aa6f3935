// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices

/// The findings of `blectl device check` in a file.
struct DeviceFileResult: RecordedResult {
    /// The path or the label as it was typed.
    let file: String
    /// The devices of the file, or everything that is wrong with it.
    let outcome: Result<WorldFile, DeviceFileErrors>
    /// When the file was checked.
    let timestamp: Timestamp

    /// Has the devices of a valid file and the faults of an invalid one. The other list is empty.
    var record: Record {
        var faults: [JSONValue] = []
        var devices: [JSONValue] = []
        switch outcome {
        case .success(let world): devices = world.devices.map(\.json)
        case .failure(let errors): faults = errors.errors.map(\.json)
        }
        return Record(
            "device-file",
            at: timestamp,
            ["devices": .array(devices), "faults": .array(faults), "file": .string(file)]
        )
    }

    /// A summary of a valid file; `nil` for an invalid one, whose faults are on standard error.
    func text(_ style: TextStyle) -> String? {
        guard case .success(let world) = outcome else { return nil }
        let file = TerminalText.escaped(DeviceFiles.name(of: file))
        guard let device = world.devices.first, world.devices.count == 1 else {
            return "\(file): a world of \(count: world.devices.count, "device")"
        }
        let parts = [
            "\(count: device.advertising.count, "advertising set")", "\(count: device.services.count, "service")",
            "\(count: device.characteristics, "characteristic")",
        ]
        return "\(file): \(TerminalText.escaped(device.label)), \(Prose.list(parts, "and"))"
    }
}

extension DeviceDefinition {
    /// The number of characteristics of all services.
    fileprivate var characteristics: Int { services.reduce(0) { $0 + $1.characteristics.count } }

    /// The summary of a device in the record of its file.
    fileprivate var json: JSONValue {
        .object([
            "address": .string(address.address.description),
            "address_type": .string(address.type.description),
            "advertising_sets": .integer(Int64(advertising.count)),
            "characteristics": .integer(Int64(characteristics)),
            "label": .string(label),
            "services": .integer(Int64(services.count)),
        ])
    }
}

extension DeviceFileError {
    /// A fault with its place. `path` is the member in the notation of JSON, and `column` is missing where only
    /// the line is known.
    fileprivate var json: JSONValue {
        .object([
            "column": .optional(column),
            "file": .string(file),
            "line": .integer(Int64(line)),
            "message": .string(message),
            "path": path.isEmpty ? .null : .string(path),
        ])
    }
}

struct DeviceTextResult: RecordedResult {
    /// The label of the device, which selects it in a world.
    let label: String
    /// The text, with a line feed at its end.
    let file: String
    /// When the text was made.
    let timestamp: Timestamp

    var record: Record {
        Record("device-text", at: timestamp, ["label": .string(label), "text": .string(file)])
    }

    /// The text without its last line feed, which the output adds.
    func text(_ style: TextStyle) -> String? { file.hasSuffix("\n") ? String(file.dropLast()) : file }
}
