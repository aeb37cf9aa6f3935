// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

/// The interpreter of a definition's behaviour: values that change, streams, rules of writes, and the timeline.
struct RuleFirmware: DeviceFirmware {
    /// A value that is sent regularly.
    private struct Stream: Sendable {
        var started: Instant
        var next: Instant?
        var last: [UInt8]?
    }

    private let definition: DeviceDefinition
    private let layouts: [String?: DeviceLayout]
    private var layout: DeviceLayout
    private var values: [DeviceLayout.Identity: ValueState] = [:]
    private var subscribers: [Handle: Set<GATTServer.ClientID>] = [:]
    private var streams: [Handle: Stream] = [:]
    private var agenda = Agenda()
    private var programs: ProgramRunner

    init(
        _ definition: DeviceDefinition,
        _ layouts: [String?: DeviceLayout],
        _ first: DeviceLayout,
        _ programs: DevicePrograms
    ) {
        self.definition = definition
        self.layouts = layouts
        layout = first
        self.programs = ProgramRunner(programs)
    }

    // MARK: - Events

    mutating func started(_ device: inout DeviceContext) {
        schedule(.start, from: .zero)
        setTimer(&device)
    }

    mutating func connected(_ client: GATTServer.ClientID, _ device: inout DeviceContext) {
        schedule(.connection, from: device.now, of: client)
        setTimer(&device)
    }

    mutating func disconnected(_ client: GATTServer.ClientID, _ device: inout DeviceContext) {
        agenda.cancel(.connection(client))
        setTimer(&device)
    }

    mutating func read(_ request: GATTServer.ReadContext, _ device: inout DeviceContext) -> DeviceAnswer<[UInt8]> {
        guard let entry = layout.entries[request.handle] else { return .refuse(.unlikelyError) }
        switch entry.characteristic.onRead {
        case .refuse(let code): return .refuse(code)
        case .silence: return .silence
        case .value: break
        }
        guard let value = value(of: request.handle, .reading, &device) else { return .refuse(.unlikelyError) }
        return .answer(value)
    }

    mutating func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void> {
        guard let entry = layout.entries[request.handle] else { return .refuse(.unlikelyError) }
        guard let written = whole(request, &device) else { return .refuse(.invalidOffset) }
        guard entry.characteristic.lengths?.contains(written.count) ?? true else {
            return .refuse(.invalidAttributeValueLength)
        }
        let rule = entry.characteristic.onWrite.first { $0.applies(to: written) }
        let answer = run(rule?.actions ?? [.store], Event(handle: request.handle, written: written), &device)
        setTimer(&device)
        return answer
    }

    mutating func valueWritten(_ handle: Handle, _ device: inout DeviceContext) {
        stateChanged(handle, &device)
        setTimer(&device)
    }

    mutating func subscriptionChanged(
        _ client: GATTServer.ClientID,
        _ handle: Handle,
        _ configuration: ClientConfiguration,
        _ device: inout DeviceContext
    ) {
        let wereSubscribed = !(subscribers[handle] ?? []).isEmpty
        if configuration.isEmpty {
            subscribers[handle]?.remove(client)
        } else {
            subscribers[handle, default: []].insert(client)
        }
        let areSubscribed = !(subscribers[handle] ?? []).isEmpty
        if areSubscribed != wereSubscribed {
            updateStream(of: handle, &device)
            agenda.cancel(.subscription(handle))
            if areSubscribed { scheduleSubscription(to: handle, from: device.now) }
        }
        setTimer(&device)
    }

    mutating func timerFired(_ device: inout DeviceContext) {
        while let due = agenda.takeFirst(dueAt: device.now) {
            _ = run(due.actions, Event(handle: due.handle, written: due.written), &device)
        }
        for handle in streams.keys.sorted() { send(handle, &device) }
        setTimer(&device)
    }

    private func setTimer(_ device: inout DeviceContext) {
        let stream = streams.values.compactMap(\.next).min()
        device.timer = [stream, agenda.next].compactMap { $0 }.min()
    }

    // MARK: - Values

    /// The value of a characteristic for a client; `nil` if it cannot be made.
    private mutating func value(of handle: Handle, _ look: Look, _ device: inout DeviceContext) -> [UInt8]? {
        guard let entry = layout.entries[handle] else { return nil }
        if let idle = entry.characteristic.stream?.idleValue, !isMet(entry.characteristic.stream?.condition, device) {
            return idle
        }
        var state = values[entry.identity] ?? ValueState()
        if let replacement = state.replacement { return replacement }
        guard let definition = entry.characteristic.value else { return device.database[handle]?.value ?? [] }
        if definition.isConstant, let held = device.database[handle]?.value { return held }
        var maker = ValueMaker(
            now: device.now,
            advances: look == .sending || entry.characteristic.stream == nil,
            look: look,
            streaming: streams[handle].map { device.now - $0.started } ?? .zero,
            random: device.random,
            state: state,
            programs: programs
        )
        let octets = maker.octets(of: definition)
        state = maker.state
        values[entry.identity] = state
        device.random = maker.random
        programs = maker.changedPrograms
        return octets
    }

    /// The value that a write at an offset makes; `nil` if the offset is behind the end.
    private mutating func whole(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> [UInt8]? {
        guard request.offset > 0 else { return request.value }
        let old = value(of: request.handle, .reading, &device) ?? []
        guard request.offset <= old.count else { return nil }
        return old[..<request.offset] + request.value
    }

    private mutating func store(_ value: [UInt8], at handle: Handle, _ device: inout DeviceContext) {
        guard let entry = layout.entries[handle] else { return }
        values[entry.identity, default: ValueState()].replacement = value
        if device.database[handle]?.value != nil { device.setValue(value, of: handle) }
        stateChanged(handle, &device, stored: value)
    }

    /// The octets of an action's value.
    private mutating func octets(
        _ payload: DeviceAction.Payload,
        for handle: Handle,
        _ event: Event,
        _ device: inout DeviceContext
    ) -> [UInt8]? {
        switch payload {
        case .written: return event.written
        case .value(let value):
            var maker = ValueMaker(
                now: device.now,
                advances: true,
                look: .sending,
                streaming: .zero,
                random: device.random,
                state: ValueState(),
                programs: programs
            )
            defer {
                device.random = maker.random
                programs = maker.changedPrograms
            }
            return maker.octets(of: value)
        }
    }

    // MARK: - Streams

    /// The value of the state that a stream depends on.
    private func storedValue(of reference: CharacteristicReference, _ device: DeviceContext) -> [UInt8]? {
        guard let handle = layout.handle(of: reference), let entry = layout.entries[handle] else { return nil }
        if let replacement = values[entry.identity]?.replacement { return replacement }
        if let held = device.database[handle]?.value { return held }
        if case .octets(let octets)? = entry.characteristic.value { return octets }
        return nil
    }

    private func isMet(_ condition: DeviceStream.Condition?, _ device: DeviceContext) -> Bool {
        guard let condition else { return true }
        return storedValue(of: condition.characteristic, device) == condition.value
    }

    /// Starts or stops the stream of a characteristic, depending on its subscribers and its condition.
    private mutating func updateStream(of handle: Handle, _ device: inout DeviceContext) {
        guard let characteristic = layout.entries[handle]?.characteristic, let stream = characteristic.stream else {
            streams[handle] = nil
            return
        }
        let runs = !(subscribers[handle] ?? []).isEmpty && isMet(stream.condition, device)
        guard runs != (streams[handle] != nil) else { return }
        guard runs else {
            streams[handle] = nil
            return
        }
        streams[handle] = Stream(started: device.now)
        let first = stream.onlyChanges ? value(of: handle, .reading, &device) : nil
        let next = nextSending(of: handle, after: device.now, device)
        streams[handle]?.last = first
        streams[handle]?.next = next
    }

    /// The moment at which a running stream sends its next value.
    private func nextSending(of handle: Handle, after moment: Instant, _ device: DeviceContext) -> Instant? {
        guard let characteristic = layout.entries[handle]?.characteristic, let stream = characteristic.stream,
            let running = streams[handle]
        else { return nil }
        switch stream.period {
        case .fixed(let period): return moment + max(period, Self.shortestPeriod)
        case .value(let reference, let unit):
            let units = (storedValue(of: reference, device) ?? []).prefix(4).reversed().reduce(0) {
                $0 << 8 | Int64($1)
            }
            let period = Duration.nanoseconds(
                units.multipliedReportingOverflow(by: unit.clampedNanoseconds).overflow
                    ? .max : units * unit.clampedNanoseconds
            )
            return moment + max(period, Self.shortestPeriod)
        case nil:
            guard case .replay(let replay)? = characteristic.value else { return nil }
            return replay.untilNext(after: moment - running.started).map { moment + $0 }
        }
    }

    /// A period below this one counts as this one, so that a device never occupies the machine.
    private static let shortestPeriod = Duration.milliseconds(1)

    /// Sends the value of a stream if it is due.
    private mutating func send(_ handle: Handle, _ device: inout DeviceContext) {
        guard let due = streams[handle]?.next, due <= device.now else { return }
        let value = value(of: handle, .sending, &device)
        let isNews =
            layout.entries[handle]?.characteristic.stream?.onlyChanges != true || value != streams[handle]?.last
        if let value, isNews { device.notify(value, of: handle) }
        // A stream that could not be served for a long time does not make up for it.
        let isLate = device.now - due > .seconds(10)
        let next = nextSending(of: handle, after: isLate ? device.now : due, device)
        streams[handle]?.last = value
        streams[handle]?.next = next
    }

    /// Updates the streams whose period or condition is a value that has changed.
    private mutating func stateChanged(_ handle: Handle, _ device: inout DeviceContext, stored: [UInt8]? = nil) {
        for (other, entry) in layout.entries.sorted(by: { $0.key < $1.key }) {
            guard let stream = entry.characteristic.stream else { continue }
            if let condition = stream.condition, layout.handle(of: condition.characteristic) == handle {
                updateStream(of: other, &device)
            }
            if case .value(let reference, _) = stream.period, layout.handle(of: reference) == handle,
                streams[other] != nil
            {
                let next = nextSending(of: other, after: device.now, device)
                streams[other]?.next = next
            }
        }
    }

    // MARK: - Actions

    /// What caused an action.
    private struct Event {
        /// The characteristic that was written; `nil` on the timeline.
        let handle: Handle?
        let written: [UInt8]
    }

    /// Carries out actions, and returns the answer to the write that caused them.
    private mutating func run(
        _ actions: [DeviceAction],
        _ event: Event,
        _ device: inout DeviceContext
    ) -> DeviceAnswer<Void> {
        var delay: Duration?
        for action in actions {
            switch action {
            case .refuse(let code):
                guard let delay else { return .refuse(code) }
                device.refuse(device.question, code, after: delay)
                return .later
            case .silence: return .silence
            case .delay(let time): delay = (delay ?? .zero) + time
            case .run(let reference):
                let ordered = programs.run(reference, event.written, now: device.now)
                guard case .answer = run(ordered, event, &device) else {
                    return ordered.contains(.silence) ? .silence : .refuse(ordered.refusal ?? .unlikelyError)
                }
            case .after(let time, let later):
                agenda.add(
                    .init(
                        due: device.now + time,
                        origin: .action,
                        actions: [later],
                        handle: event.handle,
                        written: event.written
                    )
                )
            default: perform(action, event, &device)
            }
        }
        guard let delay else { return .accept }
        device.accept(device.question, after: delay)
        return .later
    }

    private mutating func perform(_ action: DeviceAction, _ event: Event, _ device: inout DeviceContext) {
        switch action {
        case .store:
            if let handle = event.handle { store(event.written, at: handle, &device) }
        case .send(let reference, let payload):
            guard let handle = layout.handle(of: reference), let value = octets(payload, for: handle, event, &device)
            else { return }
            device.notify(value, of: handle)
        case .set(let reference, let payload):
            guard let handle = layout.handle(of: reference), let value = octets(payload, for: handle, event, &device)
            else { return }
            store(value, at: handle, &device)
            device.notify(value, of: handle)
        case .append(let reference, let payload):
            guard let handle = layout.handle(of: reference), let value = octets(payload, for: handle, event, &device)
            else { return }
            let old = self.value(of: handle, .reading, &device) ?? []
            let new = Array((old + value).prefix(GATTLimits.maximumValueLength))
            store(new, at: handle, &device)
            device.notify(new, of: handle)
        case .disconnect: device.hangUp()
        case .leave(let time): device.leave(for: time)
        case .connectable(let isConnectable): device.setConnectable(isConnectable)
        case .restart:
            device.hangUp()
            values = [:]
            streams = [:]
            programs.restart()
            switchDatabase(to: nil, &device)
        case .database(let name): switchDatabase(to: name, &device)
        case .refuse, .silence, .delay, .run, .after: break
        }
    }

    var databaseNames: [String] { layouts.keys.compactMap { $0 }.sorted() }

    @discardableResult
    mutating func switchDatabase(to name: String?, _ device: inout DeviceContext) -> Bool {
        guard let new = layouts[name] else { return false }
        layout = new
        // The server reports the subscriptions that the change has ended; streams of other characteristics go on.
        for handle in streams.keys where layout.entries[handle]?.characteristic.stream == nil { streams[handle] = nil }
        device.replaceDatabase(with: new.database)
        for (handle, entry) in new.entries {
            guard let stored = values[entry.identity]?.replacement, new.database[handle]?.value != nil else { continue }
            device.setValue(stored, of: handle)
        }
        return true
    }

    // MARK: - Timeline

    private mutating func schedule(
        _ origin: TimelineEntry.Origin,
        from moment: Instant,
        of client: GATTServer.ClientID? = nil
    ) {
        for entry in definition.timeline where entry.origin == origin {
            let owner: Agenda.Origin = client.map { .connection($0) } ?? .start
            agenda.add(.init(due: moment + entry.at, origin: owner, actions: entry.actions, every: entry.every))
        }
    }

    private mutating func scheduleSubscription(to handle: Handle, from moment: Instant) {
        for entry in definition.timeline {
            guard case .subscription(let reference) = entry.origin, layout.handle(of: reference) == handle else {
                continue
            }
            agenda.add(
                .init(due: moment + entry.at, origin: .subscription(handle), actions: entry.actions, every: entry.every)
            )
        }
    }
}

extension WriteRule {
    func applies(to value: [UInt8]) -> Bool { conditions.allSatisfy { $0.isMet(by: value) } }
}

extension WriteCondition {
    func isMet(by value: [UInt8]) -> Bool {
        switch self {
        case .equals(let octets): return value == octets
        case .starts(let octets): return value.starts(with: octets)
        case .length(let range): return range.contains(value.count)
        case .number(let range, let format):
            guard case .number(let number)? = try? format.decode(value).content else { return false }
            return number.integer.map { range.contains($0) } ?? false
        case .bits(let mask, let wanted):
            return value.count == mask.count && zip(zip(value, mask), wanted).allSatisfy { $0.0 & $0.1 == $1 & $0.1 }
        case .not(let condition): return !condition.isMet(by: value)
        }
    }
}

extension [DeviceAction] {
    /// The error with which the actions refuse a write; `nil` if they do not.
    fileprivate var refusal: ATTErrorCode? {
        for case .refuse(let code) in self { return code }
        return nil
    }
}
