// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Records
import Terminal
import Toolkit

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
    private var reader: TreeValueReader
    private let layout: TreeLayout
    /// The formats of the Presentation Format descriptors that were read, by the handles with which an Aggregate Format
    /// refers to them.
    private var formats: [Handle: PresentationFormat] = [:]

    init(of device: ConnectedDevice, _ options: InspectOptions, _ context: OperationContext) async throws {
        self.context = context
        self.device = device
        readsValues = options.readsValues
        reader = try await TreeValueReader(of: device, to: "inspect", context)
        layout = Self.layout(of: reader.tree, device.formats)
    }

    /// The columns of the tree, which is known before the first value is read.
    private static func layout(of tree: AttributeTree, _ formats: FormatCatalogue) -> TreeLayout {
        var layout = TreeLayout(formats: formats)
        // Every node is measured at its deepest indentation, which reserves enough room.
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

    /// Reports the tree in the order of the handles. A failed read is thrown at the end, so that the tree is
    /// complete.
    mutating func run() async throws {
        try await context.results.emit(.device(device.reference))
        let tree = reader.tree
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
        if let failure = reader.failure { throw failure }
    }

    /// Reports a characteristic and its descriptors. Descriptors are read first: one of them may define the value's
    /// format.
    private mutating func report(
        _ node: AttributeTree.Characteristic,
        in service: GATTService,
        _ branch: TreeBranch
    ) async throws {
        let characteristic = node.characteristic
        var descriptors: [(GATTDescriptor, TreeResult.Value?)] = []
        var first: PresentationFormats?
        var aggregate: [UInt8]?
        for descriptor in node.descriptors {
            // The meaning of some descriptors depends on the characteristic, for example that of a Valid Range.
            let value = try await readValue(at: descriptor.handle, in: service) { bytes in
                ValuePresentation(bytes, ofDescriptor: descriptor.uuid, under: characteristic.uuid)
            }
            descriptors.append((descriptor, value))
            guard let octets = value?.presentation?.bytes else { continue }
            if descriptor.uuid == .characteristicAggregateFormat { aggregate = octets }
            // A malformed format is shown as octets and is not used.
            guard descriptor.uuid == .characteristicPresentationFormat,
                let format = try? PresentationFormat(decoding: octets)
            else { continue }
            formats[descriptor.handle] = format
            // Without an Aggregate Format the first Presentation Format counts.
            first = first ?? PresentationFormats(format)
        }
        // An Aggregate Format may name descriptors of characteristics before this one as well.
        let format = aggregate.flatMap { PresentationFormats(aggregate: $0, of: formats) } ?? first
        if let format {
            await device.peripheral.learned(format: format.encoded(), of: characteristic.valueHandle)
        }
        var value: TreeResult.Value?
        // The declaration says that it cannot be read: a request would only be refused.
        if characteristic.properties.contains(.read) {
            // The services are known, so that the model is found without a request.
            let formats = await device.formats(for: characteristic.uuid)
            value = try await readValue(at: characteristic.valueHandle, in: service) { bytes in
                ValuePresentation(
                    bytes,
                    ofCharacteristic: characteristic.uuid,
                    formats: formats,
                    presentationFormats: format
                )
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
            formats: device.formats,
            layout: layout,
            timestamp: Timestamp(context.time)
        )
        try await context.results.emit(.other(result))
    }

    private mutating func readValue(
        at handle: Handle,
        in service: GATTService,
        present: ([UInt8]) -> ValuePresentation
    ) async throws -> TreeResult.Value? {
        guard readsValues else { return nil }
        switch try await reader.read(handle) {
        case .value(let value):
            if value.isCut {
                context.notes.note(
                    "the value at \(handle) may be cut: the device gave only \(value.value.count) octets of it"
                )
            }
            return .read(present(value.value))
        case .refused(let code): return .refused(code, name: code.name(in: service.uuid))
        case .silent: return .failed("timed out")
        case .notRead: return .failed("not read")
        }
    }
}
