// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// Discovers all attributes of a device, reports them as a tree, and reads their values where that is wanted.
struct InspectOperation: DeviceOperation {
    let options: InspectOptions

    init(_ options: InspectOptions) { self.options = options }

    func action(on device: DeviceReference) -> String { "inspect \(device.text)" }

    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        var inspection = try await Inspection(of: device, options, context)
        try await inspection.run()
    }
}

/// One walk through the tree of a device.
private struct Inspection {
    private let context: OperationContext
    private let device: ConnectedDevice
    private let readsValues: Bool
    private let tree: AttributeTree
    /// How often the device had said that its database has changed when that was its tree; `nil` where there was another link
    /// then. The same handles may mean something else now.
    private var changeCount: Int?
    private var silence: SilenceTracker

    /// Discovers what there is.
    init(of device: ConnectedDevice, _ options: InspectOptions, _ context: OperationContext) async throws {
        self.context = context
        self.device = device
        readsValues = options.readsValues
        silence = SilenceTracker(timeout: context.timeout)
        context.notes.progress("discovering …")
        tree = try await context.withTimeout("discovery") { try await device.peripheral.tree() }
        changeCount = await device.peripheral.database.changeCount
        context.notes.clearProgress()
    }

    mutating func run() async throws {
        try await context.results.emit(.device(device.reference))
        for (index, service) in tree.services.enumerated() {
            let branch = TreeBranch(isLast: index == tree.services.count - 1)
            try await emit(.service(service.service), branch)
            let childCount = service.includes.count + service.characteristics.count
            for (index, include) in service.includes.enumerated() {
                try await emit(.include(include), branch.child(isLast: index == childCount - 1))
            }
            for (index, characteristic) in service.characteristics.enumerated() {
                let child = branch.child(isLast: service.includes.count + index == childCount - 1)
                try await show(characteristic, child)
            }
        }
        let count = silence.silenceCount
        guard count > 0 else { return }
        let values = count == 1 ? "a value" : "\(count) values"
        throw BlectlError(
            .timedOut,
            "cannot inspect all of \(device.reference.text): \(values) timed out"
                + (silence.isDeviceGone ? ", and no others were asked for" : ""),
            hint: "--timeout gives each longer"
        )
    }

    /// Shows a characteristic and its descriptors. Descriptors are read first: one of them may tell what the value means.
    private mutating func show(_ node: AttributeTree.Characteristic, _ branch: TreeBranch) async throws {
        let characteristic = node.characteristic
        var descriptors: [(GATTDescriptor, TreeResult.Value?)] = []
        var format: PresentationFormat?
        for descriptor in node.descriptors {
            let value = try await readValue(at: descriptor.handle) { bytes in
                if descriptor.uuid == .characteristicPresentationFormat, format == nil {
                    format = try? PresentationFormat(decoding: bytes)
                }
                return ValuePresentation(bytes, ofDescriptor: descriptor.uuid, under: characteristic.uuid)
            }
            descriptors.append((descriptor, value))
        }
        var value: TreeResult.Value?
        if characteristic.properties.contains(.read) {
            value = try await readValue(at: characteristic.valueHandle) { bytes in
                ValuePresentation(bytes, ofCharacteristic: characteristic.uuid, presentationFormat: format)
            }
        }
        try await emit(.characteristic(characteristic, value), branch)
        for (index, (descriptor, value)) in descriptors.enumerated() {
            try await emit(.descriptor(descriptor, value), branch.child(isLast: index == descriptors.count - 1))
        }
    }

    private func emit(_ node: TreeResult.Node, _ branch: TreeBranch) async throws {
        context.notes.clearProgress()
        let now = Timestamp(context.time)
        let result = TreeResult(device: device.reference, node: node, branch: branch, timestamp: now)
        try await context.results.emit(.attribute(result))
    }

    // MARK: - Values

    /// The value behind a handle, where values are asked for; that one is refused is no failure of the command.
    private mutating func readValue(
        at handle: Handle,
        present: ([UInt8]) -> ValuePresentation
    ) async throws -> TreeResult.Value? {
        guard readsValues else { return nil }
        guard !silence.isDeviceGone else { return .failed("not asked for") }
        context.notes.progress("reading \(handle) …")
        do {
            // Which value is the last is not known here.
            let limit = silence.timeLimit(isLast: false)
            let (value, count) = try await context.withTimeout("read \(handle)", within: limit) { [self] in
                try await readOfTree(handle)
            }
            changeCount = count
            silence.recordAnswer()
            return .read(present(value.value))
        } catch GATTError.refused(let error) {
            silence.recordAnswer()
            return .refused(error.code)
        } catch let error where error.isSilence {
            silence.recordSilence()
            // The unanswered request blocks the bearer: the next value needs a new one.
            await device.peripheral.disconnect()
            changeCount = nil
            return .failed("timed out")
        }
    }

    /// How often a value is read again because the device says meanwhile that its database has changed.
    private static let attempts = 3

    /// The value of an attribute of the tree, and the number of changes at which that was the tree. Some devices say that
    /// everything has changed when nothing has: then the same is found again, and the inspection goes on.
    private func readOfTree(_ handle: Handle) async throws -> (AttributeValue, changeCount: Int) {
        let peripheral = device.peripheral
        var known = changeCount
        var attempt = 0
        while true {
            attempt += 1
            let count = await peripheral.database.changeCount
            if count != known {
                guard try await peripheral.tree() == tree else { throw changed }
                known = count
            }
            let value = try await peripheral.attribute(at: handle).read()
            if await peripheral.database.changeCount == count || attempt == Self.attempts { return (value, count) }
        }
    }

    private var changed: BlectlError {
        BlectlError(
            .temporaryFailure,
            "cannot inspect all of \(device.reference.text): it has changed its services meanwhile",
            hint: "try again; what was printed is of before the change"
        )
    }
}
