// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices

/// The findings of `blectl device check` in a file.
struct DeviceFileResult: RecordedResult {
    let file: String
    let outcome: Result<WorldFile, DeviceFileErrors>
    let timestamp: Timestamp

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

    // Faults are for people on standard error.
    func text(_ style: TextStyle) -> String? {
        guard case .success(let world) = outcome else { return nil }
        let file = TerminalText.escaped(file)
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
    fileprivate var characteristics: Int { services.reduce(0) { $0 + $1.characteristics.count } }

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

/// A device as the text of a device file.
struct DeviceTextResult: RecordedResult {
    let label: String
    /// The text, with a line feed at its end.
    let file: String
    let timestamp: Timestamp

    var record: Record {
        Record("device-text", at: timestamp, ["label": .string(label), "text": .string(file)])
    }

    func text(_ style: TextStyle) -> String? { file.hasSuffix("\n") ? String(file.dropLast()) : file }
}
