// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Records
import Terminal
import Toolkit

/// Makes a device definition of a connected device: of its whole database, its values, and a recording of its
/// notifications.
struct CloneOperation: DeviceOperation {
    let options: CloneOptions
    /// The advertising that was received before the connection.
    var advertising = HeardAdvertising()

    func action(on device: DeviceReference) -> String { "clone \(device.text)" }

    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        var cloning = try await Cloning(of: device, options, context)
        try await cloning.run(advertising)
    }
}

/// The advertising of a device, as far as it was heard.
struct HeardAdvertising: Sendable {
    var sets: [DeviceAdvertising] = []
    /// Remarks in words on the advertising that the sets cannot express.
    var remarks: [String] = []
}

/// One walk through a device.
private struct Cloning {
    /// The maximum number of octets of values that are kept of one device. 4 MiB: more than any real device has. A
    /// hostile device cannot fill the memory or the file.
    private static let valueLimit = 4 << 20

    private let options: CloneOptions
    private let context: OperationContext
    private let device: ConnectedDevice
    private var reader: TreeValueReader
    private var findings = ClonedDatabase.Findings()
    private var remarks: [String] = []
    /// The octets of all values so far; `.max` once it was remarked that the limit is reached.
    private var octets = 0
    private var valueCount = 0
    private var recordedCount = 0

    init(of device: ConnectedDevice, _ options: CloneOptions, _ context: OperationContext) async throws {
        self.options = options
        self.context = context
        self.device = device
        reader = try await TreeValueReader(of: device, to: "clone", context)
    }

    /// Reads the device and emits its definition. If the device is gone midway, the clone of everything until then
    /// comes before the error, so that the work is not lost.
    mutating func run(_ advertising: HeardAdvertising) async throws {
        let tree = reader.tree
        // Before the values, because a larger MTU saves Read Blob requests.
        let mtu = try await exchangeMTU()
        try await readAll(tree)
        if let time = options.recordingTime, !reader.isDeviceGone { try await record(tree, for: time) }
        context.notes.clearProgress()
        let database = ClonedDatabase(tree, findings)
        var definition = DeviceDefinition(
            label: "",
            summary: device.reference.addressText.map { "cloned from \($0)" } ?? "cloned",
            name: text(of: .deviceName) ?? device.reference.name,
            appearance: number(of: .appearance),
            // A device behind a socket has no address; the clone needs one.
            address: device.reference.addressText == nil ? .ofSocket : device.reference.address,
            advertising: advertising.sets,
            services: database.services,
            // The tree of the device has them if the device has them.
            hasStandardServices: false
        )
        definition.label = DeviceDefinition.label(fromName: definition.name, address: definition.address)
        definition.limits.maximumMTU = mtu
        try definition.leaveHashToServer("clone \(device.reference.text)")
        remarks += advertising.remarks + database.remarks
        let clone = CloneResult(
            device: device.reference,
            definition: definition,
            remarks: remarks,
            values: valueCount,
            recorded: recordedCount,
            timestamp: Timestamp(context.time)
        )
        try await context.results.emit(.other(clone))
        // One value that never comes is a trait of the device, which the clone has as well.
        if reader.isDeviceGone, let failure = reader.failure { throw failure }
    }

    /// The largest MTU that the device takes, of those that blectl offers.
    private func exchangeMTU() async throws -> UInt16 {
        let peripheral = device.peripheral
        return try await context.withTimeout("MTU exchange") {
            do {
                return try await peripheral.exchangeMTU()
            } catch is GATTError {
                // Without an exchange both sides use 23 octets. Spec: Core 5.4, Vol 3, Part F, 3.2.8
                return 23
            }
        }
    }

    // MARK: - Values

    /// Reads all values, except those that belong to a client: its configurations and its supported features.
    private mutating func readAll(_ tree: AttributeTree) async throws {
        findings.isEncrypted = try await device.peripheral.connection().isEncrypted
        for service in tree.services {
            for node in service.characteristics {
                // The name and the appearance identify the device, so a clone always has them.
                if options.readsValues || service.service.uuid == .genericAccess,
                    node.characteristic.properties.contains(.read),
                    node.characteristic.uuid != .clientSupportedFeatures
                {
                    try await read(node.characteristic.valueHandle)
                }
                // The configuration is the state of this client and no property of the device.
                for descriptor in node.descriptors where descriptor.uuid != .clientCharacteristicConfiguration {
                    try await read(descriptor.handle)
                }
            }
        }
    }

    /// Reads one attribute, unless the values so far have reached the limit. A remark says so once: `octets` is then
    /// set to the largest number.
    private mutating func read(_ handle: Handle) async throws {
        guard octets < Self.valueLimit else {
            if octets < .max {
                remarks.append(
                    "the values have more than \(Self.valueLimit) octets; those from \(handle) on are left out"
                )
            }
            octets = .max
            return
        }
        let outcome = try await reader.read(handle)
        findings.reads[handle] = outcome
        guard case .value(let value) = outcome else { return }
        octets += value.value.count
        valueCount += 1
    }

    /// The octets of the first characteristic of a UUID that were read.
    private func octets(of uuid: BluetoothUUID) -> [UInt8]? {
        let characteristics = reader.tree.services.flatMap(\.characteristics)
        guard let node = characteristics.first(where: { $0.characteristic.uuid == uuid }),
            case .value(let value)? = findings.reads[node.characteristic.valueHandle]
        else { return nil }
        return value.value
    }

    private func text(of uuid: BluetoothUUID) -> String? {
        octets(of: uuid).flatMap { String(validating: $0, as: UTF8.self) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The value as a little-endian number of 16 bits; `nil` if it has another length.
    private func number(of uuid: BluetoothUUID) -> UInt16? {
        octets(of: uuid).flatMap { $0.count == 2 ? UInt16($0[0]) | UInt16($0[1]) << 8 : nil }
    }

    // MARK: - Recording

    /// Subscribes to all characteristics that send values, and records the values.
    private mutating func record(_ tree: AttributeTree, for duration: Duration) async throws {
        let recorder = ValueRecorder()
        let observation = await device.peripheral.observation()
        let end: Instant
        do {
            for node in tree.services.flatMap(\.characteristics) {
                try await subscribe(observation, to: node.characteristic, recorder)
            }
            // The recording time counts from here, because subscriptions to many characteristics may take seconds.
            let start = context.time.now
            let (time, notes, device) = (context.time, context.notes, device.reference)
            // `nil` when the time is up; otherwise the reason why the recording stopped early.
            let failure = try await withCleanup {
                try await untilDeadline(start + duration, time) { () async throws -> String? in
                    try await Self.listen(observation, recorder, notes, device)
                }
            } cleanup: {
                await observation.end()
            }
            end = time.now
            if let failure, let failure {
                remarks.append("the recording ends after \(end - start): \(failure)")
            }
        } catch {
            await observation.end()
            throw error
        }
        // Values recorded before the loss of a link are kept.
        findings.recordings = await recorder.recordings(until: end)
        recordedCount = await recorder.count
        if observation.droppedCount > 0 {
            remarks.append("\(count: observation.droppedCount, "value") came faster than they could be recorded")
        }
        let cut = await recorder.cutCount
        if cut > 0 { remarks.append("\(count: cut, "recorded value") had more than 512 octets") }
    }

    /// Subscribes for the recording. A refusal becomes a finding instead of an error, so that the other
    /// characteristics are recorded.
    private mutating func subscribe(
        _ observation: Observation,
        to characteristic: GATTCharacteristic,
        _ recorder: ValueRecorder
    ) async throws {
        // A server indicates Service Changed about its own database. The clone's own server has its own.
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]), characteristic.uuid != .serviceChanged
        else { return }
        let handle = characteristic.valueHandle
        context.notes.progress("subscribing to \(handle) …")
        do {
            let target = device.peripheral.characteristic(at: handle)
            try await context.withTimeout("subscribe to \(handle)") { try await observation.subscribe(to: target) }
            await recorder.subscribed(to: handle, at: context.time.now)
        } catch GATTError.refused(let error) {
            findings.refusals[handle] = error.code
        } catch  where error is MissingAttribute || error is GATTError {
            remarks.append("the values of the characteristic at \(handle) cannot be subscribed to")
        }
    }

    /// Records until the task is cancelled, or until no more can be recorded: that is the reason.
    private static func listen(
        _ observation: Observation,
        _ recorder: ValueRecorder,
        _ notes: any NoteSink,
        _ device: DeviceReference
    ) async throws -> String? {
        while true {
            let event: ObservationEvent
            do {
                event = try await observation.next()
            } catch let error as RadioError {
                return error.reason
            }
            switch event.kind {
            case .value(let value, _):
                // The recorder has a limit, so that a fast device cannot fill the memory.
                guard await recorder.add(value) else { return "more is not kept" }
                notes.progress("recording what \(device.text) sends: \(count: await recorder.count, "value") …")
            // Handles may have new meanings now.
            case .databaseChanged: return "the device has changed its services"
            case .linkLost(let error): return error.reason
            case .ended(let error): throw error
            case .read, .reconnectionFailed, .linkRestored: break
            }
        }
    }
}

extension DeviceAddress {
    /// A static address for the clone of a device at a socket, which has none.
    fileprivate static let ofSocket = DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_01), .random)
}

extension DeviceDefinition {
    /// A label that a person can type, made of a name: `Pulse HR` becomes `pulse-hr`. Without a name it is made of the
    /// address.
    static func label(fromName name: String?, address: DeviceAddress) -> String {
        let words = (name ?? "").lowercased().utf8.split { !(0x30...0x39).contains($0) && !(0x61...0x7A).contains($0) }
        // At most eight words of 24 letters or digits each.
        let label = words.prefix(8).map { String(decoding: $0.prefix(24), as: UTF8.self) }.joined(separator: "-")
        return label.isEmpty ? "device-\(Hex.string(address.address.rawValue, minimumDigits: 12).lowercased())" : label
    }
}
