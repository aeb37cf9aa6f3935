// SPDX-License-Identifier: GPL-2.0-or-later

/// The name of a session, which is also a part of a file's name.
package struct SessionLabel: Sendable, Hashable, CustomStringConvertible {
    /// The largest number of characters. The name is a part of a socket's path, which has at most 107 octets.
    package static let limit = 32

    package let description: String

    /// Checks a name; `nil` if it is none.
    package init?(_ text: String) {
        guard (1...Self.limit).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPlain), !text.hasPrefix(".")
        else {
            return nil
        }
        description = text
    }

    /// Whether the octet may be in a name: neither a shell nor a file system treats it specially.
    package static func isPlain(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
