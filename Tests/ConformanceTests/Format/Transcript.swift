// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The PDUs of one ATT bearer: a line with `pdus`.
struct Transcript: Decodable, Sendable {
    /// The implementation under test.
    enum Role: String, Decodable, Sendable {
        /// A server; the other side sends requests.
        case server
        /// A client that discovers in its own order.
        case client
        /// A client that performs one procedure, beginning with its first PDU.
        case att
    }

    /// The action of the client after discovery, or of the server on its own.
    struct Step: Decodable, Sendable {
        let op: String
        let handle: Handle
        let end: Handle
        /// The ATT error at the end; 0 if there is none.
        let ecode: UInt8
        /// The value to write, or the value that a read must return.
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

        /// Whether the procedure succeeds. A search that has found something succeeds although its last answer is
        /// Attribute Not Found.
        var succeeds: Bool {
            ecode == 0 || ATTErrorCode(ecode) == .attributeNotFound && !value.isEmpty
        }
    }

    let name: String
    let role: Role
    /// The name of the procedure of an `att` transcript.
    let function: String
    let uuid: String
    /// The number of the database; negative if there is none.
    let database: Int
    let step: Step?
    /// The PDUs of both sides in turn. An empty one is a turn without a PDU.
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
