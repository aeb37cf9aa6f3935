// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothDevices
public import BluetoothHost
public import BluetoothProfiles
import SimulatedRadio

/// A device of a running simulation, under the control of the test.
///
/// Each method is an action of a person with a device: change its measurements, switch it off, carry it away.
public struct RunningDevice: Sendable {
    /// The word by which it is chosen: `pulse-strap`.
    public let label: String
    /// The address in its advertisements.
    public let address: DeviceAddress

    private let number: Int
    private let control: WorldControl
    private let journal: RequestJournal
    /// The address is the only name that no other device of the world has.
    private var key: String { address.address.description }

    init(_ device: SimulatedDevice, _ number: Int, of world: RunningWorld, _ journal: RequestJournal) {
        label = device.name
        address = device.address
        self.number = number
        control = world.control
        self.journal = journal
    }

    // MARK: - Values

    /// Changes a value, and sends it to the clients that are subscribed.
    ///
    /// A value that the device makes itself, such as a generated one, stays as it is set until a client writes it.
    ///
    /// - Parameters:
    ///   - model: The value. Its type says which characteristic it is.
    ///   - service: The service with the characteristic; `nil` for the first one that has it.
    /// - Throws: `FieldError` if the value does not fit the characteristic, and `WorldProblem` if the device does not
    ///   have the characteristic.
    public func set(_ model: some CharacteristicModel, in service: BluetoothUUID? = nil) async throws {
        try await set(try model.encoded(), of: type(of: model).characteristic, in: service)
    }

    /// Changes the octets of a value, and sends them to the clients that are subscribed.
    ///
    /// - Parameters:
    ///   - value: At most 512 octets.
    ///   - characteristic: The characteristic.
    ///   - service: The service with the characteristic; `nil` for the first one that has it.
    public func set(
        _ value: [UInt8],
        of characteristic: BluetoothUUID,
        in service: BluetoothUUID? = nil
    ) async throws(WorldProblem) {
        try await control.set(value, of: .characteristic(characteristic, service: service), on: key)
    }

    /// Changes a value by its key, and sends it to the clients that are subscribed: `set("2.4.2", of:
    /// .firmwareRevision)`.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The characteristic, and how its values are encoded.
    public func set<Value: Sendable>(_ value: Value, of key: CharacteristicKey<Value>) async throws {
        try await set(try key.encode(value), of: key.characteristic)
    }

    /// Sends a value to the clients that are subscribed, as a notification or an indication, and leaves the value that
    /// clients read as it is.
    ///
    /// - Returns: The number of clients that are subscribed.
    @discardableResult
    public func send(_ model: some CharacteristicModel, in service: BluetoothUUID? = nil) async throws -> Int {
        try await send(try model.encoded(), of: type(of: model).characteristic, in: service)
    }

    /// Sends octets to the clients that are subscribed, as a notification or an indication, and leaves the value that
    /// clients read as it is.
    ///
    /// - Returns: The number of clients that are subscribed.
    @discardableResult
    public func send(
        _ value: [UInt8],
        of characteristic: BluetoothUUID,
        in service: BluetoothUUID? = nil
    ) async throws(WorldProblem) -> Int {
        try await control.send(value, of: .characteristic(characteristic, service: service), on: key)
    }

    /// The octets of a value that the device holds: set by the test, or written by a client.
    ///
    /// - Returns: `nil` for a value that the device makes at each reading.
    public func value(
        of characteristic: BluetoothUUID,
        in service: BluetoothUUID? = nil
    ) async throws(WorldProblem) -> [UInt8]? {
        let database = try await control.database(of: key)
        guard let found = database.characteristic(characteristic, in: service) else { throw .noAttribute }
        return database[found.valueHandle]?.value
    }

    /// A value that the device holds, decoded.
    ///
    /// - Returns: `nil` for a value that the device makes at each reading.
    /// - Throws: `DecodeError` if the octets do not have the format of the characteristic.
    public func value<Model: CharacteristicModel>(of model: Model.Type) async throws -> Model? {
        try await value(of: Model.characteristic).map { try Model(decoding: $0) }
    }

    /// The number of clients that are subscribed to a characteristic.
    public func subscribers(
        of characteristic: BluetoothUUID,
        in service: BluetoothUUID? = nil
    ) async throws(WorldProblem) -> Int {
        try await control.subscribers(of: .characteristic(characteristic, service: service), on: key)
    }

    // MARK: - Link

    /// Hangs up: ends all links of the device. It can be connected again at once.
    public func disconnect() async throws(WorldProblem) { try await control.disconnect(key) }

    /// Lets the device accept connections, or no more of them, and advertise accordingly. Those that it has stay.
    public func setConnectable(_ isConnectable: Bool) throws(WorldProblem) {
        try control.setConnectable(key, isConnectable)
    }

    /// Carries the device out of range: its links are lost, and its advertisements are not heard.
    public func leave() throws(WorldProblem) { try control.setSignal(key, .outOfRange) }

    /// Brings the device back into range. Connection attempts that wait for it go on.
    public func comeBack() throws(WorldProblem) { try control.setSignal(key, .inRange) }

    /// Changes the mean strength of its signal at the adapter, in dBm.
    public func setRSSI(_ rssi: Int8) throws(WorldProblem) { try control.setSignal(key, .strength(rssi)) }

    /// Restarts the device, as after a change of its battery: its links are lost, and it has the values of its start.
    /// It has forgotten its clients, also those with a bond.
    public func restart() async throws(WorldProblem) { try await control.restart(key) }

    /// Puts one of its databases in place of the present one, as a firmware update does; `nil` for that of its start.
    public func switchDatabase(to name: String?) async throws(WorldProblem) {
        try await control.switchDatabase(of: key, to: name)
    }

    /// The device as it is now: its signal, its links, what keeps it from being connected.
    public var state: WorldDevice {
        get async throws(WorldProblem) { try await control.device(key) }
    }

    // MARK: - Answers

    /// Holds all answers back from now on. Clients run into their timeouts if `release` does not come before.
    public func pause() async throws(WorldProblem) { try await control.setPaused(key, true) }

    /// Sends the answers that were held back, and holds no more back.
    public func release() async throws(WorldProblem) { try await control.setPaused(key, false) }

    /// Whether every request has its answer.
    public var isIdle: Bool {
        get async throws(WorldProblem) { try await control.waitingRequests(of: key) == 0 }
    }

    /// Adds a fault, after those that the device has.
    ///
    /// - Throws: `WorldProblem.noAttribute` if the device has no such characteristic now.
    public func add(_ fault: FaultRule) async throws(WorldProblem) {
        if case .uuid(let characteristic, let service)? = fault.target {
            let database = try await control.database(of: key)
            guard database.characteristic(characteristic, in: service) != nil else { throw .noAttribute }
        }
        try await control.add(fault, to: key)
    }

    /// Adds a fault as a sentence: `read battery-level: error 0x0e once`.
    ///
    /// - Throws: `FaultTextError` with the place at which the sentence goes wrong, and `WorldProblem.noAttribute` if no
    ///   characteristic of the device has the name.
    public func add(_ fault: String) async throws { try await add(try FaultRule(fault)) }

    /// The faults that the device has, and whether each has acted.
    public var faults: [WorldFault] {
        get async throws(WorldProblem) { try await control.faults(of: key) }
    }

    /// Takes the last of the equal faults away, or all of them. What a pause held back goes on.
    ///
    /// - Returns: The faults that were there.
    @discardableResult
    public func removeFaults(_ fault: FaultRule? = nil) async throws(WorldProblem) -> [WorldFault] {
        try await control.removeFaults(fault, of: key)
    }

    // MARK: - Requests

    /// The requests and commands that have reached the device, the oldest first: at most the last 10,000.
    public var requests: [SeenRequest] { journal.requests(of: number) }

    /// The requests and commands that concern a characteristic or its descriptors: by a handle, or a read by the UUID.
    public func requests(of characteristic: BluetoothUUID) -> [SeenRequest] {
        requests.filter { seen in
            if case .request(.readByType(let pdu)) = seen.request { return pdu.attributeType == characteristic }
            return seen.place?.characteristic == characteristic
        }
    }

    /// Forgets the requests up to now.
    public func forgetRequests() { journal.forget(number) }
}

/// The adapter of a running simulation, which the test controls.
public struct RunningAdapter: Sendable {
    let control: WorldControl

    /// Switches the adapter on or off, as another program of its machine would. Its links, scans and channels end.
    public func setPower(_ isOn: Bool) { control.setPower(isOn) }

    /// Blocks the adapter by software, as rfkill(8) does, or lifts the block. It stays off until it is switched on.
    public func setBlocked(_ isBlocked: Bool) { control.setBlocked(isBlocked) }

    /// Pulls the adapter out of the machine, or plugs it in and switches it on.
    public func setPluggedIn(_ isPluggedIn: Bool) { control.setPluggedIn(isPluggedIn) }

    /// Whether it can be used, scans, or advertises, and the number of its links; `nil` if it has left the world.
    public var state: WorldAdapter? { control.adapters().first }
}
