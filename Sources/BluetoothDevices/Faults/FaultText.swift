// SPDX-License-Identifier: MIT

/// A fault as a sentence, and the device to which it belongs: `device 'Pulse HR': read battery-level: error 0x0E once`.
///
/// The sentence names the event, then the effect, each with conditions:
///
///     [device NAME:] OPERATION [TARGET] [CONDITION …]: EFFECT [CONDITION …]
///
/// | condition | meaning |
/// |---|---|
/// | `#3`, `#3-5`, `#3-` | the third event, the third to the fifth, the third and all later ones |
/// | `every 3rd` | every third event |
/// | `once`, `twice`, `5 times` | at most so often |
/// | `10%` | with this probability |
/// | `from 10s`, `until 20s` | in this time after the start |
/// | `per connection` | each connection has counts of its own |
public struct FaultText: Hashable, Sendable {
    /// The name, label or address of the device; `nil` for any.
    public var device: String?
    /// The parsed fault.
    public var rule: FaultRule

    /// A fault of one device, or of any.
    public init(_ rule: FaultRule, of device: String? = nil) {
        self.device = device
        self.rule = rule
    }

    /// Parses a sentence.
    public init(parsing text: String) throws(FaultTextError) {
        var parser = try FaultParser(text)
        self = try parser.fault()
    }
}

/// The reason why a text cannot be parsed as a fault.
public struct FaultTextError: Error, Hashable, Sendable {
    /// The character at which it goes wrong, from 1 on.
    public let column: Int
    /// The problem, and the words that are allowed there.
    public let expectation: String

    init(_ column: Int, _ expectation: String) {
        self.column = column
        self.expectation = expectation
    }
}
