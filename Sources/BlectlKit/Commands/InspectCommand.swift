// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// `blectl inspect`: the attributes of a device as a tree.
struct InspectCommand {
    let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func run() async throws {
        try await context.withDevice(mayChange: false, argument: context.arguments[InspectSpec.device]) { device in
            do {
                var inspection = try await Inspection(of: device, context)
                try await inspection.run()
            } catch {
                let action = "inspect \(device.reference.text)"
                throw BlectlError(describing: error, doing: action, to: device.reference) ?? error
            }
        }
    }
}

/// One walk through the tree of a device.
private struct Inspection {
    private let context: CommandContext
    private let device: ConnectedDevice
    private let tree: AttributeTree
    /// How often the device had said that its database has changed when that was its tree; `nil` where there was another link
    /// then. The same handles may mean something else now.
    private var changeCount: Int?
    private var patience: Patience

    /// Discovers what there is.
    init(of device: ConnectedDevice, _ context: CommandContext) async throws {
        self.context = context
        self.device = device
        patience = Patience(timeout: context.timeout)
        context.diagnostics.progress("discovering …")
        tree = try await context.withTimeout("discovery") { try await device.peripheral.tree() }
        changeCount = await device.peripheral.database.changeCount
        context.diagnostics.clearProgress()
    }

    mutating func run() async throws {
        if !context.output.isJSON {
            try await context.output.write(context.output.style.paint(device.reference.text, .bold))
        }
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
        guard patience.silences > 0 else { return }
        let values = patience.silences == 1 ? "a value" : "\(patience.silences) values"
        throw BlectlError(
            .timedOut,
            "cannot inspect all of \(device.reference.text): \(values) timed out"
                + (patience.isOver ? ", and no others were asked for" : ""),
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
        context.diagnostics.clearProgress()
        try await context.output.emit(
            TreeResult(device: device.reference, node: node, branch: branch, timestamp: Timestamp(context.time))
        )
    }

    // MARK: - Values

    /// The value behind a handle, where values are asked for; that one is refused is no failure of the command.
    private mutating func readValue(
        at handle: Handle,
        present: ([UInt8]) -> ValuePresentation
    ) async throws -> TreeResult.Value? {
        guard context.arguments[InspectSpec.values] else { return nil }
        guard !patience.isOver else { return .failed("not asked for") }
        context.diagnostics.progress("reading \(handle) …")
        do {
            // Which value is the last is not known here.
            let limit = patience.limit(isLast: false)
            let (value, count) = try await context.withTimeout("read \(handle)", within: limit) { [self] in
                try await readOfTree(handle)
            }
            changeCount = count
            patience.answered()
            return .read(present(value.value))
        } catch GATTError.refused(let error) {
            patience.answered()
            return .refused(error.code)
        } catch let error where error.isSilence {
            patience.waitedInVain()
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
