// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost

/// What belongs to one run: its end, the addresses that it uses, and what is counted and kept of it.
package struct RunState: Sendable {
    /// The end of the time of `--deadline`; `nil` without a limit.
    package var deadline: CommandDeadline?
    /// The private addresses of a command with `--privacy`; `nil` for the adapter's own address.
    package var privacy: PrivateAddresses?
    /// The links of the run and their negotiated properties; `nil` if nothing needs them.
    package let timedLinks: TimedLinks?
    /// Counts the times of the command, of the script's step or of the shell's line; `nil` if they are not wanted.
    package var timing: RunTiming?
    /// The last packets, for the report of a script's failure; `nil` if they are not kept.
    package let packets: PacketHistory?
    /// Adds a packet of another process to the capture of the run, as a record of the Linux monitor; `nil` without one.
    package let addToCapture: (@Sendable (BTSnoopRecord) -> Void)?

    package init(
        timedLinks: TimedLinks? = nil,
        timing: RunTiming? = nil,
        packets: PacketHistory? = nil,
        addToCapture: (@Sendable (BTSnoopRecord) -> Void)? = nil
    ) {
        self.timedLinks = timedLinks
        self.timing = timing
        self.packets = packets
        self.addToCapture = addToCapture
    }
}

/// The end of the time that `--deadline` gives a command.
package struct CommandDeadline: Sendable {
    package let moment: Instant
    /// The devices that the command has found, for the error at that moment, which comes from outside of the command.
    package let devices: UsedDevices
}
