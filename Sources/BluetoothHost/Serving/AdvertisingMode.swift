// SPDX-License-Identifier: MIT

/// The commands with which a controller advertises for a device.
public enum AdvertisingMode: String, Sendable, Hashable {
    /// The extended commands, with legacy PDUs for the advertisements that use them.
    case extended
    /// The legacy commands: the controller has no others, or refuses them after a legacy command.
    case legacy
}
