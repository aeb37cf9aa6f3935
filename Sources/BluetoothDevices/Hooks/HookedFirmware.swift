// SPDX-License-Identifier: MIT

import Bluetooth

/// Firmware that asks a program beside the device, or closures, before the device's own firmware acts.
///
/// A question to a program leaves the machine as an event, and the answer comes later, so that the machine stays pure and
/// other clients do not wait. A closure answers at once.
struct HookedFirmware: DeviceFirmware {
    private struct Reading: Hashable {
        let client: GATTServer.ClientID
        let handle: Handle
    }

    /// Which requests are asked about, by characteristic.
    private let hooks: DeviceHooks
    /// The closures that are asked, by characteristic.
    private let code: DeviceCode
    private var inner: any DeviceFirmware
    /// The same hooks by the handles of the present database.
    private var operations: [Handle: DeviceHooks.Operations]
    /// The same closures by the handles of the present database.
    private var closures: [Handle: CharacteristicCode]
    /// The values that the database would hold without hooks, with the lengths that they can have.
    private var held: [Handle: (value: [UInt8], lengths: ClosedRange<Int>)]
    private var questions: [GATTServer.Token: Question] = [:]
    /// The value that a client is reading in parts: all parts have to be of one value.
    private var readings: [Reading: [UInt8]] = [:]

    private enum Question {
        case read(Reading)
        /// Whether a write is accepted.
        case write(GATTServer.WriteContext)

        var client: GATTServer.ClientID {
            switch self {
            case .read(let reading): reading.client
            case .write(let request): request.client
            }
        }

        var handle: Handle {
            switch self {
            case .read(let reading): reading.handle
            case .write(let request): request.handle
            }
        }
    }

    /// Puts hooks around firmware, for a database in its first state.
    init(_ hooks: DeviceHooks, _ code: DeviceCode, around inner: any DeviceFirmware, _ database: GATTDatabase) {
        self.hooks = hooks
        self.code = code
        self.inner = inner
        closures = code.handles(in: database)
        operations = hooks.handles(in: database)
        held = Self.held(in: database, operations)
    }

    /// The values at hooked handles that the database holds itself. Those of the firmware are asked of it.
    private static func held(
        in database: GATTDatabase,
        _ operations: [Handle: DeviceHooks.Operations]
    ) -> [Handle: (value: [UInt8], lengths: ClosedRange<Int>)] {
        operations.keys.reduce(into: [:]) { held, handle in
            switch database[handle]?.storage {
            case .fixed(let value): held[handle] = (value, 0...GATTLimits.maximumValueLength)
            case .stored(let value, let lengths): held[handle] = (value, lengths)
            default: break
            }
        }
    }

    // MARK: - Requests

    /// Asks about a read, unless it has no hook. The parts of a long read are those of the value that was
    /// answered first.
    mutating func read(_ request: GATTServer.ReadContext, _ device: inout DeviceContext) -> DeviceAnswer<[UInt8]> {
        if let read = closures[request.handle]?.read {
            let reading = Reading(client: request.client, handle: request.handle)
            if request.offset > 0, let value = readings[reading] { return .answer(value) }
            switch run(&device, read) {
            case .success(let value):
                readings[reading] = value
                return .answer(value)
            case .failure(let refusal): return .refuse(refusal.code)
            }
        }
        guard operations[request.handle]?.contains(.read) == true, let question = device.question else {
            return ownValue(request, &device)
        }
        let reading = Reading(client: request.client, handle: request.handle)
        if request.offset > 0, let value = readings[reading] { return .answer(value) }
        ask(question, .read(reading), request.type, written: nil, &device)
        return .later
    }

    /// Asks about a write, with the whole value that it would make.
    mutating func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void> {
        if let write = closures[request.handle]?.write {
            let decision = whole(request, device).flatMap { value in run(&device) { try write(value, &$0) } }
            if case .failure(let refusal) = decision { return .refuse(refusal.code) }
            defer { follow(&device) }
            return ownWrite(request, &device)
        }
        guard operations[request.handle]?.contains(.write) == true, let question = device.question else {
            defer { follow(&device) }
            return ownWrite(request, &device)
        }
        switch whole(request, device) {
        case .success(let written):
            ask(question, .write(request), request.type, written: written, &device)
            return .later
        case .failure(let refusal): return .refuse(refusal.code)
        }
    }

    /// The whole value that a write would make, about which the program decides.
    private func whole(
        _ request: GATTServer.WriteContext,
        _ device: DeviceContext
    ) -> Result<[UInt8], ATTRefusal> {
        // Only that firmware knows the present value, which its rules and its timeline change as well.
        if let keeper = inner as? any ValueKeepingFirmware { return keeper.whole(request, device) }
        guard let (old, lengths) = held[request.handle], !inner.answers(for: request.handle) else {
            // The part before the offset is not known.
            return request.offset > 0 ? .failure(ATTRefusal(.invalidOffset)) : .success(request.value)
        }
        return request.spliced(into: old, lengths: lengths)
    }

    /// Runs a closure. What it changes of values that are held here is changed here, because the database has none. A
    /// value that code makes is only sent.
    private mutating func run<Value>(
        _ device: inout DeviceContext,
        _ body: (inout DeviceContext) throws -> Value
    ) -> Result<Value, ATTRefusal> {
        let before = device.effects.count
        let result: Result<Value, ATTRefusal>
        do {
            result = .success(try body(&device))
        } catch {
            result = .failure(error as? ATTRefusal ?? ATTRefusal(.unlikelyError))
        }
        device.takeValues(from: before) { handle, value in
            if closures[handle]?.read != nil { return true }
            guard held[handle] != nil, !inner.answers(for: handle) else { return false }
            held[handle]?.value = value
            return true
        }
        return result
    }

    /// Remembers a question, and lets the machine report it.
    private mutating func ask(
        _ token: GATTServer.Token,
        _ question: Question,
        _ uuid: BluetoothUUID,
        written: [UInt8]?,
        _ device: inout DeviceContext
    ) {
        questions[token] = question
        device.ask(
            HookQuestion(
                question: token,
                client: question.client,
                handle: question.handle,
                uuid: uuid,
                service: device.database.place(of: question.handle)?.service,
                written: written
            )
        )
    }

    /// Answers the client that waits. An accepted write then has the effects that it has without a hook, which
    /// may still refuse it.
    mutating func answered(
        _ question: GATTServer.Token,
        _ answer: HookAnswer,
        _ device: inout DeviceContext
    ) {
        switch (questions.removeValue(forKey: question), answer) {
        // The client has disconnected, or the question has an answer already.
        case (nil, _): break
        case (_?, .refused(let code)): device.refuse(question, code)
        case (.read(let reading)?, .accepted(let value)):
            // One value for each client and characteristic: the number of both is limited.
            readings[reading] = value
            device.answer(question, by: value)
        case (.write(let request)?, .accepted):
            switch ownWrite(request, &device) {
            case .answer: device.accept(question)
            case .refuse(let code): device.refuse(question, code)
            // The device answers later without help, or never.
            case .later, .silence: break
            }
        }
        follow(&device)
    }

    private mutating func ownValue(
        _ request: GATTServer.ReadContext,
        _ device: inout DeviceContext
    ) -> DeviceAnswer<[UInt8]> {
        if let value = held[request.handle]?.value, !inner.answers(for: request.handle) { return .answer(value) }
        defer { follow(&device) }
        return inner.read(request, &device)
    }

    /// The effects of a write without a hook. The caller has to follow a change of the database.
    private mutating func ownWrite(
        _ request: GATTServer.WriteContext,
        _ device: inout DeviceContext
    ) -> DeviceAnswer<Void> {
        guard let lengths = held[request.handle]?.lengths, !inner.answers(for: request.handle) else {
            return inner.write(request, &device)
        }
        switch whole(request, device) {
        case .success(let new):
            guard lengths.contains(new.count) else { return .refuse(.invalidAttributeValueLength) }
            held[request.handle]?.value = new
            inner.valueWritten(request.handle, &device)
            return .accept
        case .failure(let refusal): return .refuse(refusal.code)
        }
    }

    /// Hands over the values of a database that the firmware has put in place. Once for each event: the database has no
    /// values any more after the first time.
    private mutating func follow(_ device: inout DeviceContext) {
        guard device.hasReplacedDatabase else { return }
        closures = code.handles(in: device.database)
        operations = hooks.handles(in: device.database)
        held = Self.held(in: device.database, operations)
        device.mapDatabase { $0.handing(over: operations.keys) }
    }

    // MARK: - Other events

    mutating func started(_ device: inout DeviceContext) {
        inner.started(&device)
        follow(&device)
    }

    mutating func connected(_ client: GATTServer.ClientID, _ device: inout DeviceContext) {
        inner.connected(client, &device)
        follow(&device)
    }

    /// Forgets the questions of the client, because their answers have no receiver.
    mutating func disconnected(_ client: GATTServer.ClientID, _ device: inout DeviceContext) {
        readings = readings.filter { $0.key.client != client }
        questions = questions.filter { $0.value.client != client }
        inner.disconnected(client, &device)
        follow(&device)
    }

    /// A hooked value is answered for here, whatever holds it.
    func answers(for handle: Handle) -> Bool { operations[handle] != nil || inner.answers(for: handle) }

    mutating func valueWritten(_ handle: Handle, _ device: inout DeviceContext) {
        inner.valueWritten(handle, &device)
        follow(&device)
    }

    mutating func subscriptionChanged(
        _ client: GATTServer.ClientID,
        _ handle: Handle,
        _ configuration: ClientConfiguration,
        _ device: inout DeviceContext
    ) {
        inner.subscriptionChanged(client, handle, configuration, &device)
        follow(&device)
        if let subscription = closures[handle]?.subscription {
            _ = run(&device) { try subscription(!configuration.isEmpty, &$0) }
        }
    }

    mutating func switchDatabase(to name: String?, _ device: inout DeviceContext) -> Bool {
        defer { follow(&device) }
        return inner.switchDatabase(to: name, &device)
    }

    var databaseNames: [String] { inner.databaseNames }

    mutating func timerFired(_ device: inout DeviceContext) {
        let before = device.effects.count
        inner.timerFired(&device)
        follow(&device)
        // What a stream sends is made by code, if it is when it is read.
        device.replaceNotifications(from: before) { handle, device in
            guard let read = closures[handle]?.read, case .success(let value) = run(&device, read) else {
                return nil
            }
            return value
        }
    }
}
