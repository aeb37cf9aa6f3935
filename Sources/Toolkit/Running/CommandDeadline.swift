// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth

/// The end of the time that `--deadline` gives a command.
package struct CommandDeadline: Sendable {
    package let moment: Instant
    /// The devices that the command has found, for the error at that moment, which comes from outside of the command.
    package let devices: UsedDevices
}
