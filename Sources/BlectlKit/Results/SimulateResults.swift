// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A world that processes share has begun or ended.
struct WorldResult: RecordedResult {
    enum State: String {
        case running
        case stopped
    }

    let socket: String
    let state: State
    /// The number of devices at the beginning.
    let devices: Int?
    let timestamp: Timestamp

    var record: Record {
        Record(
            "world",
            at: timestamp,
            [
                "socket": .string(socket),
                "state": .string(state.rawValue),
                "devices": .optional(devices),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? {
        guard let devices else { return nil }
        return "serving a world of \(count: devices, "device") at \(style.paint(TerminalText.escaped(socket), .bold))"
    }
}

/// A device of a world.
struct WorldDeviceResult: RecordedResult {
    let device: WorldDevice
    let timestamp: Timestamp

    var record: Record {
        Record(
            "world-device",
            at: timestamp,
            [
                "name": .string(device.name),
                "advertised_name": .optional(device.advertisedName),
                "address": .string(device.address.address.description),
                "address_type": .string(device.address.type.connectionType.description),
                "connectable": .bool(device.isConnectable),
                "in_range": .bool(device.isInRange),
                "paused": .bool(device.isPaused),
                "rssi_dbm": .integer(Int64(device.rssi)),
                "connections": .integer(Int64(device.connections)),
                "requests": .integer(Int64(device.requests)),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? {
        let name = TerminalText.escaped(device.advertisedName ?? device.name)
        var line = "\(device.address.address)  \(TerminalText.padded(name, columns: 20))  "
        line += "\(device.rssi) dBm  \(count: device.connections, "link")  \(count: device.requests, "request")"
        if !device.isConnectable { line += "  not connectable" }
        if !device.isInRange { line += "  out of range" }
        if device.isPaused { line += "  paused" }
        return line
    }
}

/// The adapter of a process in a world.
struct WorldAdapterResult: RecordedResult {
    let adapter: WorldAdapter
    let timestamp: Timestamp

    var record: Record {
        Record(
            "world-adapter",
            at: timestamp,
            [
                "address": .string(adapter.address.description),
                "powered": .bool(adapter.isPowered),
                "scanning": .bool(adapter.isScanning),
                "advertising": .bool(adapter.isAdvertising),
                "connections": .integer(Int64(adapter.connections)),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? {
        var line = "\(adapter.address)  \(TerminalText.padded("an adapter", columns: 20))  "
        line += "\(adapter.isPowered ? "on" : "off")  \(count: adapter.connections, "link")"
        if adapter.isScanning { line += "  scanning" }
        if adapter.isAdvertising { line += "  advertising" }
        return line
    }
}
