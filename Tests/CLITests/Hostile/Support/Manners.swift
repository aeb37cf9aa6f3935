// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// What a device does with what an honest one would say.
struct Manners: Sendable {
    /// One PDU of the client, and what an honest device sends because of it.
    struct Turn: Sendable {
        let request: [UInt8]
        let honest: [[UInt8]]
        /// How many PDUs an honest device would have sent before, to all its clients one after the other.
        let sentBefore: Int
        /// The same on this connection alone.
        let sentBeforeHere: Int
        /// How many PDUs with that opcode came before on this connection.
        let repetition: Int
        /// How many connections were there before this one.
        let connection: Int

        var opcode: UInt8 { request.first ?? 0 }
        /// What an honest device does.
        var acts: [Act] { honest.map { .send($0) } }

        /// The same behind something else, where there is anything to say.
        func after(_ pdus: [[UInt8]]) -> [Act] { honest.isEmpty ? [] : pdus.map { .send($0) } + acts }

        /// The same and something else behind it, where there is anything to say.
        func followed(by pdus: [[UInt8]]) -> [Act] { honest.isEmpty ? [] : acts + pdus.map { .send($0) } }

        /// The same with each PDU changed.
        func changed(_ change: ([UInt8]) -> [UInt8]) -> [Act] { honest.map { .send(change($0)) } }

        /// The same with each refusal in other words.
        func refused(_ error: [UInt8]) -> [Act] { changed { $0.first == Opcode.error ? error : $0 } }
    }

    /// What a device can do.
    enum Act: Sendable {
        case send([UInt8])
        /// A PDU for each of these numbers, as fast as they are taken.
        case flood(Range<Int>, @Sendable (Int) -> [UInt8])
        /// Nothing is said for so long.
        case pause(milliseconds: Int)
        /// Nothing is said any more on this connection.
        case fallSilent
        /// Nothing is said any more to anybody.
        case die
        /// Nothing is taken any more on this connection.
        case stopReading
        case close
    }

    /// What it has, to all but the first who connects where that is another.
    var services = ModelDevice.services
    var laterServices: [ServiceDefinition]?
    var react: @Sendable (Turn) -> [Act]

    static let honest = Manners { $0.acts }

    /// Honest, with these services.
    static func having(_ services: [ServiceDefinition]) -> Manners {
        var manners = honest
        manners.services = services
        return manners
    }

    /// Honest but for the answers to the requests of that opcode: to all, or to the one with that number (from 0).
    static func on(_ opcode: UInt8, _ number: Int? = nil, _ react: @escaping @Sendable (Turn) -> [Act]) -> Manners {
        Manners { turn in
            guard turn.opcode == opcode, number.map({ $0 == turn.repetition }) ?? true else { return turn.acts }
            return react(turn)
        }
    }

    /// Honest but for one answer to requests of that opcode, in whose place something else is sent.
    static func answer(_ opcode: UInt8, _ number: Int? = nil, with pdus: [UInt8]...) -> Manners {
        on(opcode, number) { _ in pdus.map { .send($0) } }
    }

    /// Honest, until in the place of the PDU with that number it dies.
    static func dying(at number: Int) -> Manners {
        Manners { turn in
            let left = number - turn.sentBefore
            return left < turn.honest.count ? Array(turn.acts.prefix(max(0, left))) + [.die] : turn.acts
        }
    }

    /// Honest, until on each connection it closes in the place of the PDU with that number.
    static func closing(at number: Int) -> Manners {
        Manners { turn in
            let left = number - turn.sentBeforeHere
            return left < turn.honest.count ? Array(turn.acts.prefix(max(0, left))) + [.close] : turn.acts
        }
    }
}

/// The opcodes that the tables name.
enum Opcode {
    static let error: UInt8 = 0x01
    static let mtu: UInt8 = 0x02
    static let findInformation: UInt8 = 0x04
    static let findByTypeValue: UInt8 = 0x06
    static let readByType: UInt8 = 0x08
    static let read: UInt8 = 0x0A
    static let readBlob: UInt8 = 0x0C
    static let readByGroupType: UInt8 = 0x10
    static let write: UInt8 = 0x12
    static let prepareWrite: UInt8 = 0x16
    static let executeWrite: UInt8 = 0x18
    static let notification: UInt8 = 0x1B
    static let indication: UInt8 = 0x1D
    static let confirmation: UInt8 = 0x1E
    static let writeCommand: UInt8 = 0x52
}
