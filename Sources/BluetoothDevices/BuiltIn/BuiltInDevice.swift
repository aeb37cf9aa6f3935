// SPDX-License-Identifier: MIT

import Synchronization

/// A device that ships inside the program, as the text of a device file.
///
/// The text is the only source of the device. It is a constant of the program, so that a command that simulates nothing
/// does not pay for it.
public struct BuiltInDevice: Hashable, Sendable {
    /// The word by which users choose the device: `pulse-strap`.
    public let label: String
    /// The device file.
    public let text: String

    init(_ label: String, _ text: String) {
        self.label = label
        self.text = text
    }

    /// All of them, in the order in which they are listed.
    public static var all: [BuiltInDevice] {
        [
            .pulseStrap, .thermometer, .uartEcho, .workbench, .iBeacon, .eddystone, .weatherMast, .shapeshifter,
            .museum, .sportsWatch, .flakyStrap, .sensorTag, .doorLock, .looseContact, .hostile, .scale,
            .pressureCuff, .glucoseMeter, .glucoseSensor, .oximeter, .gymBike, .footPod, .navigator, .deskClock,
            .thingy,
        ]
    }

    /// The devices that are not in the world of all the others, because they are for one purpose.
    public static var apart: [BuiltInDevice] { [.bench] }

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
        var builder = DeviceBuilder(FaultCollector(file: label), FileNames(root, .builtIn)) { _ in
            throw DeviceFile.NoFile()
        }
        let definition = builder.device(root, label: label)
        guard builder.faults.isEmpty else { throw builder.faults.all }
        return definition
    }
}
