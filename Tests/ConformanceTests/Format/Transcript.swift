// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The exchange on one ATT bearer: a line with `pdus`.
struct Transcript: Decodable, Sendable {
    /// Who is under test.
    enum Role: String, Decodable, Sendable {
        /// A server; the other side asks.
        case server
        /// A client with its own order of discovery.
        case client
        /// A client with one procedure, from its first PDU on.
        case att
    }

    /// What the client does after discovery, or the server of itself.
    struct Step: Decodable, Sendable {
        let op: String
        let handle: Handle
        let end: Handle
        /// The ATT error that it ends with; 0 for none.
        let ecode: UInt8
        /// What is written, or expected to be read.
        let value: [UInt8]

        private enum CodingKeys: CodingKey {
            case op, handle, end, ecode, value
        }

        init(from decoder: any Decoder) throws {
            let keys = try decoder.container(keyedBy: CodingKeys.self)
            op = try keys.decode(.op, or: "")
            handle = Handle(try keys.decode(.handle, or: 0))
            end = Handle(try keys.decode(.end, or: 0))
            ecode = try keys.decode(.ecode, or: 0)
            value = try keys.decode(.value, or: HexOctets([])).octets
        }

        /// Whether it is to end well: a search that has found something ends with Attribute Not Found all the same.
        var succeeds: Bool {
            ecode == 0 || ATTErrorCode(ecode) == .attributeNotFound && !value.isEmpty
        }
    }

    let name: String
    let role: Role
    /// The procedure of an `att` transcript.
    let function: String
    let uuid: String
    /// The number of the database; negative for none.
    let database: Int
    let step: Step?
    /// The PDUs, the two sides by turns; an empty one is a turn in which nothing is sent.
    let pdus: [[UInt8]]

    private enum CodingKeys: String, CodingKey {
        case name, role, uuid, step, pdus
        case function = "func"
        case database = "db"
    }

    init(from decoder: any Decoder) throws {
        let keys = try decoder.container(keyedBy: CodingKeys.self)
        name = try keys.decode(String.self, forKey: .name)
        role = try keys.decode(Role.self, forKey: .role)
        function = try keys.decode(.function, or: "")
        uuid = try keys.decode(.uuid, or: "")
        database = try keys.decode(.database, or: -1)
        step = try keys.decodeIfPresent(Step.self, forKey: .step)
        pdus = try keys.decode([HexOctets].self, forKey: .pdus).map(\.octets)
    }
}
