// SPDX-License-Identifier: MIT

/// A condition of the simulated adapter at the world's beginning, or a change of it.
public enum AdapterTrait: String, CaseIterable, Hashable, Sendable {
    /// Powered off.
    case off
    /// Powered off, and blocked by software.
    case blocked
    /// The adapter supports Basic Rate, too, and Low Energy is off, as on Linux before a manager switches it on.
    case lowEnergyOff = "le-off"
    /// There is no adapter.
    case gone
    /// The adapter is being set up, and is powered a second later.
    case coming
    /// The adapter is pulled out after two seconds, plugged in again after four, and powered after five.
    case returning
    /// The program lacks both capabilities, `CAP_NET_RAW` and `CAP_NET_ADMIN`.
    case unauthorized
    /// Other programs have all the links that its controller can hold, and give them up after three seconds.
    case full
    /// Another program has the channel to each device, and gives it up after three seconds.
    case held
    /// Powered off, and blocked by a switch of the machine.
    case hardBlocked = "hard-blocked"
    /// Another program uses the adapter exclusively.
    case inUse = "in-use"
    /// A daemon, `bluetoothd`, manages the adapters and serves attributes.
    case managed
    /// A dead program has left its scan running.
    case leftoverScan = "leftover-scan"
    /// A program has used legacy commands since the adapter was powered, so that extended ones are disallowed and the
    /// kernel cannot connect.
    case legacyCommands = "legacy-commands"
    /// The controller, one by Realtek, runs without its firmware.
    case noFirmware = "no-firmware"
    /// The adapter is on USB and suspended, and its controller does not answer until it is powered off and on.
    case suspended
    /// The adapter is plugged in, and no driver has taken it.
    case noDriver = "no-driver"
    /// The kernel has no Bluetooth.
    case noKernel = "no-kernel"
    /// No program has managed the adapter since the machine started, so that its kernel does not pair before it was
    /// off.
    case unprepared
    /// The machine has a second adapter, `hci1`, in another place. The other traits apply to the first one, except
    /// those of the machine.
    case second

    var isOfMachine: Bool { self == .unauthorized || self == .managed || self == .noKernel }
}
