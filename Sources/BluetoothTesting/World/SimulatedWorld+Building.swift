// SPDX-License-Identifier: MIT

public import BluetoothDevices
import FoundationEssentials
public import SimulatedRadio

/// Makes the devices of a world from the statements of a closure.
@resultBuilder
public enum WorldBuilder {
    /// One device.
    public static func buildExpression(_ device: DeviceDefinition) -> [DeviceDefinition] { [device] }
    /// Several devices that were made elsewhere.
    public static func buildExpression(_ devices: [DeviceDefinition]) -> [DeviceDefinition] { devices }
    /// The statements one after the other.
    public static func buildBlock(_ devices: [DeviceDefinition]...) -> [DeviceDefinition] { devices.flatMap(\.self) }
    /// An `if` without `else`.
    public static func buildOptional(_ devices: [DeviceDefinition]?) -> [DeviceDefinition] { devices ?? [] }
    /// The first branch of an `if` or `switch`.
    public static func buildEither(first devices: [DeviceDefinition]) -> [DeviceDefinition] { devices }
    /// Another branch of an `if` or `switch`.
    public static func buildEither(second devices: [DeviceDefinition]) -> [DeviceDefinition] { devices }
    /// A loop.
    public static func buildArray(_ devices: [[DeviceDefinition]]) -> [DeviceDefinition] { devices.flatMap(\.self) }
}

extension SimulatedWorld {
    /// A world of devices.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random numbers.
    ///   - adapter: What is the matter with the adapter.
    ///   - devices: The devices: described in Swift, built in, or read from files.
    /// - Throws: What is wrong with a device.
    public init(
        seed: UInt64 = 1,
        adapter: Set<AdapterTrait> = [],
        @WorldBuilder _ devices: () throws -> [DeviceDefinition]
    ) throws {
        self.init(seed: seed, adapter: adapter, devices: try devices().map { try SimulatedDevice($0) })
    }
}

extension DeviceDefinition {
    /// A device that is part of the library, by its label: `pulse-strap`, `thermometer`, `sensor-tag`.
    ///
    /// - Throws: `DeviceSourceError.noBuiltInDevice` with all labels if there is none.
    public static func builtIn(_ label: String) throws -> DeviceDefinition {
        guard let device = BuiltInDevice.named(label) else {
            throw DeviceSourceError.noBuiltInDevice(label, among: BuiltInDevice.all.map(\.label))
        }
        return try device.definition()
    }

    /// The device of a device file.
    ///
    /// - Parameter path: The path of the file. Files of numbers that the device names are relative to its folder.
    /// - Throws: `DeviceSourceError.unreadable` if there is no such file, and all faults of the file otherwise.
    public static func file(_ path: String) throws -> DeviceDefinition {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        return try DeviceFile.read(try content(path), named: path) { try content(folder + $0) }
    }

    private static func content(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else { throw DeviceSourceError.unreadable(path) }
        return Array(data)
    }
}

/// Why there is no device definition.
public enum DeviceSourceError: Error, Hashable, Sendable {
    /// No built-in device has that label; these are the labels that there are.
    case noBuiltInDevice(String, among: [String])
    /// The file cannot be read.
    case unreadable(String)
}
