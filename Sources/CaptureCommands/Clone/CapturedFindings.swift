// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles
import Captures
import CommandLineInterface
import Toolkit

/// What a capture tells of one device, besides its attributes. The memory is bounded.
struct CapturedFindings {
    private enum Limit {
        /// The outcomes of one kind that are kept of an attribute.
        static let outcomes = 256
        /// The values that the device has sent, and the octets in all of them.
        static let samples = 20_000
        static let octets = 4 << 20
        /// The values that are taken for answers to one write.
        static let answers = 256
        /// The longest time that a device file, as all that people write, can state.
        static let time = DurationSyntax.longest
    }

    struct Outcome {
        let value: [UInt8]
        let outcome: CapturedOperation.Outcome
        let mayBeCut: Bool

        /// The error of the server; `nil` for another outcome.
        var refusal: ATTErrorCode? {
            if case .refused(let code) = outcome { code } else { nil }
        }
    }

    struct Attribute {
        let reference: AttributeReference
        var reads: [Outcome] = []
        var writes: [Outcome] = []

        /// The values that were refused whenever they were written, each with its error. It is the value that is wrong, and
        /// not the moment.
        var refusedValues: [(value: [UInt8], code: ATTErrorCode)] {
            var codes: [[UInt8]: Set<ATTErrorCode?>] = [:]
            for write in writes where !(write.refusal?.asksForSecurity ?? false) {
                codes[write.value, default: []].insert(write.refusal)
            }
            return codes.compactMap { value, codes in
                codes.count == 1 ? codes.first.flatMap { $0 }.map { (value, $0) } : nil
            }.sorted { $0.value.lexicographicallyPrecedes($1.value) }
        }
    }

    /// What was sent of one characteristic.
    private struct Recording {
        /// When the client subscribed; `nil` if that was before the capture.
        var start: Duration?
        var samples: [ValueReplay.Sample] = []
        /// When it ended; `nil` while it goes on.
        var end: Duration?
        /// Whether there was another subscription, which is left out.
        var isRepeated = false
        /// Whether each value came after a write to the same service, and so may be its answer.
        var isAnswer = true
    }

    private struct Cause: Hashable {
        let handle: Handle
        let value: [UInt8]
    }

    /// A value that the device has sent after a write.
    struct Answer {
        let handle: Handle
        var delay: Duration
        let value: [UInt8]
        /// The number of its packet.
        let packet: Int
    }

    /// The last write to a service.
    private struct LastWrite {
        let cause: Cause
        let elapsed: Duration
        var isAnswered = false
    }

    private let device: DeviceAddress
    private(set) var advertising = AdvertisingRecorder()
    private(set) var attributes: [Handle: Attribute] = [:]
    private var recordings: [Handle: Recording] = [:]
    private(set) var subscriptions: [Handle: Attribute] = [:]
    private var octets = 0
    private(set) var recordedCount = 0
    /// The MTU that the device has offered.
    private(set) var mtu: UInt16?
    /// What it has answered to a pairing request.
    private var features: PairingFeatures?
    /// The connection interval at the beginning of a link.
    private(set) var interval: Duration?
    private var last = Duration.zero
    private var isFull = false
    /// The write that updates may answer: the last one to each service.
    private var lastWrites: [BluetoothUUID: LastWrite] = [:]
    /// What was sent after each write of a value to a characteristic.
    private var answers: [Cause: [[Answer]]] = [:]
    /// The values of each service that no write has caused so far.
    private var early: [BluetoothUUID: [CapturedOperation]] = [:]
    private var wasConnected = false
    /// Whether a request was refused for want of security.
    private var wasProtected = false
    /// The operations on handles whose types the capture does not tell.
    private var unknown: Set<Handle> = []

    init(of device: DeviceAddress) { self.device = device }

    // MARK: - Taking

    mutating func add(_ event: CapturedEvent) {
        last = event.elapsed
        if case .hci(.event(let packet)) = event.content {
            for report in packet.advertisingReports where report.address.address == device.address {
                advertising.add(ScanReport(report, Instant(nanoseconds: event.elapsed.clampedNanoseconds), event.time))
            }
        }
        if event.endsAllLinks { endRecordings(event.elapsed) }
        guard event.device?.address == device.address else { return }
        if event.connection != nil { wasConnected = true }
        switch event.content {
        case .att(_, pdu: .server(.response(.exchangeMTU(let response)))?) where event.direction == .received:
            // Some devices offer more than the longest value needs, and than a device file has.
            mtu = min(max(ATTBearer.minimumMTU, response.serverRxMTU), ATTConnection.offeredMTU)
        case .hci(.event(let packet)) where event.beginsLink: noteInterval(packet)
        case .frame(let frame) where frame.channel == .securityManager && event.direction == .received:
            guard case .pairingResponse(let response)? = try? SecurityManagerPDU(decoding: frame.payload) else {
                return
            }
            features = response
        case .hci where event.endsLink: endRecordings(event.elapsed)
        default: break
        }
    }

    private mutating func endRecordings(_ time: Duration) {
        for handle in recordings.keys where recordings[handle]?.end == nil { recordings[handle]?.end = time }
    }

    private mutating func noteInterval(_ packet: HCIEventPacket) {
        let complete: LEConnectionCompleteEvent? =
            switch try? HCIEvent(packet) {
            case .known(let event as LEConnectionCompleteEvent): event
            case .known(let event as LEEnhancedConnectionCompleteEvent): event.connection
            default: nil
            }
        // A damaged capture may have any.
        guard let complete, LinkRequest.intervals.contains(complete.interval) else { return }
        interval = interval ?? complete.interval.duration
    }

    mutating func add(_ operation: CapturedOperation) {
        guard !operation.isOfHost, !operation.attribute.isOfProtocol,
            operation.attribute.device.address.address == device.address
        else { return }
        let reference = operation.attribute
        let handle = reference.handle
        if reference.uuid == nil, reference.decode == nil { unknown.insert(handle) }
        if operation.outcome.asksForSecurity { wasProtected = true }
        let outcome = Outcome(value: operation.value, outcome: operation.outcome, mayBeCut: operation.mayBeCut)
        switch operation.kind {
        case .read:
            guard operation.offset == 0 else { return }
            keep(outcome, of: reference, \.reads)
        case .readMultiple: break
        case .write where operation.isSubscription: subscribe(operation, outcome)
        case .write:
            keep(outcome, of: reference, \.writes)
            guard operation.outcome == .success, let service = reference.service, reference.descriptor == nil else {
                break
            }
            let overtaking = takeAnswers(in: service, duringPackets: operation.packets)
            let cause = Cause(handle: handle, value: operation.value)
            lastWrites[service] = LastWrite(cause: cause, elapsed: operation.elapsed)
            judge(early.removeValue(forKey: service) ?? [], by: operation, in: service)
            for answer in overtaking { _ = add(answer, in: service) }
        case .notification, .indication: record(operation)
        }
    }

    private mutating func keep(
        _ outcome: Outcome,
        of reference: AttributeReference,
        _ list: WritableKeyPath<Attribute, [Outcome]>
    ) {
        var attribute = attributes[reference.handle] ?? Attribute(reference: reference)
        guard attribute[keyPath: list].count < Limit.outcomes, octets + outcome.value.count <= Limit.octets else {
            isFull = true
            return
        }
        octets += outcome.value.count
        attribute[keyPath: list].append(outcome)
        attributes[reference.handle] = attribute
    }

    private mutating func subscribe(_ operation: CapturedOperation, _ outcome: Outcome) {
        let handle = operation.valueHandle
        var attribute = subscriptions[handle] ?? Attribute(reference: operation.attribute)
        if attribute.writes.count < Limit.outcomes { attribute.writes.append(outcome) }
        subscriptions[handle] = attribute
        guard operation.outcome == .success else { return }
        if operation.value.contains(where: { $0 != 0 }) {
            if recordings[handle] == nil {
                recordings[handle] = Recording(start: operation.elapsed)
            } else if recordings[handle]?.end != nil {
                recordings[handle]?.isRepeated = true
            }
        } else if recordings[handle]?.end == nil {
            recordings[handle]?.end = operation.elapsed
        }
    }

    private mutating func record(_ operation: CapturedOperation) {
        let handle = operation.attribute.handle
        var recording = recordings[handle] ?? Recording()
        guard recording.end == nil else { return }
        guard recordedCount < Limit.samples, octets + operation.value.count <= Limit.octets else {
            isFull = true
            return
        }
        let start = recording.start ?? operation.elapsed
        recording.start = start
        if recording.isAnswer { recording.isAnswer = note(operation, after: start) || wait(operation) }
        recordedCount += 1
        octets += operation.value.count
        let value = Array(operation.value.prefix(GATTLimits.maximumValueLength))
        // A device may send the first value together with its answer to the subscription. The clock of a capture may be
        // set meanwhile: also then no value is before the one before it.
        let earliest = recording.samples.last?.at ?? .milliseconds(1)
        let at = min(max(operation.elapsed - start, earliest), Limit.time - .milliseconds(1))
        recording.samples.append(ValueReplay.Sample(at: at, value))
        recordings[handle] = recording
    }

    /// Notes a value as the answer to the last write to its service. `false` if there is none since the subscription.
    private mutating func note(_ operation: CapturedOperation, after start: Duration) -> Bool {
        guard let service = operation.attribute.service, let write = lastWrites[service], write.elapsed >= start else {
            return false
        }
        return add(Answer(operation, delay: min(operation.elapsed - write.elapsed, Limit.time)), in: service)
    }

    /// Adds an answer to the last write to a service. `false` if one write has too many. Those of further writes are left
    /// out when there are enough.
    private mutating func add(_ answer: Answer, in service: BluetoothUUID) -> Bool {
        guard let write = lastWrites[service] else { return false }
        var lists = answers[write.cause] ?? []
        guard lists.reduce(0, { $0 + $1.count }) < Limit.answers else { return lists.count > 1 }
        if !write.isAnswered { lists.append([]) }
        lists[lists.count - 1].append(answer)
        answers[write.cause] = lists
        lastWrites[service]?.isAnswered = true
        return true
    }

    /// Takes back the answers of the last write to a service that came during the packets of the next one, because they are
    /// the answers of that one.
    private mutating func takeAnswers(in service: BluetoothUUID, duringPackets packets: ClosedRange<Int>) -> [Answer] {
        guard let write = lastWrites[service], write.isAnswered, var lists = answers[write.cause],
            let list = lists.popLast(), let index = list.firstIndex(where: { packets.contains($0.packet) })
        else { return [] }
        if index > 0 { lists.append(Array(list[..<index])) }
        answers[write.cause] = lists
        return list[index...].map { answer in
            var answer = answer
            answer.delay = .zero
            return answer
        }
    }

    /// Keeps a value that no write has caused so far: it may have come before the answer to its write. `false` if there is
    /// no room.
    private mutating func wait(_ operation: CapturedOperation) -> Bool {
        guard let service = operation.attribute.service, early[service, default: []].count < Limit.answers else {
            return false
        }
        early[service, default: []].append(operation)
        return true
    }

    /// Takes the values that came between a write and its answer for what the write has caused. The others came by
    /// themselves.
    private mutating func judge(
        _ updates: [CapturedOperation],
        by write: CapturedOperation,
        in service: BluetoothUUID
    ) {
        for update in updates {
            let isCaused = write.packets.contains(update.packets.lowerBound)
            if isCaused, add(Answer(update, delay: .zero), in: service) { continue }
            recordings[update.attribute.handle]?.isAnswer = false
        }
    }

    /// The characteristics whose values were all caused by writes.
    private var answering: Set<Handle> {
        let waiting = Set(early.values.flatMap { $0.map(\.attribute.handle) })
        return Set(recordings.filter { $0.value.isAnswer }.keys).subtracting(waiting)
    }

    // MARK: - The clone

    var valueCount: Int { attributes.values.reduce(0) { $0 + $1.reads.count { $0.outcome == .success } } }

    /// Its advertising. A device that was connected to accepts connections, also if the capture does not have the
    /// advertisement that says so.
    ///
    /// - Parameter name: The name of the device, if it is known.
    func sets(name: String?) -> [DeviceAdvertising] {
        guard isAssumedToAdvertise else { return advertising.sets }
        // A longer name has no room in a scan response, and can be read over the link.
        let shown = name.flatMap { $0.isEmpty || $0.utf8.count > 29 ? nil : $0 }
        return advertising.sets + [DeviceAdvertising(name: shown, every: .seconds(1))]
    }

    private var isAssumedToAdvertise: Bool { wasConnected && !advertising.sets.contains(where: \.isConnectable) }

    /// How it pairs; `nil` if the capture has no pairing. The digits are in no capture: six zeros take their place.
    var pairing: DevicePairing? {
        guard let features else { return wasProtected ? DevicePairing() : nil }
        var pairing = DevicePairing()
        pairing.capability = features.ioCapability
        pairing.needsAuthentication = features.requirements.contains(.manInTheMiddleProtection)
        pairing.secureConnections = features.requirements.contains(.secureConnections) ? .on : .off
        pairing.maximumKeySize = min(max(features.maximumKeySize, 7), 16)
        pairing.passkey = pairing.needsAuthentication ? 0 : nil
        pairing.bonding = features.requirements.contains(.bonding) ? .kept : .none
        return pairing
    }

    /// The octets of Appearance, little-endian.
    var appearance: UInt16? {
        let attribute = attributes.values.first {
            $0.reference.characteristic == .appearance && $0.reference.descriptor == nil
        }
        guard let value = attribute?.reads.first(where: { $0.outcome == .success })?.value, value.count == 2 else {
            return nil
        }
        return UInt16(value[0]) | UInt16(value[1]) << 8
    }

    func properties(ofValueAt handle: Handle) -> CharacteristicProperties {
        var properties: CharacteristicProperties = []
        if attributes[handle]?.reads.isEmpty == false { properties.insert(.read) }
        if attributes[handle]?.writes.isEmpty == false { properties.insert(.write) }
        if recordings[handle] != nil || subscriptions[handle] != nil { properties.insert(.notify) }
        return properties
    }

    /// The findings about the attributes of a tree.
    ///
    /// - Parameter name: The name of the device, if it is known, for a Device Name that was not read.
    func findings(for tree: AttributeTree, name: String?) -> ClonedDatabase.Findings {
        var findings = ClonedDatabase.Findings()
        for own in tree.services.flatMap(\.characteristics).map(\.characteristic) where own.uuid == .deviceName {
            let handle = own.valueHandle
            if let name { findings.reads[handle] = .value(AttributeValue(Array(name.utf8), at: handle, isCut: false)) }
        }
        for (handle, attribute) in attributes {
            let values = attribute.reads.filter { $0.outcome == .success }
            if let first = values.first(where: { !$0.mayBeCut }) ?? values.first {
                findings.reads[handle] = .value(AttributeValue(first.value, at: handle, isCut: first.mayBeCut))
                if attribute.writes.isEmpty { findings.values[handle] = Self.sequence(values.map(\.value)) }
            } else if let last = attribute.reads.last {
                switch last.outcome {
                case .refused(let code): findings.reads[handle] = .refused(code)
                case .unanswered: findings.reads[handle] = .silent
                case .success, .discarded: break
                }
            }
            for (value, code) in attribute.refusedValues where value.count <= GATTLimits.maximumValueLength {
                findings.writeRules[handle, default: []].append(WriteRule([.equals(value)], [.refuse(code)]))
            }
            let refusals = (attribute.reads + attribute.writes).compactMap(\.refusal)
            if let code = refusals.first(where: \.asksForSecurity) { findings.protections[handle] = code }
        }
        for (handle, attribute) in subscriptions {
            let refusals = attribute.writes.compactMap(\.refusal)
            if let code = refusals.first(where: \.asksForSecurity) {
                findings.refusals[handle] = code
            } else if let code = refusals.first, refusals.count == attribute.writes.count {
                findings.refusals[handle] = code
            }
        }
        let answering = answering
        // By value, too, because the order of a dictionary differs from run to run.
        // A client may write more than a value can have, and a rule cannot.
        let causes = answers.keys.filter { $0.value.count <= GATTLimits.maximumValueLength }.sorted { left, right in
            left.handle == right.handle
                ? left.value.lexicographicallyPrecedes(right.value) : left.handle < right.handle
        }
        for cause in causes {
            let actions = actions(of: answers[cause] ?? [], of: answering, in: tree)
            guard !actions.isEmpty else { continue }
            findings.writeRules[cause.handle, default: []].append(WriteRule([.equals(cause.value)], [.store] + actions))
        }
        for (handle, recording) in recordings {
            guard !answering.contains(handle), let start = recording.start, let final = recording.samples.last else {
                continue
            }
            // A file has milliseconds, and the values begin again after the last one; after a short subscription not at
            // once, because nothing tells how the device goes on.
            let length = max((recording.end ?? last) - start, final.at + .milliseconds(1), .seconds(1))
            findings.recordings[handle] = ValueReplay(recording.samples, period: min(length, Limit.time))
        }
        return findings
    }

    private func wasNotRead(_ characteristic: GATTCharacteristic) -> Bool {
        attributes[characteristic.valueHandle]?.reads.isEmpty ?? true
    }

    /// `Appearance (0x0005)`, or the handle of what has no assigned name.
    private static func title(_ characteristic: GATTCharacteristic) -> String {
        let name = AssignedNumbers.name(ofCharacteristic: characteristic.uuid)
        return name.map { "\($0) (\(characteristic.valueHandle))" } ?? "\(characteristic.valueHandle)"
    }

    /// What the capture does not tell, in words.
    ///
    /// - Parameter name: The name of the device, if it is known.
    func remarks(on tree: AttributeTree, name: String?) -> [String] {
        var remarks: [String] = []
        let way = "; a device file or another capture (of blectl: with --no-cache) may: --gatt FILE"
        if tree.services.isEmpty {
            let wasUsed = !unknown.isEmpty || !attributes.isEmpty || !subscriptions.isEmpty
            remarks.append(
                wasUsed
                    ? "the capture has no discovery of its services: its client knew them from before"
                    : "nothing in the capture uses its services"
            )
        }
        let own = tree.services.flatMap(\.characteristics)
        // What was completed is in the clone, although no discovery tells it.
        let present = Set(own.flatMap { [$0.characteristic.valueHandle] + $0.descriptors.map(\.handle) })
        let left = unknown.subtracting(present).sorted()
        if !left.isEmpty {
            let list = left.prefix(8).map { "\($0)" }.joined(separator: ", ")
            remarks.append("what \(list)\(left.count > 8 ? " …" : "") is, the capture does not tell; left out" + way)
        }
        let unread = own.filter { $0.characteristic.properties.contains(.read) && wasNotRead($0.characteristic) }
        if unread.contains(where: { $0.characteristic.uuid == .deviceName }), name != nil {
            remarks.append("its Device Name was not read; the clone has the name that it advertises")
        }
        // A server makes the values of these by itself.
        let made: Set<BluetoothUUID> = [.databaseHash, .clientSupportedFeatures]
        let empty = unread.filter { !made.contains($0.characteristic.uuid) }
            .filter { $0.characteristic.uuid != .deviceName || name == nil }
        if !empty.isEmpty {
            let list = empty.prefix(8).map { Self.title($0.characteristic) }.joined(separator: ", ")
            let more = empty.count > 8 ? " and \(empty.count - 8) more" : ""
            remarks.append("never read, and empty in the clone: \(list)\(more)")
        }
        for (handle, attribute) in attributes.sorted(by: { $0.key < $1.key }) {
            let values = Set(attribute.reads.filter { $0.outcome == .success }.map(\.value))
            guard values.count > 1, Set(values.map(\.count)).count > 1 || !attribute.writes.isEmpty else { continue }
            remarks.append("the value of \(handle) changes; the clone has the first one")
        }
        for (handle, recording) in recordings.sorted(by: { $0.key < $1.key }) where recording.isRepeated {
            remarks.append("\(handle) was subscribed to several times; the clone sends what came after the first time")
        }
        if pairing?.passkey != nil {
            remarks.append("the digits of its pairing are in no capture; the clone has 000000")
        }
        if isAssumedToAdvertise {
            remarks.append(
                "no advertisement that accepts connections is in the capture; the clone sends one all the same"
            )
        } else if advertising.reportCount == 0 {
            remarks.append("none of its advertisements is in the capture")
        }
        if mtu == nil { remarks.append("no exchange of the MTU is in the capture; the clone takes up to 247 octets") }
        if isFull { remarks.append("the capture has more values than a clone keeps") }
        return remarks
    }
}
