// SPDX-License-Identifier: MIT

import Bluetooth

/// The interpreter of a definition's behaviour: values that change, streams, rules of writes, and the timeline.
struct RuleFirmware: ValueKeepingFirmware {
    /// The databases by name; the first one has none.
    private let layouts: [String?: DeviceLayout]
    /// The scheduled actions of the device after its start and after each connection.
    let timeline: [TimelineEntry]
    /// The present database.
    var layout: DeviceLayout
    var values: DeviceValues
    var streams = StreamTable()
    var agenda = RuleTimeline()
    /// The start of the device, or its last restart.
    var epoch = Instant.zero
    /// Whether no action has let the device refuse connections.
    var acceptsConnections = true

    /// The interpreter of a definition whose references have been checked.
    init(
        _ definition: DeviceDefinition,
        _ layouts: [String?: DeviceLayout],
        _ first: DeviceLayout,
        _ programs: DevicePrograms
    ) {
        self.layouts = layouts
        timeline = definition.timeline
        layout = first
        values = DeviceValues(programs)
    }

    // MARK: - Events

    mutating func started(_ device: inout DeviceContext) {
        epoch = device.now
        follow(at: layout.followers, &device)
        schedule(.start, as: .start, from: epoch)
        setTimer(&device)
    }

    /// Begins the timeline of a connection.
    mutating func connected(_ client: GATTServer.ClientID, _ device: inout DeviceContext) {
        schedule(.connection, as: .connection(client), from: device.now)
        setTimer(&device)
    }

    /// Ends the timeline of a connection. Those of the start and of subscriptions go on.
    mutating func disconnected(_ client: GATTServer.ClientID, _ device: inout DeviceContext) {
        agenda.cancel(.connection(client))
        setTimer(&device)
    }

    /// Every characteristic of the definition has its behaviour here.
    func answers(for handle: Handle) -> Bool { layout[handle] != nil }

    /// Answers a read with the present value, or as `on_read` says.
    mutating func read(_ request: GATTServer.ReadContext, _ device: inout DeviceContext) -> DeviceAnswer<[UInt8]> {
        guard let entry = layout[request.handle] else { return .refuse(.unlikelyError) }
        switch entry.characteristic.onRead {
        case .refuse(let code): return .refuse(code)
        case .silence: return .silence
        case .value: break
        }
        guard let value = readValue(of: entry, &device) else { return .refuse(.unlikelyError) }
        return .answer(value)
    }

    /// Checks a write, and carries out the first rule that applies. Without one the value is stored.
    mutating func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void> {
        guard let entry = layout[request.handle] else { return .refuse(.unlikelyError) }
        let written: [UInt8]
        switch whole(request, device) {
        case .success(let value): written = value
        case .failure(let refusal): return .refuse(refusal.code)
        }
        // The whole value counts, because a part at an offset may make it too long.
        guard entry.characteristic.writableLengths.contains(written.count) else {
            return .refuse(.invalidAttributeValueLength)
        }
        let rule = entry.characteristic.onWrite.first { $0.applies(to: written) }
        let answer = run(rule?.actions ?? [.store], because: Cause(target: entry.identity, written: written), &device)
        setTimer(&device)
        return answer
    }

    /// Takes over a value that the server has stored, because conditions of streams may depend on it.
    mutating func valueWritten(_ handle: Handle, _ device: inout DeviceContext) {
        guard let entry = layout[handle] else { return }
        values[stored: entry.identity] = device.database[handle]?.value
        stateChanged(entry, &device)
        setTimer(&device)
    }

    /// Starts or ends the stream of a characteristic. Only the first subscription and the end of the last one count,
    /// because a stream is the same for all clients.
    mutating func subscriptionChanged(
        _ client: GATTServer.ClientID,
        _ handle: Handle,
        _ configuration: ClientConfiguration,
        _ device: inout DeviceContext
    ) {
        if streams.setSubscription(of: client, to: handle, !configuration.isEmpty) {
            updateStream(at: handle, &device)
            agenda.cancel(.subscription(handle))
            if streams.isSubscribed(handle) {
                agenda.add(layout[handle]?.timeline ?? [], as: .subscription(handle), from: device.now)
            }
        }
        setTimer(&device)
    }

    /// Carries out the due entries, in the order of their times.
    mutating func timerFired(_ device: inout DeviceContext) {
        while let due = agenda.takeFirst(dueAt: device.now) {
            // Streams that were due before this entry, or at the same moment, send first, so that values leave in the
            // order of their times.
            for handle in streams.due(at: due.due) { send(handle, &device) }
            _ = run(due.actions, because: due.cause, &device)
        }
        for handle in streams.due(at: device.now) { send(handle, &device) }
        setTimer(&device)
    }

    /// Asks to be called at the next moment of a stream or of the agenda. The radio's part is called even
    /// without a client.
    private func setTimer(_ device: inout DeviceContext) {
        device.timer = [streams.next, agenda.next].compactMap { $0 }.min()
        device.radioTimer = agenda.nextForRadio
    }

    private mutating func schedule(_ origin: TimelineEntry.Origin, as owner: RuleTimeline.Origin, from moment: Instant)
    {
        agenda.add(timeline.filter { $0.origin == origin }, as: owner, from: moment)
    }

    // MARK: - Databases

    /// The names of the databases besides that of the start.
    var databaseNames: [String] { layouts.keys.compactMap { $0 }.sorted() }

    /// Puts another database in place. Stored values and streams stay with the characteristics that both databases
    /// have. Returns `false` if there is none of that name.
    @discardableResult
    mutating func switchDatabase(to name: String?, _ device: inout DeviceContext) -> Bool {
        guard let new = layouts[name] else { return false }
        let old = layout
        layout = new
        device.replaceDatabase(with: new.database)
        // The layout has the values of the start. The server needs those that were stored since.
        for attribute in new.database.attributes where attribute.value != nil {
            guard let identity = new[attribute.handle]?.identity, let stored = values[stored: identity] else {
                continue
            }
            device.setValue(stored, of: attribute.handle)
        }
        follow(at: new.followers, &device)
        // The server reports afterwards which subscriptions the change has ended.
        for handle in streams.subscribed where new[handle]?.identity != old[handle]?.identity {
            streams[handle] = nil
            updateStream(at: handle, &device)
        }
        return true
    }

    /// Restarts the device, with its first database and the values of its start.
    mutating func restart(_ device: inout DeviceContext) {
        // The links end before the database changes, so that no client gets Service Changed on its last link.
        device.hangUp()
        if !acceptsConnections { device.setConnectable(true) }
        acceptsConnections = true
        values.restart()
        streams.stop()
        agenda = RuleTimeline()
        // Time goes on before the timeline begins again, so that a restart at its beginning does not recur at once.
        epoch = device.now + StreamPlan.shortestPeriod
        schedule(.start, as: .start, from: epoch)
        switchDatabase(to: nil, &device)
    }
}
