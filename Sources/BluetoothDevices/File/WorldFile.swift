// SPDX-License-Identifier: MIT

import Bluetooth

/// A simulated world: devices, and the seed of their random numbers.
public struct WorldFile: Hashable, Sendable {
    /// The functions that reading needs from outside, because this module opens no files.
    public struct Sources {
        /// The content of another file, named relative to the one that is read.
        public var file: (String) throws -> [UInt8]
        /// The device of that label that is part of the program; `nil` if there is none.
        public var builtIn: (String) -> DeviceDefinition?
        /// The labels of these.
        public var builtInLabels: [String]
        /// The programs to which devices may refer.
        public var programs: DevicePrograms

        /// Creates sources; without any, only devices in the file itself can be read.
        public init(
            programs: DevicePrograms = .builtIn,
            builtInLabels: [String] = [],
            builtIn: @escaping (String) -> DeviceDefinition? = { _ in nil },
            file: @escaping (String) throws -> [UInt8] = { _ in throw DeviceFile.NoFile() }
        ) {
            self.programs = programs
            self.builtInLabels = builtInLabels
            self.builtIn = builtIn
            self.file = file
        }
    }

    /// The seed; `nil` if the file states none.
    public var seed: UInt64?
    /// The devices, each with its own label and address.
    public var devices: [DeviceDefinition]

    /// Creates a world.
    public init(seed: UInt64? = nil, devices: [DeviceDefinition]) {
        self.seed = seed
        self.devices = devices
    }

    /// The maximum number of devices of a world.
    public static let limit = 10_000

    /// The world of a file: a world file, or a device file, which is a world with one device.
    ///
    /// - Throws: All faults of the file and of the device files that it names.
    public static func read(
        _ bytes: [UInt8],
        named name: String,
        _ sources: Sources
    ) throws(DeviceFileErrors) -> WorldFile {
        let root = try DeviceFile.parse(bytes, named: name)
        guard root["schema"]?.string == WorldSchema.name else {
            let device = try DeviceFile.read(
                root,
                named: name,
                label: DeviceFile.label(ofFile: name),
                isWhole: true,
                programs: sources.programs,
                csv: sources.file
            )
            return WorldFile(devices: [device])
        }
        var validator = SchemaValidator(faults: FaultCollector(file: name))
        validator.check(root, WorldSchema.world)
        // Devices are read even if the world has faults, so that one run reports the faults of all of them.
        var builder = WorldBuilder(validator.faults, name, sources)
        for placement in root["devices"]?.elements ?? [] { builder.add(placement) }
        guard builder.faults.isEmpty, builder.others.isEmpty else { throw builder.allFaults }
        return WorldFile(seed: root["seed"]?.integer.map { UInt64(bitPattern: $0) }, devices: builder.devices)
    }
}

private struct WorldBuilder {
    var faults: FaultCollector
    private(set) var others: [DeviceFileError] = []
    private(set) var devices: [DeviceDefinition] = []
    private let name: String
    private let sources: WorldFile.Sources
    private var files: [String: DeviceDefinition?] = [:]
    private var labels: Set<String> = []
    private var addresses: Set<DeviceAddress> = []

    init(_ faults: FaultCollector, _ name: String, _ sources: WorldFile.Sources) {
        self.faults = faults
        self.name = name
        self.sources = sources
    }

    var allFaults: DeviceFileErrors {
        let own = faults.all
        return DeviceFileErrors(own.errors + others.prefix(FaultCollector.limit), isIncomplete: own.isIncomplete)
    }

    mutating func add(_ placement: JSONCursor) {
        guard !faults.isFull, let definition = definition(placement) else { return }
        let copies = placement["copies"]?.integer.flatMap { Int(exactly: $0) } ?? 1
        // Checked before the copies are made, so that no file fills the memory. A difference, because the number may
        // be one that the schema has refused, and a sum would overflow.
        guard copies <= WorldFile.limit - devices.count else {
            return faults.add(placement, "a world has at most \(WorldFile.limit) devices")
        }
        var device = definition
        if ["file", "built_in", "device"].contains(where: { placement[$0] != nil }) { change(&device, placement) }
        for number in 1...max(1, copies) {
            var copy = device
            if number > 1 {
                copy.label = "\(device.label)-\(number)"
                let raw = device.address.address.rawValue &+ UInt64(number - 1)
                copy.address = DeviceAddress(BluetoothAddress(rawValue: raw), device.address.type)
            }
            insert(copy, placement)
        }
    }

    private mutating func insert(_ device: DeviceDefinition, _ placement: JSONCursor) {
        if !labels.insert(device.label).inserted {
            faults.add(placement, "another device has the label '\(device.label.shortened)'; give it a 'label'")
        } else if !addresses.insert(device.address).inserted {
            faults.add(placement, "another device has the address \(device.address.address); give it an 'address'")
        } else {
            devices.append(device)
        }
    }

    private mutating func definition(_ placement: JSONCursor) -> DeviceDefinition? {
        if let file = placement.string { return definition(ofFile: file, placement) }
        if let file = placement["file"], let name = file.string { return definition(ofFile: name, file) }
        if let cursor = placement["built_in"], let label = cursor.string {
            if let device = sources.builtIn(label) { return device }
            let hint = FileName.hint(label, among: sources.builtInLabels)
            faults.add(cursor, "no device of blectl is called '\(label.shortened)'" + hint)
            return nil
        }
        do {
            return try DeviceFile.read(
                placement["device"] ?? placement,
                named: name,
                label: "device-\(devices.count + 1)",
                isWhole: false,
                programs: sources.programs,
                csv: sources.file
            )
        } catch {
            // The schema of the world has reported some of them.
            others += error.errors.filter { !faults.errors.contains($0) }
            return nil
        }
    }

    private mutating func definition(ofFile file: String, _ cursor: JSONCursor) -> DeviceDefinition? {
        if let known = files[file] { return known }
        // A file with faults is entered as well, so that they are reported once, however often it is placed.
        files[file] = .some(nil)
        let bytes: [UInt8]
        do {
            bytes = try sources.file(file)
        } catch {
            faults.add(cursor, "cannot read '\(file.shortened)': \(error)")
            return nil
        }
        do {
            let device = try DeviceFile.read(bytes, named: file, programs: sources.programs, csv: sources.file)
            files[file] = device
            return device
        } catch {
            others += error.errors
            return nil
        }
    }

    private mutating func change(_ device: inout DeviceDefinition, _ placement: JSONCursor) {
        if let label = placement["label"]?.string { device.label = label }
        if let address = placement["address"]?.string.flatMap({ BluetoothAddress($0) }) {
            device.address = DeviceAddress(address, placement["address_type"]?.string == "public" ? .public : .random)
        }
        // The targets of further faults are characteristics of the placed device, not of the world file.
        var builder = DeviceBuilder(faults: faults, names: FileNames(device, sources.programs), file: sources.file)
        if let signal = placement["signal"].flatMap({ DeviceSchema.signal.form.read($0, &builder) }) {
            device.signal = signal
        }
        if let further = placement["faults"] { device.faults += DeviceSchema.faults.read(further, &builder) ?? [] }
        faults = builder.faults
    }
}
