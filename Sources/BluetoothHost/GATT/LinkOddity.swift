// SPDX-License-Identifier: MIT

/// Behaviour of a device that is odd, but that its link survives.
public struct LinkOddity: Hashable, Sendable {
    /// The event, with the address of the device: one line without a full stop.
    public let text: String
    /// Whether a notification or an indication was dropped for it.
    public let isLostUpdate: Bool
    /// Whether values were dropped because they came faster than they were read, or before there was a listener.
    package let isOverflow: Bool

    init(_ text: String, isLostUpdate: Bool = false, isOverflow: Bool = false) {
        self.text = text
        self.isLostUpdate = isLostUpdate
        self.isOverflow = isOverflow
    }
}
