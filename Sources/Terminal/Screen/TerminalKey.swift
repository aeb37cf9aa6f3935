// SPDX-License-Identifier: GPL-2.0-or-later

package enum TerminalKey: Hashable, Sendable {
    case character(Character)
    /// Return or Enter: a carriage return or a line feed.
    case enter
    /// Escape alone, without anything after it for a moment.
    case escape
    /// Backspace: 0x08 or 0x7F, which differ between terminals.
    case backspace
    case tab
    case up
    case down
    case left
    case right
    case pageUp
    case pageDown
    /// Home, which has three sequences.
    case home
    /// End, which has three sequences.
    case end
    /// Ctrl and a letter, in lower case. Those that the terminal turns into signals never arrive.
    case control(Character)
}

/// Turns the octets of a terminal into keys.
///
/// A key may be a sequence of octets, and a sequence may be split across reads. An escape octet alone is a key as well
/// as the beginning of a sequence; `paused` decides that it was the key. An unknown sequence is not a key.
///
/// Spec: ECMA-48, 5.4 (control sequences); xterm control sequences, "PC-Style Function Keys"
struct KeyDecoder: Sendable {
    /// Where in a sequence the decoder is.
    private enum State {
        /// Outside of a sequence.
        case ground
        case escape
        /// Within a control sequence, with its parameters so far.
        case sequence([UInt8])
        /// After `ESC O`.
        case singleShift
        /// After `ESC [ [`, which begins the function keys of the Linux console.
        case console
        /// Within a character of several octets.
        case character([UInt8], length: Int)
    }

    /// The maximum number of parameter octets that are kept. No known key has more.
    private static let limit = 16

    /// The place in a sequence, which lasts from one read to the next.
    private var state = State.ground

    /// Whether an escape octet waits for more.
    var isPending: Bool { if case .escape = state { true } else { false } }

    package mutating func received(_ octets: [UInt8]) -> [TerminalKey] { octets.flatMap { received($0) } }

    /// Decodes the pending octets, because no more have followed for a moment.
    package mutating func paused() -> [TerminalKey] {
        defer { state = .ground }
        return isPending ? [.escape] : []
    }

    /// Takes an octet. Unknown sequences are consumed to their end, so that their letters are not taken for keys.
    private mutating func received(_ octet: UInt8) -> [TerminalKey] {
        switch state {
        case .ground: return begin(octet)
        case .escape:
            switch octet {
            case UInt8(ascii: "["): state = .sequence([])
            case UInt8(ascii: "O"): state = .singleShift
            // The first octet was the key. This one may begin a sequence, so that the state stays.
            case 0x1B: return [.escape]
            default: return [.escape] + begin(octet)
            }
        case .singleShift:
            state = .ground
            return Self.key(octet, []).map { [$0] } ?? []
        // The letter ends a function key of the console, and must not be taken for a character.
        case .console: state = .ground
        case .sequence(let parameters):
            switch octet {
            case 0x1B: state = .escape
            case UInt8(ascii: "[") where parameters.isEmpty: state = .console
            case 0x40...0x7E:
                state = .ground
                return Self.key(octet, parameters).map { [$0] } ?? []
            case 0x20...0x3F: state = .sequence(parameters.count < Self.limit ? parameters + [octet] : parameters)
            default: state = .ground
            }
        case .character(let octets, let length):
            // Not a continuation: the character was cut short, and this octet begins something else.
            guard octet & 0xC0 == 0x80 else { return begin(octet) }
            let octets = octets + [octet]
            guard octets.count == length else {
                state = .character(octets, length: length)
                break
            }
            state = .ground
            guard let text = String(validating: octets, as: UTF8.self), let character = text.first else { return [] }
            return [.character(character)]
        }
        return []
    }

    /// Begins a key with an octet outside of a sequence. Octets that cannot begin a character of UTF-8 are dropped.
    private mutating func begin(_ octet: UInt8) -> [TerminalKey] {
        state = .ground
        switch octet {
        case 0x1B: state = .escape
        case 0x0A, 0x0D: return [.enter]
        case 0x08, 0x7F: return [.backspace]
        case 0x09: return [.tab]
        case 0x01...0x1A: return [.control(Character(Unicode.Scalar(octet + 0x60)))]
        case 0x20...0x7E: return [.character(Character(Unicode.Scalar(octet)))]
        case 0xC2...0xDF: state = .character([octet], length: 2)
        case 0xE0...0xEF: state = .character([octet], length: 3)
        case 0xF0...0xF4: state = .character([octet], length: 4)
        default: break
        }
        return []
    }

    /// The key of a control sequence. Shift, Alt and Ctrl, in a parameter after a semicolon, are ignored.
    private static func key(_ final: UInt8, _ parameters: [UInt8]) -> TerminalKey? {
        switch final {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return .right
        case UInt8(ascii: "D"): return .left
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        // Enter on a keypad in application mode: ESC O M.
        case UInt8(ascii: "M"): return .enter
        case UInt8(ascii: "~"):
            switch String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
            case "1", "7": return .home
            case "4", "8": return .end
            case "5": return .pageUp
            case "6": return .pageDown
            default: return nil
            }
        default: return nil
        }
    }
}
