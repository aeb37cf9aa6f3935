// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Records
import Terminal

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
    let state: State
    /// The number of devices at the beginning.
    let devices: Int?
    let timestamp: Timestamp

    static let record = RecordKind<Self>("world", "a simulated world that processes share") {
        RecordField("socket", .string, "path of its socket") { $0.socket }
        RecordField("state", .string, "`running` or `stopped`") { $0.state.rawValue }
        RecordField("devices", orNull: .integer, "number of its devices, when it begins") { $0.devices }
    }

    /// The line at the beginning; `nil` at the end, which a person sees by the prompt.
    func text(_ style: TextStyle) -> String? {
        guard let devices else { return nil }
        return "serving a world of \(count: devices, "device") at \(style.paint(TerminalText.escaped(socket), .bold))"
    }
}

struct WorldDeviceResult: RecordedResult {
    let device: WorldDevice
    let timestamp: Timestamp

    /// `rssi_dbm` is the strength with which adapters of the world receive the device.
    static let record = RecordKind<Self>("world-device", "a device of a simulated world as it is now") {
        RecordField("name", .string, "device's name in blectl") { $0.device.name }
        RecordField("advertised_name", orNull: .string, "name that it advertises") { $0.device.advertisedName }
        RecordField("address", .string, "its address") { $0.device.address.address.description }
        RecordField("address_type", .string, "`public` or `random`") {
            $0.device.address.type.connectionType.description
        }
        RecordField("connectable", .boolean, "whether it accepts connections") { $0.device.isConnectable }
        RecordField("in_range", .boolean, "whether it is in range") { $0.device.isInRange }
        RecordField("paused", .boolean, "whether its answers are held back") { $0.device.isPaused }
        RecordField("rssi_dbm", .integer("dBm"), "mean strength of its signal at the adapters") { $0.device.rssi }
        RecordField("connections", .integer, "number of its links") { $0.device.connections }
        RecordField("requests", .integer, "number of served requests and commands") {
            $0.device.requests
        }
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

struct WorldAdapterResult: RecordedResult {
    let adapter: WorldAdapter
    let timestamp: Timestamp

    /// An adapter belongs to a process. It is in the world for as long as that process is.
    static let record = RecordKind<Self>("world-adapter", "the adapter of a process in a simulated world") {
        RecordField("address", .string, "its address") { $0.adapter.address.description }
        RecordField("powered", .boolean, "whether it is on") { $0.adapter.isPowered }
        RecordField("scanning", .boolean, "whether it scans") { $0.adapter.isScanning }
        RecordField("advertising", .boolean, "whether it advertises for connections") { $0.adapter.isAdvertising }
        RecordField("connections", .integer, "number of its links") { $0.adapter.connections }
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

struct WorldFaultResult: RecordedResult {
    let fault: WorldFault
    let timestamp: Timestamp

    static let record = RecordKind<Self>("world-fault", "a fault of a device in a simulated world") {
        RecordField("device", .string, "device's name in blectl") { $0.fault.device }
        RecordField("fault", .string, "fault as a sentence") { $0.fault.rule.description }
        RecordField("acted", .boolean, "whether any event has met it") { $0.fault.hasActed }
    }

    func text(_ style: TextStyle) -> String? {
        let name = TerminalText.padded(TerminalText.escaped(fault.device), columns: 20)
        return "\(name)  \(TerminalText.escaped(fault.rule.description))\(fault.hasActed ? "  acted" : "")"
    }
}
