// SPDX-License-Identifier: GPL-2.0-or-later

/// What is the matter with the simulated adapter when the world begins, or what becomes of it.
public enum AdapterTrait: String, CaseIterable, Hashable, Sendable {
    /// It is off.
    case off
    /// It is off and blocked by software.
    case blocked
    /// It has Basic Rate, too, and Low Energy is off.
    case lowEnergyOff = "le-off"
    /// There is none.
    case gone
    /// It is being set up, and is powered a second later.
    case coming
    /// It is pulled out after two seconds, plugged in again after four, and powered after five.
    case returning
    /// The program lacks both capabilities, `CAP_NET_RAW` and `CAP_NET_ADMIN`.
    case unauthorized
}
