// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// What the other end of a channel does, as data: for each packet of ours, what it has to be and what comes back.
struct Script: Sendable, ExpressibleByArrayLiteral {
    /// One packet of ours.
    struct Turn: Sendable {
        /// The packet that has to come, in hexadecimal.
        var expected: String
        /// What follows it.
        var reactions: [Reaction]
    }

    /// Something that comes from the other end.
    enum Reaction: Sendable {
        /// A packet, in hexadecimal.
        case packet(String, after: Duration)
        /// The end of the channel.
        case end(RadioError.Cause, after: Duration)

        static func packet(_ hex: String) -> Reaction { .packet(hex, after: .zero) }
        static func end(_ cause: RadioError.Cause) -> Reaction { .end(cause, after: .zero) }
    }

    var turns: [Turn]

    init(_ turns: [Turn]) { self.turns = turns }
    init(arrayLiteral turns: Turn...) { self.turns = turns }

    static func + (left: Script, right: Script) -> Script { Script(left.turns + right.turns) }

    /// The same without its first packets.
    func dropFirst(_ count: Int) -> Script { Script(Array(turns.dropFirst(count))) }

    /// The same up to and with packet number `index` (from 0), to which nothing comes back.
    func stalling(at index: Int) -> Script { cut(at: index, reacting: []) }

    /// The same up to and with packet number `index`, upon which the channel ends.
    func ending(at index: Int, _ cause: RadioError.Cause) -> Script { cut(at: index, reacting: [.end(cause)]) }

    /// The same up to and with packet number `index`, the reactions to which come later.
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

/// A packet that has to come, and the one packet that comes back; or nothing.
func turn(_ expected: String, _ answer: String? = nil) -> Script.Turn {
    Script.Turn(expected: expected, reactions: answer.map { [.packet($0)] } ?? [])
}

/// A packet that has to come, and all that follows.
func turn(_ expected: String, reactions: [Script.Reaction]) -> Script.Turn {
    Script.Turn(expected: expected, reactions: reactions)
}
