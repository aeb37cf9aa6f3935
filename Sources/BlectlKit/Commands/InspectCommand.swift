// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// `blectl inspect`: the attributes of a device as a tree.
struct InspectCommand {
    /// How a device takes to being asked for values.
    private struct Silences {
        /// How many values were asked for in vain.
        var count = 0
        /// How many of them since the last answer.
        var inARow = 0

        /// On a link of its own the second would have been answered by a device that is there.
        var isGone: Bool { inARow >= 2 }
    }

    let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func run() async throws {
        try await context.withDevice(mayChange: false, argument: context.arguments[InspectSpec.device]) { device in
            do {
                try await inspect(device)
            } catch {
                throw BlectlError(describing: error, doing: "inspect \(device.reference.text)") ?? error
            }
        }
    }

    private func inspect(_ device: ConnectedDevice) async throws {
        context.diagnostics.progress("discovering …")
        let tree = try await context.withTimeout("discovery") { try await device.peripheral.tree() }
        context.diagnostics.clearProgress()
        var silences = Silences()
        if !context.output.isJSON { try context.output.write(context.output.style.paint(device.reference.text, .bold)) }
        for (index, service) in tree.services.enumerated() {
            let branch = TreeBranch(isLast: index == tree.services.count - 1)
            try emit(.service(service.service), branch, device)
            let childCount = service.includes.count + service.characteristics.count
            for (index, include) in service.includes.enumerated() {
                try emit(.include(include), branch.child(isLast: index == childCount - 1), device)
            }
            for (index, characteristic) in service.characteristics.enumerated() {
                let child = branch.child(isLast: service.includes.count + index == childCount - 1)
                try await inspect(characteristic, child, device, &silences)
            }
        }
        guard silences.count > 0 else { return }
        let values = silences.count == 1 ? "a value" : "\(silences.count) values"
        throw BlectlError(
            .timedOut,
            "cannot inspect all of \(device.reference.text): \(values) timed out"
                + (silences.isGone ? ", and no others were asked for" : ""),
            hint: "--timeout gives each longer"
        )
    }

    /// Shows a characteristic and its descriptors. Descriptors are read first: one of them may tell what the value means.
    private func inspect(
        _ node: AttributeTree.Characteristic,
        _ branch: TreeBranch,
        _ device: ConnectedDevice,
        _ silences: inout Silences
    ) async throws {
        let characteristic = node.characteristic
        var descriptors: [(GATTDescriptor, TreeResult.Value?)] = []
        var format: PresentationFormat?
        for descriptor in node.descriptors {
            let value = try await readValue(at: descriptor.handle, device, &silences) { bytes in
                if descriptor.uuid == .characteristicPresentationFormat, format == nil {
                    format = try? PresentationFormat(decoding: bytes)
                }
                return ValuePresentation(bytes, ofDescriptor: descriptor.uuid, under: characteristic.uuid)
            }
            descriptors.append((descriptor, value))
        }
        var value: TreeResult.Value?
        if characteristic.properties.contains(.read) {
            value = try await readValue(at: characteristic.valueHandle, device, &silences) { bytes in
                ValuePresentation(bytes, ofCharacteristic: characteristic.uuid, presentationFormat: format)
            }
        }
        try emit(.characteristic(characteristic, value), branch, device)
        for (index, (descriptor, value)) in descriptors.enumerated() {
            try emit(.descriptor(descriptor, value), branch.child(isLast: index == descriptors.count - 1), device)
        }
    }

    private func emit(_ node: TreeResult.Node, _ branch: TreeBranch, _ device: ConnectedDevice) throws {
        context.diagnostics.clearProgress()
        try context.output.emit(
            TreeResult(device: device.reference, node: node, branch: branch, timestamp: Timestamp(context.time))
        )
    }

    /// The value behind a handle, where values are asked for; that one is refused is no failure of the command.
    private func readValue(
        at handle: Handle,
        _ device: ConnectedDevice,
        _ silences: inout Silences,
        present: ([UInt8]) -> ValuePresentation
    ) async throws -> TreeResult.Value? {
        guard context.arguments[InspectSpec.values] else { return nil }
        guard !silences.isGone else { return .failed("not asked for") }
        context.diagnostics.progress("reading \(handle) …")
        do {
            let value = try await context.withTimeout("read \(handle)") {
                try await device.peripheral.attribute(at: handle).read()
            }
            silences.inARow = 0
            return .read(present(value.value))
        } catch GATTError.refused(let error) {
            silences.inARow = 0
            return .refused(error.code)
        } catch let error where error.isSilence {
            silences.count += 1
            silences.inARow += 1
            // The unanswered request blocks the bearer: the next value needs a new one.
            await device.peripheral.disconnect()
            return .failed("timed out")
        }
    }
}
