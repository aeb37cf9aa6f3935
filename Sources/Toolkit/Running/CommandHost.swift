// SPDX-License-Identifier: GPL-2.0-or-later

/// The values that a script hands to the commands of its steps, and a shell to those of its lines. For a command of the
/// user they are all empty.
package struct CommandHost: Sendable {
    /// The device that the command uses instead of finding one and connecting to it; `nil` if the command makes its own
    /// connection.
    package var held: HeldConnection?
    /// The devices of the caller that the words of the command name, by these words, for a command that has devices
    /// among its arguments.
    package var named: [String: HeldConnection] = [:]
    /// Closes the link that a shell has to a device; `nil` outside of a shell.
    package var release: (@Sendable (DeviceOptions) async -> Void)?
    /// The world that a step touches; `nil` for a command of the user, which names its socket.
    package var world: WorldAccess?
    /// Called when the command begins to observe: the device has answered its subscriptions, or the scan runs.
    package var onReady: (@Sendable () -> Void)?
}
