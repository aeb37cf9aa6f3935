// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

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
