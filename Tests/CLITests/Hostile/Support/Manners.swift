// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The deviations of a device from the behaviour of an honest one.
struct Manners: Sendable {
    /// A PDU of the client, with the PDUs that an honest device sends in answer.
    struct Turn: Sendable {
        let request: [UInt8]
        let honest: [[UInt8]]
        /// The number of PDUs that an honest device would have sent before, on all connections.
        let sentBefore: Int
        /// The number of PDUs that it would have sent before on this connection.
        let sentBeforeHere: Int
        /// The number of earlier PDUs with this opcode on this connection.
        let repetition: Int
        /// The number of earlier connections.
        let connection: Int

        var opcode: UInt8 { request.first ?? 0 }
        /// The acts of an honest device.
        var acts: [Act] { honest.map { .send($0) } }

        /// The honest acts after other PDUs; none if there is no answer.
        func after(_ pdus: [[UInt8]]) -> [Act] { honest.isEmpty ? [] : pdus.map { .send($0) } + acts }

        /// The honest acts with other PDUs behind them; none if there is no answer.
        func followed(by pdus: [[UInt8]]) -> [Act] { honest.isEmpty ? [] : acts + pdus.map { .send($0) } }

        /// The honest acts with each PDU changed.
        func changed(_ change: ([UInt8]) -> [UInt8]) -> [Act] { honest.map { .send(change($0)) } }

        /// The honest acts with each refusal replaced.
        func refused(_ error: [UInt8]) -> [Act] { changed { $0.first == Opcode.error ? error : $0 } }
    }

    /// An act of a device.
    enum Act: Sendable {
        case send([UInt8])
        /// Sends a PDU for each of these numbers, as fast as they are read.
        case flood(Range<Int>, @Sendable (Int) -> [UInt8])
        /// Sends nothing for that time.
        case pause(milliseconds: Int)
        /// Sends nothing more on this connection.
        case fallSilent
        /// Sends nothing more on any connection.
        case die
        /// Reads nothing more on this connection.
        case stopReading
        case close
    }

    /// The services for all clients, unless the first client gets others.
    var services = ModelDevice.services
    var laterServices: [ServiceDefinition]?
    var react: @Sendable (Turn) -> [Act]

    static let honest = Manners { $0.acts }

    /// An honest device with these services.
    static func having(_ services: [ServiceDefinition]) -> Manners {
        var manners = honest
        manners.services = services
        return manners
    }

    /// Honest, except for the answers to requests with that opcode: to all of them, or to the one with that number
    /// (from 0).
    static func on(_ opcode: UInt8, _ number: Int? = nil, _ react: @escaping @Sendable (Turn) -> [Act])
        -> Manners
    {
        Manners { turn in
            guard turn.opcode == opcode, number.map({ $0 == turn.repetition }) ?? true else { return turn.acts }
            return react(turn)
        }
    }

    /// Honest, except that other PDUs replace the answer to requests with that opcode.
    static func answer(_ opcode: UInt8, _ number: Int? = nil, with pdus: [UInt8]...) -> Manners {
        on(opcode, number) { _ in pdus.map { .send($0) } }
    }

    /// Honest, until it falls silent in the place of the PDU with that number.
    static func dying(at number: Int) -> Manners {
        Manners { turn in
            let left = number - turn.sentBefore
            return left < turn.honest.count ? Array(turn.acts.prefix(max(0, left))) + [.die] : turn.acts
        }
    }

    /// Honest, until it disconnects in the place of the PDU with that number on each connection.
    static func closing(at number: Int) -> Manners {
        Manners { turn in
            let left = number - turn.sentBeforeHere
            return left < turn.honest.count ? Array(turn.acts.prefix(max(0, left))) + [.close] : turn.acts
        }
    }
}

/// The opcodes that the tables use.
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
