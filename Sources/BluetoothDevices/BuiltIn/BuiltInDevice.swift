// SPDX-License-Identifier: MIT

import CBluetoothData
import Synchronization

/// A device that ships inside the program, as the text of a device file.
///
/// The text is the only source of the device. It is a constant of the program, so that a command that simulates nothing
/// does not pay for it.
public struct BuiltInDevice: Hashable, Sendable {
    /// The word by which users choose the device: `pulse-strap`.
    public let label: String
    private let data: @Sendable () -> BluetoothData

    private init(_ label: String, _ data: @escaping @Sendable () -> BluetoothData) {
        self.label = label
        self.data = data
    }

    /// The device file.
    public var text: String { data().text }

    public static func == (left: BuiltInDevice, right: BuiltInDevice) -> Bool { left.label == right.label }

    public func hash(into hasher: inout Hasher) { hasher.combine(label) }

    /// All of them, in the order in which they are listed.
    public static var all: [BuiltInDevice] {
        [
            BuiltInDevice("pulse-strap") { bluetooth_device_pulse_strap() },
            BuiltInDevice("thermometer") { bluetooth_device_thermometer() },
            BuiltInDevice("uart-echo") { bluetooth_device_uart_echo() },
            BuiltInDevice("workbench") { bluetooth_device_workbench() },
            BuiltInDevice("ibeacon") { bluetooth_device_ibeacon() },
            BuiltInDevice("eddystone") { bluetooth_device_eddystone() },
            BuiltInDevice("weather-mast") { bluetooth_device_weather_mast() },
            BuiltInDevice("shapeshifter") { bluetooth_device_shapeshifter() },
            BuiltInDevice("museum") { bluetooth_device_museum() },
            BuiltInDevice("sports-watch") { bluetooth_device_sports_watch() },
            BuiltInDevice("flaky-strap") { bluetooth_device_flaky_strap() },
            BuiltInDevice("sensor-tag") { bluetooth_device_sensor_tag() },
            BuiltInDevice("door-lock") { bluetooth_device_door_lock() },
            BuiltInDevice("loose-contact") { bluetooth_device_loose_contact() },
            BuiltInDevice("hostile") { bluetooth_device_hostile() },
            BuiltInDevice("scale") { bluetooth_device_scale() },
            BuiltInDevice("pressure-cuff") { bluetooth_device_pressure_cuff() },
            BuiltInDevice("glucose-meter") { bluetooth_device_glucose_meter() },
            BuiltInDevice("glucose-sensor") { bluetooth_device_glucose_sensor() },
            BuiltInDevice("oximeter") { bluetooth_device_oximeter() },
            BuiltInDevice("gym-bike") { bluetooth_device_gym_bike() },
            BuiltInDevice("foot-pod") { bluetooth_device_foot_pod() },
            BuiltInDevice("navigator") { bluetooth_device_navigator() },
            BuiltInDevice("desk-clock") { bluetooth_device_desk_clock() },
            BuiltInDevice("thingy") { bluetooth_device_thingy() },
        ]
    }

    /// The devices that are not in the world of all the others, because they are for one purpose.
    public static var apart: [BuiltInDevice] {
        [
            BuiltInDevice("bench") { bluetooth_device_bench() },
            BuiltInDevice("mcuboot-board") { bluetooth_device_mcuboot_board() },
            BuiltInDevice("dfu-watch") { bluetooth_device_dfu_watch() },
        ]
    }

    /// The device with that label; `nil` if there is none.
    public static func named(_ label: String) -> BuiltInDevice? { (all + apart).first { $0.label == label } }

    /// The definition in the file.
    ///
    /// The file is read without the checks of the schema, because a program that simulates reads all of them when it
    /// starts, and a test checks them.
    public func definition() throws(DeviceFileErrors) -> DeviceDefinition {
        if let known = Self.definitions.withLock({ $0[label] }) { return known }
        // Read without the lock. Two tasks that read the same text at once get equal definitions.
        let definition = try read()
        Self.definitions.withLock { $0[label] = definition }
        return definition
    }

    /// The definitions that were read already, by label. They are kept because a text always gives the same definition,
    /// and a program may create many worlds.
    private static let definitions = Mutex<[String: DeviceDefinition]>([:])

    private func read() throws(DeviceFileErrors) -> DeviceDefinition {
        let root = try DeviceFile.parse(Array(text.utf8), named: label)
        var builder = DeviceBuilder(faults: FaultCollector(file: label), names: FileNames(root, .builtIn)) { _ in
            throw DeviceFile.NoFile()
        }
        let definition = builder.device(root, label: label)
        guard builder.faults.isEmpty else { throw builder.faults.all }
        return definition
    }
}

extension BluetoothData {
    /// The text without the line feed at its end.
    var text: String {
        String(decoding: UnsafeBufferPointer(start: start, count: count - 1), as: UTF8.self)
    }
}
