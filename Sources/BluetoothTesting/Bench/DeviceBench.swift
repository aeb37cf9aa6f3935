// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothDevices
public import BluetoothProfiles

/// A device alone on the bench: requests in, responses out, without a central, a radio or a clock.
///
/// It runs the machine that runs the device in a simulated world and on a real adapter. Everything is synchronous: an
/// answer is there when the call returns, or it comes while time passes (`advance(by:)`).
///
///     var bench = try DeviceBench(strap)
///     let phone = bench.connect()
///     try bench.subscribe(phone, to: 0x2A19)
///     bench.advance(by: .seconds(60))
///     #expect(bench.takeValues(of: 0x2A19, for: phone).count == 1)
public struct DeviceBench: Sendable {
    /// A client of the device.
    public struct Client: Hashable, Sendable {
        let id: GATTServer.ClientID
    }

    /// A PDU that the device has sent.
    public struct Sent: Hashable, Sendable {
        /// The client that it was sent to.
        public let client: Client
        /// The moment, on the clock of the bench.
        public let instant: Instant
        /// The octets.
        public let pdu: [UInt8]
    }

    /// The reason why a device did not give the requested value.
    public enum Failure: Error, Hashable, Sendable {
        /// It has no such characteristic, or the characteristic has no Client Characteristic Configuration.
        case noAttribute
        /// It refused, with that error.
        case refused(ATTErrorCode)
        /// It has not answered. The answer may come while time passes.
        case noAnswer
        /// It answered with octets that are not an answer to the request.
        case wrongAnswer([UInt8])
    }

    private let image: DeviceImage
    private var machine: DeviceMachine
    private var lastClient: UInt32 = 0
    /// The present moment. It begins at zero, and moves only by `advance(by:)`.
    public private(set) var now: Instant = .zero
    /// The PDUs of the device that no call has taken yet, the oldest first.
    public private(set) var sent: [Sent] = []
    /// The events of the device, the oldest first: requests that it has served, faults that have acted.
    public private(set) var events: [DeviceEvent] = []
    /// The clients whose links the device has ended, with the reasons.
    public private(set) var endedLinks: [Client: HCIStatus] = [:]

    /// Puts a device on the bench and switches it on.
    ///
    /// - Parameters:
    ///   - definition: The device.
    ///   - seed: The seed of its random numbers.
    /// - Throws: Why the device cannot run.
    public init(_ definition: DeviceDefinition, seed: UInt64 = 1) throws(DeviceDefinitionError) {
        image = try definition.image(random: SeededGenerator(seed: seed))
        machine = DeviceMachine(image)
        perform(machine.start(now: now))
    }

    /// The attributes of the device, with the values that its database holds.
    public var database: GATTDatabase { machine.database }

    /// The faults that never acted.
    public var unmetFaults: [FaultRule] { machine.unmetFaults }

    /// The number of requests without an answer.
    public var waitingRequests: Int { machine.waitingRequests }

    // MARK: - Clients

    /// Connects a client.
    ///
    /// - Parameters:
    ///   - identity: Its identity address, by which a bonded device knows it again; `nil` if it is unknown.
    ///   - security: The security of its link.
    public mutating func connect(as identity: DeviceAddress? = nil, security: LinkSecurity = .none) -> Client {
        lastClient += 1
        let client = Client(id: GATTServer.ClientID(lastClient))
        perform(machine.connected(client.id, as: identity, security: { security }, now: now))
        return client
    }

    /// Ends the link of a client.
    public mutating func disconnect(_ client: Client) { perform(machine.disconnected(client.id, now: now)) }

    /// Sends the octets of any PDU, valid or not, and returns the PDUs that the device sends to this client at once.
    public mutating func exchange(_ pdu: [UInt8], _ client: Client) -> [[UInt8]] {
        let before = sent.count
        perform(machine.pduReceived(pdu, from: .init(client.id), now: now))
        let answers = sent[before...].filter { $0.client == client }.map(\.pdu)
        // Returned PDUs need not be taken. Those for other clients stay.
        sent = Array(sent[..<before]) + sent[before...].filter { $0.client != client }
        return answers
    }

    /// Reads the value of a characteristic: its first ATT_MTU − 1 octets.
    ///
    /// - Throws: `Failure`, the reason why there is no value.
    public mutating func read(_ characteristic: BluetoothUUID, _ client: Client) throws(Failure) -> [UInt8] {
        let handle = try valueHandle(characteristic)
        let answer = try answer(.read(ReadRequest(handle: handle)), client)
        guard case .read(let response) = answer else { throw .wrongAnswer(answer.encoded()) }
        return response.value
    }

    /// Writes the value of a characteristic, and waits for the response.
    ///
    /// - Throws: Why it was not accepted.
    public mutating func write(
        _ value: [UInt8],
        to characteristic: BluetoothUUID,
        _ client: Client
    ) throws(Failure) {
        let handle = try valueHandle(characteristic)
        let answer = try answer(.write(WriteRequest(handle: handle, value: value)), client)
        guard case .write = answer else { throw .wrongAnswer(answer.encoded()) }
    }

    /// Subscribes a client to the notifications of a characteristic, or to its indications if it has no notifications.
    ///
    /// - Throws: Why it was not accepted.
    public mutating func subscribe(_ client: Client, to characteristic: BluetoothUUID) throws(Failure) {
        guard
            let found = database.characteristic(characteristic),
            let handle = database.descriptor(.clientCharacteristicConfiguration, of: found)
        else { throw .noAttribute }
        let value: [UInt8] = found.properties.contains(.notify) ? [0x01, 0x00] : [0x02, 0x00]
        let answer = try answer(.write(WriteRequest(handle: handle, value: value)), client)
        guard case .write = answer else { throw .wrongAnswer(answer.encoded()) }
    }

    /// Takes the values that the device has sent to a client unasked, the oldest first. Indications are confirmed.
    public mutating func takeValues(of characteristic: BluetoothUUID, for client: Client) -> [[UInt8]] {
        guard let handle = database.characteristic(characteristic)?.valueHandle else { return [] }
        var values: [[UInt8]] = []
        var index = 0
        // The count is asked for each time, because a confirmation may make the device send its next indication.
        while index < sent.count {
            guard sent[index].client == client, let value = sent[index].value(of: handle) else {
                index += 1
                continue
            }
            values.append(value.octets)
            sent.remove(at: index)
            if value.isIndication {
                perform(machine.pduReceived(HandleValueConfirmation().encoded(), from: .init(client.id), now: now))
            }
        }
        return values
    }

    /// Takes everything that the device has sent.
    public mutating func takeSent() -> [Sent] {
        defer { sent = [] }
        return sent
    }

    // MARK: - The device in the hand

    /// Changes a value, and sends it to the subscribed clients.
    ///
    /// - Throws: `FieldError` if the value does not fit the characteristic; `Failure.noAttribute` if the device does
    ///   not have it, or cannot have that value.
    public mutating func set(_ model: some CharacteristicModel) throws {
        try set(try model.encoded(), of: type(of: model).characteristic)
    }

    /// Changes the octets of a value, and sends them to the subscribed clients.
    ///
    /// - Throws: `Failure.noAttribute` if the device does not have the characteristic, or it cannot have that value.
    public mutating func set(_ value: [UInt8], of characteristic: BluetoothUUID) throws(Failure) {
        let handle = try valueHandle(characteristic)
        guard let actions = machine.setValue(value, of: handle, now: now) else { throw .noAttribute }
        perform(actions)
    }

    /// Lets time pass. The device performs its due actions, each at its time.
    public mutating func advance(by duration: Duration) {
        let end = now + duration
        while let due = machine.nextDeadline, due <= end {
            // A deadline may have passed already, and time does not go back.
            now = max(now, due)
            perform(machine.timerFired(now: now))
        }
        now = end
    }

    // MARK: - Machine

    private func valueHandle(_ characteristic: BluetoothUUID) throws(Failure) -> Handle {
        guard let handle = database.characteristic(characteristic)?.valueHandle else { throw .noAttribute }
        return handle
    }

    private mutating func answer(_ request: ATTRequest, _ client: Client) throws(Failure) -> ATTResponse {
        let pdus = exchange(request.encoded(), client)
        // Values that are sent in answer to a write come after the response, or before it; they are kept.
        var answer: [UInt8]?
        for pdu in pdus {
            // Notification, indication and multiple notification.
            let isValue = [0x1B, 0x1D, 0x23].contains(pdu.first)
            if isValue { sent.append(Sent(client: client, instant: now, pdu: pdu)) } else { answer = answer ?? pdu }
        }
        guard let answer else { throw .noAnswer }
        switch try? ATTServerPDU(decoding: answer) {
        case .response(let response): return response
        case .error(let error): throw .refused(error.code)
        default: throw .wrongAnswer(answer)
        }
    }

    private mutating func perform(_ actions: [DeviceMachine.Action]) {
        for action in actions {
            switch action {
            case .send(let bearer, let pdu):
                sent.append(Sent(client: Client(id: bearer.client), instant: now, pdu: pdu))
            // No client of the bench opens one.
            case .close: break
            case .hangUp(let client, let reason):
                endedLinks[Client(id: client)] = reason
                // There is no radio that would report the end of the link.
                perform(machine.disconnected(client, now: now))
            case .report(let event): events.append(event)
            }
        }
    }
}

extension DeviceBench.Sent {
    /// The value of an attribute that it carries; `nil` if it carries none.
    fileprivate func value(of handle: Handle) -> (octets: [UInt8], isIndication: Bool)? {
        switch try? ATTServerPDU(decoding: pdu) {
        case .notification(let pdu) where pdu.handle == handle: (pdu.value, false)
        case .indication(let pdu) where pdu.handle == handle: (pdu.value, true)
        default: nil
        }
    }
}
