// SPDX-License-Identifier: MIT

package import Bluetooth

/// The server by which the firmware of a simulated or served device is updated.
///
/// Pure: what is written and the time go in, what is sent and restarts come out.
package protocol UpdateServer: Sendable {
    var characteristics: [BluetoothUUID] { get }
    /// The version that runs, as the device states it.
    var revision: String { get }
    /// Whether the device has another address after each start of its application.
    var changesAddress: Bool { get }
    /// When `timerFired` has to be called; `nil` for never.
    var deadline: Instant? { get }

    mutating func written(_ value: [UInt8], to characteristic: BluetoothUUID, now: Instant) -> [UpdateServerAction]

    /// The time of `deadline` has come.
    mutating func timerFired(now: Instant) -> [UpdateServerAction]

    mutating func disconnected()
}

/// What a device does whose firmware is updated.
package enum UpdateServerAction: Hashable, Sendable {
    case send([UInt8], from: BluetoothUUID)
    /// It is away for that long, has lost all links, and starts its boot loader or its application.
    case restart(Duration, isBootLoader: Bool)
}

extension MCUmgrServer: UpdateServer {
    package var changesAddress: Bool { configuration.changesAddress }
    package var characteristics: [BluetoothUUID] { [.mcumgrData] }

    package var revision: String { version.description }

    package mutating func written(
        _ value: [UInt8],
        to characteristic: BluetoothUUID,
        now: Instant
    ) -> [UpdateServerAction] { received(value, now: now) }
}
