// SPDX-License-Identifier: MIT

/// A device's name, or the beginning of it.
///
/// Spec: Core Specification Supplement 11, Part A, 1.2
public struct ADLocalName: Hashable, Sendable {
    /// The octets as they were sent, which may be anything.
    public let bytes: [UInt8]
    /// Whether it is the whole name.
    public let isComplete: Bool
    /// The octets before the first zero as text; U+FFFD replaces invalid UTF-8. Must be escaped before a terminal sees
    /// it.
    public let text: String

    /// Creates a name from received octets.
    public init(_ bytes: [UInt8], isComplete: Bool) {
        self.bytes = bytes
        self.isComplete = isComplete
        text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Creates a name for sending.
    public init(_ text: String, isComplete: Bool = true) {
        self.init(Array(text.utf8), isComplete: isComplete)
    }
}
