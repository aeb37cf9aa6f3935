// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothDevices
package import BluetoothHost
package import RadioSharing

/// Carries out a request to the simulated world of the run. Throws a `WorldProblem` if the world refuses it.
package typealias WorldAccess = @Sendable (WorldRequest) async throws -> [WorldAnswer]

/// The simulated devices and worlds that commands name. By default none.
package struct SimulationAccess: Sendable {
    /// The devices that `serve` can be.
    package let devices: @Sendable () -> [DeviceImage]
    /// Keeps a world alive at a socket with that path until it is stopped from outside, or the task is cancelled.
    ///
    /// The files are those of its devices, none for the built-in ones; the seed is that of everything random in it;
    /// `whenReady` gets the number of devices when processes can join.
    package typealias Server =
        @Sendable (
            _ path: String,
            _ files: [String],
            _ seed: UInt64,
            _ whenReady: @escaping @Sendable (Int) async throws -> Void
        ) async throws -> Void

    /// A way to the process that keeps the world alive whose socket is at the path; `nil` if no worlds are shared.
    package let connector: (@Sendable (_ path: String) -> any RemoteConnector)?
    /// Serves a world; `nil` if none can be shared.
    package let serve: Server?
    /// Returns the names that the files of simulated devices declare; none on the air. The stored data of simulated
    /// devices has no names, because scans of them are not remembered.
    ///
    /// Called only when a command needs them, because it asks the process that keeps a shared world alive.
    package let declaredNames: @Sendable () async -> [DeviceAddress: String]
    /// The simulated world in which the command runs; `nil` on the air.
    package let world: WorldAccess?
    /// Has the clock that the command shares with others go on, until the command ends.
    package let needsTime: @Sendable () -> Void

    package init(
        devices: @escaping @Sendable () -> [DeviceImage] = { [] },
        connector: (@Sendable (_ path: String) -> any RemoteConnector)? = nil,
        serve: Server? = nil,
        declaredNames: @escaping @Sendable () async -> [DeviceAddress: String] = { [:] },
        world: WorldAccess? = nil,
        needsTime: @escaping @Sendable () -> Void = {}
    ) {
        self.devices = devices
        self.connector = connector
        self.serve = serve
        self.declaredNames = declaredNames
        self.world = world
        self.needsTime = needsTime
    }
}
