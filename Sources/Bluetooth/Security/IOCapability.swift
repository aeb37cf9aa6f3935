// SPDX-License-Identifier: MIT

/// The input and output of a device for pairing.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.3.2 and 3.5.1
public enum IOCapability: UInt8, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// It can show six digits.
    case displayOnly = 0x00
    /// It can show six digits, and its user can answer yes or no.
    case displayYesNo = 0x01
    /// Its user can enter six digits.
    case keyboardOnly = 0x02
    /// It can do neither.
    case noInputNoOutput = 0x03
    /// It can show six digits, and its user can enter some.
    case keyboardDisplay = 0x04

    /// The specification's name: `DisplayYesNo`.
    public var description: String {
        switch self {
        case .displayOnly: "DisplayOnly"
        case .displayYesNo: "DisplayYesNo"
        case .keyboardOnly: "KeyboardOnly"
        case .noInputNoOutput: "NoInputNoOutput"
        case .keyboardDisplay: "KeyboardDisplay"
        }
    }
}
