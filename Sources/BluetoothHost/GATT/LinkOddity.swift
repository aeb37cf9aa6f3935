// SPDX-License-Identifier: MIT

/// Behaviour of a device that is odd, but that its link survives.
public struct LinkOddity: Hashable, Sendable {
    /// What has happened, with the address of the device: one line without a full stop.
    public let text: String
    /// Whether a notification or an indication was dropped for it.
    public let isLostUpdate: Bool

    init(_ text: String, isLostUpdate: Bool = false) {
        self.text = text
        self.isLostUpdate = isLostUpdate
    }
}
