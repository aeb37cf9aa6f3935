// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// Discovers all attributes of a device and reports them as a tree, with their values if wanted.
struct InspectOperation: DeviceOperation {
    let options: InspectOptions

    init(_ options: InspectOptions) { self.options = options }

    func action(on device: DeviceReference) -> String { "inspect \(device.text)" }

    var namesDevice: Bool { true }

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
    /// The device's change count at which the tree was confirmed; `nil` after a reconnection, because the same handles may mean
    /// other attributes then.
    private var changeCount: Int?
    private var silence: SilenceTracker
    private let layout: TreeLayout

    /// Discovers the tree.
    init(of device: ConnectedDevice, _ options: InspectOptions, _ context: OperationContext) async throws {
        self.context = context
        self.device = device
        readsValues = options.readsValues
        silence = SilenceTracker(timeout: context.timeout)
        context.notes.progress("discovering …")
        tree = try await context.withTimeout("discovery") { try await device.peripheral.tree() }
        layout = Self.layout(of: tree)
        changeCount = await device.peripheral.database.changeCount
        context.notes.clearProgress()
    }

    /// The columns of the tree, which is known before the first value is read.
    private static func layout(of tree: AttributeTree) -> TreeLayout {
        var layout = TreeLayout()
        let branch = TreeBranch(isLast: true).child(isLast: true)
        for node in tree.services.flatMap(\.characteristics) {
            layout.include(.characteristic(node.characteristic, nil), branch)
            for descriptor in node.descriptors {
                let inner = TreeResult.Node.descriptor(descriptor, of: node.characteristic, nil)
                layout.include(inner, branch.child(isLast: true))
            }
        }
        return layout
    }

    mutating func run() async throws {
        try await context.results.emit(.device(device.reference))
        for (index, service) in tree.services.enumerated() {
            let branch = TreeBranch(isLast: index == tree.services.count - 1)
            try await emit(.service, in: service.service, branch)
            let childCount = service.includes.count + service.characteristics.count
            for (index, include) in service.includes.enumerated() {
                try await emit(.include(include), in: service.service, branch.child(isLast: index == childCount - 1))
            }
            for (index, characteristic) in service.characteristics.enumerated() {
                let child = branch.child(isLast: service.includes.count + index == childCount - 1)
                try await report(characteristic, in: service.service, child)
            }
        }
        let count = silence.silenceCount
        guard count > 0 else { return }
        let values = count == 1 ? "a value" : "\(count) values"
        throw BlectlError(
            .timedOut,
            "cannot inspect all of \(device.reference.text): \(values) timed out"
                + (silence.isDeviceGone ? ", and no others were read" : ""),
            hint: "--timeout allows more time for each"
        )
    }

    /// Reports a characteristic and its descriptors. Descriptors are read first: one of them may define the value's format.
    private mutating func report(
        _ node: AttributeTree.Characteristic,
        in service: GATTService,
        _ branch: TreeBranch
    ) async throws {
        let characteristic = node.characteristic
        var descriptors: [(GATTDescriptor, TreeResult.Value?)] = []
        var format: PresentationFormat?
        var hasFormat = false
        for descriptor in node.descriptors {
            let value = try await readValue(at: descriptor.handle) { bytes in
                if descriptor.uuid == .characteristicPresentationFormat, format == nil {
                    format = try? PresentationFormat(decoding: bytes)
                }
                return ValuePresentation(bytes, ofDescriptor: descriptor.uuid, under: characteristic.uuid)
            }
            if descriptor.uuid == .characteristicPresentationFormat, !hasFormat, format != nil,
                let octets = value?.presentation?.bytes
            {
                hasFormat = true
                await device.peripheral.learned(format: octets, of: characteristic.valueHandle)
            }
            descriptors.append((descriptor, value))
        }
        var value: TreeResult.Value?
        if characteristic.properties.contains(.read) {
            value = try await readValue(at: characteristic.valueHandle) { bytes in
                ValuePresentation(bytes, ofCharacteristic: characteristic.uuid, presentationFormat: format)
            }
        }
        try await emit(.characteristic(characteristic, value), in: service, branch)
        for (index, (descriptor, value)) in descriptors.enumerated() {
            let node = TreeResult.Node.descriptor(descriptor, of: characteristic, value)
            try await emit(node, in: service, branch.child(isLast: index == descriptors.count - 1))
        }
    }

    private func emit(_ node: TreeResult.Node, in service: GATTService, _ branch: TreeBranch) async throws {
        context.notes.clearProgress()
        let result = TreeResult(
            device: device.reference,
            service: service,
            node: node,
            branch: branch,
            layout: layout,
            timestamp: Timestamp(context.time)
        )
        try await context.results.emit(.attribute(result))
    }

    // MARK: - Values

    /// Reads the value at a handle, if values are wanted. A refusal is a result, not an error.
    private mutating func readValue(
        at handle: Handle,
        present: ([UInt8]) -> ValuePresentation
    ) async throws -> TreeResult.Value? {
        guard readsValues else { return nil }
        guard !silence.isDeviceGone else { return .failed("not read") }
        context.notes.progress("reading \(handle) …")
        do {
            // The last value is not known as such here.
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

    /// The most attempts at a value during which the device announces a change of its database.
    private static let attempts = 3

    /// Reads an attribute of the tree; also returns the change count at which the tree was confirmed. Some devices announce
    /// changes that did not happen: the same tree is then found again, and the inspection continues.
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
            hint: "try again; the output is from before the change"
        )
    }
}
