// SPDX-License-Identifier: GPL-2.0-or-later

/// An input of the stateful targets: a few octets of settings, then steps.
///
/// A step is `kind`, a length, and so many octets. A length of 0xFF says that two octets with the length follow. A step cut
/// short by the end of the input takes what is left, so that every input is a valid one.
struct FuzzInput {
    struct Step {
        let kind: UInt8
        let bytes: [UInt8]
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var remaining: Int { bytes.count - position }

    /// The next octet; zero behind the end.
    mutating func octet() -> UInt8 {
        guard position < bytes.count else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    /// The next step; `nil` at the end.
    mutating func step() -> Step? {
        guard remaining > 0 else { return nil }
        let kind = octet()
        var length = Int(octet())
        if length == 0xFF { length = Int(octet()) | Int(octet()) << 8 }
        let end = position + min(length, remaining)
        defer { position = end }
        return Step(kind: kind, bytes: Array(bytes[position..<end]))
    }
}
