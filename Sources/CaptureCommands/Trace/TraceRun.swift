// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Captures
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl trace`: prints what a capture has.
struct TraceRun {
    let options: TraceOptions
    let context: CommandContext

    /// What is collected from packet to packet.
    private struct State {
        var operations = CapturedOperations()
        /// The diagram of `--diagram`; `nil` for none.
        var diagram: SequenceDiagram?
        var summary = CaptureSummary()
        var replay = CaptureReplay()
        /// Whether an attribute of `--attribute` was there, in whatever packet.
        var hasFoundAttribute = false
        /// Whether any packet or operation has passed the filter.
        var hasMatch = false
        /// The handles of what has passed that nobody knows.
        var unknown: [BluetoothAddress: Set<Handle>] = [:]

        /// Notes a handle that has passed the filter. Those that are unknown are few.
        mutating func note(_ handle: Handle, of device: BluetoothAddress?, _ gatt: CapturedGATT) {
            guard let device, gatt.unknownHandles[device]?.contains(handle) == true else { return }
            unknown[device, default: []].insert(handle)
        }
        /// The packets of the files, and the time of the last one since the first.
        var packets: (count: Int, length: Duration) = (0, .zero)
    }

    /// Prints what the filter lets through. The file is read as a stream, so that a capture in progress and a pipe work
    /// too.
    func run() async throws {
        // Created before the reading, so that a file that cannot be written costs no time.
        let picture = try await context.creating(context.options.diagram?.path)
        let (addresses, identities) = try await devices()
        let filter = TraceFilter(options, addresses: addresses)
        var knowledge: CapturedGATT.Knowledge?
        if let path = options.hint {
            knowledge = try await CapturedGATT.knowledge(in: path, of: filter.addresses, context)
        }
        var gatt = CapturedGATT(context.options.formats, knowing: knowledge)
        gatt.identities = identities
        // The lines of packets have addresses.
        gatt.learnsAdvertisedNames = options.view != .packets || !options.devices.isEmpty
        var state = State(diagram: picture == nil ? nil : SequenceDiagram())
        // Later packets refer to earlier ones, so that only the output is filtered.
        let failure = try await CaptureReading(options.files, in: context).forEach(&gatt) { event, gatt in
            if filter.isAboutAttribute(event) { state.hasFoundAttribute = true }
            state.packets = (state.packets.count + (event.isPacket ? 1 : 0), max(state.packets.length, event.elapsed))
            try await show(event, filter, gatt, &state)
        }
        for operation in state.operations.finish() { try await show(operation, filter, gatt, &state) }
        try await finish(&state, gatt)
        // Written before the error of a damaged file is thrown, so that the intact packets are drawn.
        if let format = context.options.diagram?.format, let diagram = state.diagram {
            try picture?.write(diagram.file(format))
        }
        if let failure { throw failure }
        guard !state.hasFoundAttribute, let target = options.targets.first else {
            if !state.hasMatch, options.isChoosy {
                let (count, length) = state.packets
                context.diagnostics.note("the options choose nothing of \(count: count, "packet") in \(length.text)")
            }
            return
        }
        throw BlectlError(
            .notFound,
            "no packet in \(DeviceFiles.list(options.files)) is known to be about \(target.text)",
            hint: options.summaryHint
        )
    }

    // MARK: - Output

    private func show(_ event: CapturedEvent, _ filter: TraceFilter, _ gatt: CapturedGATT, _ state: inout State)
        async throws
    {
        let matches = filter.matches(event, gatt)
        switch options.view {
        case .packets:
            guard matches else { return }
            state.hasMatch = true
            for handle in event.handles { state.note(handle, of: event.device?.address, gatt) }
            state.diagram?.add(event.withoutAttributes)
            // A diagram replaces the lines, but not the records, which a program reads.
            guard context.options.diagram == nil || context.output.writesRecords else { return }
            try await context.output.emit(PacketResult(event: event))
        case .values, .script:
            if matches { state.diagram?.add(event.withoutAttributes) }
            if options.view == .script { state.replay.add(event, gatt) }
            for operation in state.operations.add(event) { try await show(operation, filter, gatt, &state) }
        case .summary:
            if matches {
                state.hasMatch = true
                state.diagram?.add(event.withoutAttributes)
                state.summary.add(event)
            }
            for operation in state.operations.add(event) { try await show(operation, filter, gatt, &state) }
        }
    }

    private func show(
        _ operation: CapturedOperation,
        _ filter: TraceFilter,
        _ gatt: CapturedGATT,
        _ state: inout State
    ) async throws {
        guard filter.matches(operation, gatt) else { return }
        state.hasMatch = true
        state.note(operation.attribute.handle, of: operation.attribute.device.address.address, gatt)
        switch options.view {
        case .packets: break
        case .values:
            try await context.output.emit(
                CapturedOperationResult(operation: operation, namesDevice: options.devices.count != 1)
            )
        case .summary: state.summary.add(operation)
        case .script: state.replay.add(operation)
        }
    }

    /// Prints what needs the whole capture.
    private func finish(_ state: inout State, _ gatt: CapturedGATT) async throws {
        switch options.view {
        case .packets, .values: break
        case .summary:
            state.summary.finish(gatt)
            try await emit(state.summary)
        case .script: try await context.output.write(try state.replay.script(of: options, gatt))
        }
        // Who looks at packets sees their handles.
        guard options.view != .packets || options.hint != nil else { return }
        // Any of them may be an attribute of `--attribute`.
        let unknown = options.isChoosy && options.targets.isEmpty ? state.unknown : gatt.unknownHandles
        for (device, handles) in unknown.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let list = handles.sorted().prefix(8).map { "\($0)" }.joined(separator: ", ")
            let more = handles.count > 8 ? " and \(handles.count - 8) more" : ""
            context.diagnostics.note(
                "the capture does not tell what \(list)\(more) of \(device) \(handles.count == 1 ? "is" : "are")"
                    + "; a device file or another capture (of blectl: with --no-cache) may: --gatt FILE"
                    + (options.view == .script ? ", which the script needs before it can run" : "")
            )
        }
    }

    private func emit(_ summary: CaptureSummary) async throws {
        let whole = CaptureResult(summary: summary)
        try await context.output.emit(whole)
        let timestamp = whole.timestamp
        for device in summary.devices {
            try await context.output.emit(CapturedDeviceResult(device: device, timestamp: timestamp))
            for link in device.links {
                try await context.output.emit(CapturedLinkResult(link: summary.links[link], timestamp: timestamp))
            }
            try await emit(summary.attributes(of: device.address, ofHost: false), timestamp)
            try await emit(summary.attributes(of: device.address, ofHost: true), timestamp)
        }
        // Links from before the capture, whose devices it does not name.
        for link in summary.links where link.device == nil {
            try await context.output.emit(CapturedLinkResult(link: link, timestamp: timestamp))
        }
        let unnamed = DeviceAddress(BluetoothAddress(rawValue: 0), .random)
        try await emit(summary.attributes(of: unnamed, ofHost: false), timestamp)
        try await emit(summary.attributes(of: unnamed, ofHost: true), timestamp)
    }

    private func emit(_ attributes: [CaptureSummary.Attribute], _ timestamp: Timestamp) async throws {
        for attribute in attributes {
            try await context.output.emit(CapturedAttributeResult(attribute: attribute, timestamp: timestamp))
        }
    }

    // MARK: - Knowledge from elsewhere

    /// The addresses of the devices of `--device`, and the identities of private ones. The whole capture is read for them
    /// first, because packets before a name and before a pairing belong to the device, too. A pipe can be read only once:
    /// there, packets count from the name on.
    private func devices() async throws -> (Set<BluetoothAddress>, CapturedIdentities) {
        var addresses: Set<BluetoothAddress> = []
        var names: [String] = []
        for device in options.devices {
            switch device {
            case .address(let address): addresses.insert(address)
            case .name(let name): names.append(name)
            }
        }
        let reading = CaptureReading(options.files, in: context)
        guard !options.devices.isEmpty, reading.isRepeatable else { return (addresses, CapturedIdentities()) }
        var gatt = CapturedGATT()
        _ = try await reading.forEach(&gatt, isFirst: true) { _, _ in }
        for name in names {
            let found = gatt.addresses(named: name)
            guard !found.isEmpty else {
                throw BlectlError(
                    .notFound,
                    "no device in \(DeviceFiles.list(options.files)) has the name \(Prose.quoted(name))",
                    hint: options.summaryHint
                )
            }
            addresses.formUnion(found)
        }
        return (addresses, gatt.identities)
    }
}
