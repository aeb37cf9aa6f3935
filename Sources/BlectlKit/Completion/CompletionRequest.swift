// SPDX-License-Identifier: GPL-2.0-or-later

/// A question of a completion script about this machine: `devices:PREFIX` or `targets:PREFIX`.
public struct CompletionRequest: Sendable, Equatable {
    /// The kinds of words that are asked for.
    public enum Kind: String, Sendable {
        /// Remembered devices.
        case devices
        /// Targets of `read`, `write` and `notify`.
        case targets
    }

    /// The kind of words.
    public let kind: Kind
    /// The part of the word before the cursor.
    public let prefix: String
    /// The device on the command line, as typed; `nil` for none.
    public var device: String?
    /// Whether the devices are simulated.
    public var isSimulated = false

    /// Parses the question; `nil` if it is none.
    init?(_ text: String, device: String? = nil, isSimulated: Bool = false) {
        // The prefix may have colons itself: an address, or `handle:`.
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])) else { return nil }
        self.kind = kind
        prefix = String(parts[1])
        self.device = device
        self.isSimulated = isSimulated
    }
}
