// SPDX-License-Identifier: MIT

import Bluetooth

/// The values of characteristics, and the streams that send them.
extension RuleFirmware {
    // MARK: - Values

    /// The value that a client reads; `nil` if it cannot be made.
    mutating func readValue(of entry: DeviceLayout.Entry, _ device: inout DeviceContext) -> [UInt8]? {
        if let stream = entry.stream {
            if let idle = stream.idleValue, !areMet(stream.conditions, device) { return idle }
            if case .replay = stream.period {
                // A replayed stream is read as its last value sent; before the first one, as the value that was read
                // from the original device.
                if let known = streams[entry.handle]?.last ?? stream.idleValue { return known }
            }
        }
        return value(of: entry, isSent: false, &device)
    }

    /// The present value: the stored one, or the one that its generators make.
    ///
    /// - Parameters:
    ///   - isSent: Whether it is sent by a stream; otherwise it is read.
    ///   - streaming: The time since the start of the stream.
    private mutating func value(
        of entry: DeviceLayout.Entry,
        isSent: Bool,
        streaming: Duration = .zero,
        _ device: inout DeviceContext
    ) -> [UInt8]? {
        if let held = heldValue(of: entry, device) { return held }
        // A read advances a generator only if nothing else does.
        let advances = isSent || entry.stream == nil
        let moment = moment(of: entry.followers, streaming: streaming, isSent: isSent, advances: advances, device)
        return values.value(of: entry, at: moment, &device.random)
    }

    /// The value of a characteristic that nothing generates; `nil` for others.
    ///
    /// The stored value takes precedence, because the server takes it over only after the present event.
    func heldValue(of entry: DeviceLayout.Entry, _ device: DeviceContext) -> [UInt8]? {
        values[stored: entry.identity] ?? device.database[entry.handle]?.value
            ?? entry.characteristic.value?.plainOctets
    }

    /// The whole value that a write makes, by the rules of the server for the values that it holds itself.
    func whole(_ request: GATTServer.WriteContext, _ device: DeviceContext) -> Result<[UInt8], ATTRefusal> {
        guard let entry = layout[request.handle] else { return .failure(ATTRefusal(.unlikelyError)) }
        let old = heldValue(of: entry, device) ?? []
        return request.spliced(into: old, lengths: entry.characteristic.writableLengths)
    }

    mutating func store(_ value: [UInt8], in entry: DeviceLayout.Entry, _ device: inout DeviceContext) {
        values[stored: entry.identity] = value
        // The server asks the firmware for the other values at each read.
        if device.database[entry.handle]?.value != nil { device.setValue(value, of: entry.handle) }
        stateChanged(entry, &device)
    }

    // MARK: - Streams

    /// Whether all values have those that the conditions name. A characteristic that this database lacks has
    /// none.
    private func areMet(_ conditions: [StreamPlan.Condition], _ device: DeviceContext) -> Bool {
        conditions.allSatisfy { condition in
            condition.handle.flatMap { layout[$0] }.flatMap { heldValue(of: $0, device) } == condition.value
        }
    }

    /// Updates the streams that depend on a value that has changed.
    mutating func stateChanged(_ entry: DeviceLayout.Entry, _ device: inout DeviceContext) {
        follow(at: entry.followerHandles, &device)
        for handle in entry.dependents {
            updateStream(at: handle, &device)
            guard let stream = layout[handle]?.stream, case .value = stream.period, streams[handle] != nil else {
                continue
            }
            // A new period counts from the change. The old one may have been an hour.
            let next = nextValue(of: stream, at: handle, after: device.now, device)
            streams[handle]?.next = next
        }
    }

    /// Starts or stops the stream of a characteristic, depending on its subscribers and its conditions.
    mutating func updateStream(at handle: Handle, _ device: inout DeviceContext) {
        guard let entry = layout[handle], let stream = entry.stream, streams.isSubscribed(handle),
            areMet(stream.conditions, device)
        else {
            streams[handle] = nil
            return
        }
        // A further subscriber does not change the rhythm of a stream that runs.
        guard streams[handle] == nil else { return }
        // Entered before its next moment is computed, because a replay looks its start up in the table.
        streams[handle] = RunningStream(started: device.now)
        let next = nextValue(of: stream, at: handle, after: device.now, device)
        streams[handle]?.next = next
        guard stream.sendsOnlyChanges else { return }
        // The value at the start counts as the last one, so that only a later change is sent.
        let present = value(of: entry, isSent: false, &device)
        streams[handle]?.last = present
    }

    /// The moment of a running stream's next value; `nil` if none follows.
    private func nextValue(
        of stream: StreamPlan,
        at handle: Handle,
        after moment: Instant,
        _ device: DeviceContext
    ) -> Instant? {
        switch stream.period {
        case .fixed(let period): return moment + period
        case .value(let source, let unit):
            guard let entry = source.flatMap({ layout[$0] }), let units = heldValue(of: entry, device) else {
                return nil
            }
            return moment + StreamPlan.period(of: units, unit: unit)
        case .replay(let replay):
            guard let running = streams[handle], let time = replay.time(ofSample: running.samples) else { return nil }
            return running.started + time
        }
    }

    /// A stream that was not served for this time leaves out the values that it has missed, so that a stopped program
    /// does not send them all at once.
    private static let longestDelay = Duration.seconds(1)

    mutating func send(_ handle: Handle, _ device: inout DeviceContext) {
        guard let entry = layout[handle], let stream = entry.stream, let running = streams[handle],
            let due = running.next
        else { return }
        let isLate = device.now - due > Self.longestDelay
        let new: [UInt8]?
        if case .replay(let replay) = stream.period {
            // By number and not by time, so that two values of the same moment are both sent. Only a late stream goes
            // to the value of the present time.
            let present = isLate ? replay.sample(at: device.now - running.started) : 0
            let number = max(running.samples, present)
            new = replay.samples[number % replay.samples.count].value
            streams[handle]?.samples = number + 1
        } else {
            // A recording is sampled at the moment that was due, so that a late call does not skip a value.
            new = value(of: entry, isSent: true, streaming: due - running.started, &device)
        }
        // A value that cannot be made is left out, and the stream goes on.
        if let new, !stream.sendsOnlyChanges || new != running.last { device.notify(new, of: handle) }
        // A late stream restarts from now; one that is in time keeps its rhythm, so that delays do not add up.
        let next = nextValue(of: stream, at: handle, after: isLate ? device.now : due, device)
        streams[handle]?.last = new
        streams[handle]?.next = next
    }
}

extension DeviceValue {
    /// Octets that need not be made; `nil` for other values.
    fileprivate var plainOctets: [UInt8]? {
        guard case .octets(let octets) = self else { return nil }
        return octets
    }
}
