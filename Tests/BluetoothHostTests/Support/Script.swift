// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The behaviour of a channel's other end, as data: the expected packets, each with the reactions to it.
struct Script: Sendable, ExpressibleByArrayLiteral {
    /// One expected packet.
    struct Turn: Sendable {
        /// The expected packet, in hexadecimal.
        var expected: String
        /// The reactions to it.
        var reactions: [Reaction]
    }

    /// An event at the other end.
    enum Reaction: Sendable {
        /// Sends a packet, in hexadecimal.
        case packet(String, after: Duration)
        /// Ends the channel.
        case end(RadioError.Cause, after: Duration)

        static func packet(_ hex: String) -> Reaction { .packet(hex, after: .zero) }
        static func end(_ cause: RadioError.Cause) -> Reaction { .end(cause, after: .zero) }
    }

    var turns: [Turn]

    init(_ turns: [Turn]) { self.turns = turns }
    init(arrayLiteral turns: Turn...) { self.turns = turns }

    static func + (left: Script, right: Script) -> Script { Script(left.turns + right.turns) }

    /// The script without its first packets.
    func dropFirst(_ count: Int) -> Script { Script(Array(turns.dropFirst(count))) }

    /// The script up to packet `index` (from 0), without a reaction to that packet.
    func stalling(at index: Int) -> Script { cut(at: index, reacting: []) }

    /// The script up to packet `index`, after which the channel ends.
    func ending(at index: Int, _ cause: RadioError.Cause) -> Script { cut(at: index, reacting: [.end(cause)]) }

    /// The script up to packet `index`, with delayed reactions to that packet.
    func delaying(at index: Int, by delay: Duration) -> Script {
        let late = turns[index].reactions.map { reaction -> Reaction in
            switch reaction {
            case .packet(let hex, let after): .packet(hex, after: after + delay)
            case .end(let cause, let after): .end(cause, after: after + delay)
            }
        }
        return cut(at: index, reacting: late)
    }

    private func cut(at index: Int, reacting reactions: [Reaction]) -> Script {
        Script(turns[..<index] + [Turn(expected: turns[index].expected, reactions: reactions)])
    }
}

/// An expected packet, and the packet that answers it, if any.
func turn(_ expected: String, _ answer: String? = nil) -> Script.Turn {
    Script.Turn(expected: expected, reactions: answer.map { [.packet($0)] } ?? [])
}

/// An expected packet with all reactions to it.
func turn(_ expected: String, reactions: [Script.Reaction]) -> Script.Turn {
    Script.Turn(expected: expected, reactions: reactions)
}
