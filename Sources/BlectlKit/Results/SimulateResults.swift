// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A world that processes share has begun or ended.
struct WorldResult: RecordedResult {
    /// Whether processes can join the world.
    enum State: String {
        /// Processes can join.
        case running
        /// The world has ended, and its socket is removed.
        case stopped
    }

    /// The path of the socket, by which other processes name the world.
    let socket: String
    /// The change of the world.
    let state: State
    /// The number of devices at the beginning.
    let devices: Int?
    /// When it has happened.
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

    /// The line at the beginning; `nil` at the end, which a person sees by the prompt.
    func text(_ style: TextStyle) -> String? {
        guard let devices else { return nil }
        return "serving a world of \(count: devices, "device") at \(style.paint(TerminalText.escaped(socket), .bold))"
    }
}

struct WorldDeviceResult: RecordedResult {
    /// The device as the world describes it.
    let device: WorldDevice
    /// When the world answered.
    let timestamp: Timestamp

    /// `rssi_dbm` is the strength with which adapters of the world receive the device.
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

    /// The device in a line. The usual state, such as being in range, is not mentioned.
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
    /// The adapter as the world describes it.
    let adapter: WorldAdapter
    /// When the world answered.
    let timestamp: Timestamp

    /// An adapter belongs to a process. It is in the world for as long as that process is.
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

    /// The adapter in a line, in the columns of the devices.
    func text(_ style: TextStyle) -> String? {
        var line = "\(adapter.address)  \(TerminalText.padded("an adapter", columns: 20))  "
        line += "\(adapter.isPowered ? "on" : "off")  \(count: adapter.connections, "link")"
        if adapter.isScanning { line += "  scanning" }
        if adapter.isAdvertising { line += "  advertising" }
        return line
    }
}
