// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothDevices

/// The simulated devices and worlds that commands name. By default none.
package struct SimulationAccess: Sendable {
    /// The devices that `serve` can be.
    package let devices: @Sendable () -> [DeviceImage]
    /// The simulated worlds that processes share; `nil` if there are none.
    package let worlds: (any SharedWorlds)?
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
        worlds: (any SharedWorlds)? = nil,
        declaredNames: @escaping @Sendable () async -> [DeviceAddress: String] = { [:] },
        world: WorldAccess? = nil,
        needsTime: @escaping @Sendable () -> Void = {}
    ) {
        self.devices = devices
        self.worlds = worlds
        self.declaredNames = declaredNames
        self.world = world
        self.needsTime = needsTime
    }
}
