// SPDX-License-Identifier: GPL-2.0-or-later

/// An input of the stateful targets: a few octets of settings, followed by steps.
///
/// A step is its kind, a length, and that number of octets. A length of 0xFF means that two octets with the length
/// follow. If the input ends within a step, the step takes the rest, so that every input is valid.
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
