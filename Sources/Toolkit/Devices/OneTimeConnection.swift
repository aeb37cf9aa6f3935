// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
package import BluetoothProfiles
import Synchronization
import Terminal

/// A provider that finds the device, connects to it, and disconnects after the work.
package struct OneTimeConnection: DeviceProvider {
    package var finder: DeviceFinder
    package var connector: DeviceConnector
    /// The folder of remembered devices; `nil` for none.
    package let state: StateFolder?
    package let time: any TimeSource
    package var formats = FormatCatalogue.assigned
    package var found: DeviceReference?
    /// The turn of the search that has found it; `nil` for none.
    var turn: (any Turn)?
    /// The session that has another link to the device; `nil` if none is known.
    package var session: String?
    /// Whether to announce the used device to a person at a terminal.
    package var announcesDevice = false
    /// Takes the device when it is found; `nil` if nothing needs it.
    package var used: UsedDevices?

    /// The device that is meant. Throws a `BlectlError` if there is none.
    package func reference() async throws -> DeviceReference {
        // A caller that makes no link keeps no turn.
        var turn: (any Turn)?
        defer { turn?.end() }
        return try await reference(&turn)
    }

    /// The same, with the turn among the programs that search: see `DeviceFinder.find`.
    func reference(_ turn: inout (any Turn)?) async throws -> DeviceReference {
        let device: DeviceReference
        if let found { (device, turn) = (found, self.turn) } else { device = try await finder.find(&turn) }
        finder.notes.conceal(device.name)
        used?.add(device)
        return device
    }

    /// The same, with other times to count.
    ///
    /// - Parameter limit: The time of a search; `nil` for that of the connection.
    package func timed(by timing: RunTiming?, within limit: Duration? = nil) -> OneTimeConnection {
        var timed = self
        timed.finder.timeout = limit ?? finder.timeout
        timed.finder.timing = timing
        timed.connector.timing = timing
        return timed
    }

    /// The device, without a link.
    package func device(_ reference: DeviceReference) -> ConnectedDevice {
        ConnectedDevice(reference: reference, peripheral: connector.peripheral(reference), formats: formats)
    }

    /// Makes the link, and remembers the device. Throws a `BlectlError` if the link cannot be made.
    package func connect(_ device: ConnectedDevice) async throws {
        try await connector.connect(device)
        if announcesDevice { connector.notes.remark("using \(device.reference.text)") }
        await KnownDevices.rememberConnection(to: device.reference, in: state, time: time)
    }

    package func withDevice<Value: Sendable>(_ body: (ConnectedDevice) async throws -> Value) async throws -> Value {
        var turn: (any Turn)?
        defer { turn?.end() }
        let device = device(try await reference(&turn))
        return try await withCleanup {
            try await connect(device)
            turn?.end()
            return try await body(device)
        } cleanup: {
            await device.peripheral.disconnect()
            connector.malformedUpdates.reportCount(of: device.reference)
        }
    }
}

/// The devices that a command has found, for an error of the command as a whole, such as that of `--deadline`.
package final class UsedDevices: Sendable {
    private let devices = Mutex<[DeviceReference]>([])

    /// Takes a device that the command uses from now on.
    package func add(_ device: DeviceReference) {
        devices.withLock { devices in
            // The same device may be found again in another way, with another name or on another PHY.
            let isKnown = devices.contains { $0.address == device.address && $0.socket == device.socket }
            if !isKnown { devices.append(device) }
        }
    }

    /// The device, if there is exactly one: of several it is not known which one an error is about.
    package var only: DeviceReference? { devices.withLock { $0.count == 1 ? $0.first : nil } }
}
