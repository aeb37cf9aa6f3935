// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost

/// A provider that finds its device and connects to it for the first work, and keeps the link for the next, until
/// `disconnect`: the device of a script or of a shell.
///
/// Several operations may use the device at a time. If the link is lost, the next operation connects again. If it was
/// the link of a session, the operation chooses again between a session and a direct connection, because the session
/// may have ended.
package final class HeldConnection: DeviceProvider {
    /// Chooses between the link of a session and a direct connection.
    package typealias Choice = @Sendable () async throws -> OneTimeConnection

    /// Chooses again; `nil` if the first choice holds for ever.
    private let choose: Choice?
    /// Held while the device is looked for and connected to, so that operations that begin together share the link.
    private let lock: AsyncLock
    private let state: HeldDevice
    /// The times of the operation that uses the link now; `nil` for none.
    private let timing: RunTiming?
    /// The time of that operation for a search; `nil` for that of the choice.
    private let limit: Duration?

    /// Holds the link that a connection makes.
    ///
    /// - Parameters:
    ///   - connection: The first choice.
    ///   - choose: Chooses again when the link of a session is lost.
    package init(_ connection: OneTimeConnection, orElse choose: Choice? = nil) {
        self.choose = choose
        lock = AsyncLock()
        state = HeldDevice(connection)
        (timing, limit) = (nil, nil)
    }

    private init(_ held: HeldConnection, timedBy timing: RunTiming?, within limit: Duration?) {
        (choose, lock, state) = (held.choose, held.lock, held.state)
        (self.timing, self.limit) = (timing, limit)
    }

    /// The same link for one operation, whose times are counted.
    ///
    /// - Parameter limit: Its time for a search; `nil` for that of the choice.
    package func timed(by timing: RunTiming?, within limit: Duration? = nil) -> HeldConnection {
        HeldConnection(self, timedBy: timing, within: limit)
    }

    package var reference: DeviceReference? {
        get async { await state.device?.reference }
    }

    /// The security of the link; `nil` without one.
    package var security: LinkSecurity? {
        get async { await state.device?.peripheral.linkSecurity }
    }

    package var sharesLink: Bool {
        get async { await state.connection.connector.sharesLink }
    }

    /// The central of the adapter that the device is found with.
    package var central: Central {
        get async { await state.connection.connector.central }
    }

    /// How many notifications and indications of the device were malformed, and dropped, until now.
    package var malformedUpdates: Int {
        get async { await state.connection.connector.malformedUpdates.total }
    }

    /// Whether the search for this device could also find the other one.
    package func mayMean(_ other: DeviceReference) async -> Bool {
        switch await state.connection.finder.selector {
        case .address(let address, _)?: return address == other.address.address
        case .name(let name)?: return other.name.map { DeviceIdentifier.isSameName($0, name) } ?? true
        case .advertising?, .likely?, nil: return true
        }
    }

    package var isConnected: Bool {
        get async { await state.device?.peripheral.isConnected ?? false }
    }

    /// The device with a link, which is made if there is none. Throws a `BlectlError` if it cannot be made.
    package func connect() async throws -> ConnectedDevice {
        try await lock.withLock {
            if let known = await state.device, await known.peripheral.isConnected {
                await state.connection.timed(by: timing).connector.uses(known)
                return known
            }
            // Before the first connection the choice is fresh, and a direct connection depends on no session that could
            // have ended.
            if let choose, await state.wasConnected, await state.connection.connector.sharesLink {
                await state.set(try await choose())
            }
            let connection = await state.connection.timed(by: timing, within: limit)
            var turn: (any Turn)?
            defer { turn?.end() }
            let device: ConnectedDevice
            if let known = await state.device {
                device = known
            } else {
                // Kept even if the connection fails, so that the next work needs no search.
                device = connection.device(try await connection.reference(&turn))
                await state.set(device)
            }
            // Before the attempt: if the session ends during it, the next work chooses again.
            await state.connects()
            try await connection.connect(device)
            return device
        }
    }

    /// The device's name on a command line: its address, or else the name of the search. Searches only if neither is
    /// known.
    package func identifier() async throws -> String {
        if let found = await reference { return found.addressText ?? found.text }
        switch await state.connection.finder.selector {
        case .address(let address, _)?: return address.description
        case .name(let name)?: return name
        case .advertising?, .likely?, nil: return try await identified().addressText ?? ""
        }
    }

    /// The device, which is looked for if it was not found yet. Makes no link.
    func identified() async throws -> DeviceReference {
        try await lock.withLock {
            if let known = await state.device { return known.reference }
            let connection = await state.connection.timed(by: timing, within: limit)
            let device = connection.device(try await connection.reference())
            await state.set(device)
            return device.reference
        }
    }

    /// Closes the link, if there is one. The device is found and connected to again for the next work.
    package func disconnect() async {
        guard let device = await state.device else { return }
        await device.peripheral.disconnect()
        await state.connection.connector.malformedUpdates.reportCount(of: device.reference)
    }

    package func withDevice<Value: Sendable>(_ body: (ConnectedDevice) async throws -> Value) async throws -> Value {
        try await body(try await connect())
    }
}

/// The device of a held connection, and the way to it.
private actor HeldDevice {
    private(set) var connection: OneTimeConnection
    private(set) var device: ConnectedDevice?
    /// Whether the way was used.
    private(set) var wasConnected = false

    init(_ connection: OneTimeConnection) { self.connection = connection }

    func set(_ device: ConnectedDevice?) { self.device = device }

    func set(_ connection: OneTimeConnection) {
        self.connection = connection
        device = nil
        wasConnected = false
    }

    func connects() { wasConnected = true }
}
