// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

@testable import Bluetooth

/// One recorded exchange: a line with `name` of a vectors file.
struct Transcript: Decodable, Sendable, CustomTestStringConvertible {
    /// Who is under test.
    enum Role: String, Decodable, Sendable {
        /// A server; the other side asks.
        case server
        /// A client with its own order of discovery.
        case client
        /// A client with one procedure, from its first PDU on.
        case att
    }

    /// What the client does after discovery.
    struct Step: Decodable, Sendable {
        let op: String
        let handle: UInt16
        let end: UInt16
        /// The ATT error that it ends with; 0 for none.
        let ecode: UInt8
        /// What is written, or expected to be read.
        let value: String
    }

    let name: String
    let role: Role
    let func_: String
    let uuid: String
    let db: Int
    let step: Step?
    /// The PDUs as hex, the two sides by turns; an empty one is a turn in which nothing is sent.
    let pdus: [String]

    private enum CodingKeys: String, CodingKey {
        case name, role, uuid, db, step, pdus
        case func_ = "func"
    }

    var testDescription: String { name }
}

/// One attribute database of the transcripts: a line with `attrs` of a vectors file.
struct TranscriptDatabase: Decodable, Sendable {
    struct Attribute: Decodable, Sendable {
        let h: UInt16
        let type: String
        /// 0x01 read, 0x02 write, 0x04 and 0x08 the same encrypted, 0x10 and 0x20 authenticated, 0x40 authorised.
        let perm: Int
        let value: String
        /// The error that a read gives; 0 for none, -1 where the application gives the value.
        let err: Int
    }

    let db: Int
    let attrs: [Attribute]

    /// The database; a Client Characteristic Configuration as a plain value of any length where `hasPlainConfigurations`.
    func build(hasPlainConfigurations: Bool) throws -> GATTDatabase {
        var valueHandle = Handle.invalid
        var supported: ClientConfiguration = []
        return try GATTDatabase(
            attributes: try attrs.map { attribute in
                let type = try #require(BluetoothUUID(attribute.type)).attForm
                let value = octets(attribute.value)
                var storage: GATTAttribute.Storage = attribute.perm & 0x02 == 0 ? .fixed(value) : .variable(value)
                if type == .characteristicDeclaration {
                    let declaration = try CharacteristicDeclaration(decoding: value)
                    valueHandle = declaration.valueHandle
                    supported = []
                    if declaration.properties.contains(.notify) { supported.insert(.notification) }
                    if declaration.properties.contains(.indicate) { supported.insert(.indication) }
                } else if type == .clientCharacteristicConfiguration, !hasPlainConfigurations {
                    storage = .clientConfiguration(of: valueHandle, supported: supported)
                }
                if attribute.err != 0 { storage = .application }
                return GATTAttribute(
                    handle: Handle(attribute.h),
                    type: type,
                    permissions: attribute.permissions,
                    storage: storage
                )
            }
        )
    }
}

extension TranscriptDatabase.Attribute {
    fileprivate var permissions: AttributePermissions {
        func requirement(_ plain: Int, _ encrypted: Int, _ authenticated: Int) -> AccessRequirement? {
            guard perm & (plain | encrypted | authenticated) != 0 else { return nil }
            return AccessRequirement(
                encryption: perm & encrypted != 0,
                authentication: perm & authenticated != 0,
                authorization: perm & 0x40 != 0
            )
        }
        return AttributePermissions(read: requirement(0x01, 0x04, 0x10), write: requirement(0x02, 0x08, 0x20))
    }
}

/// All transcripts and their databases.
struct Transcripts: Sendable {
    private(set) var transcripts: [Transcript] = []
    private(set) var databases: [Int: TranscriptDatabase] = [:]
    /// How many files were read.
    private(set) var files = 0

    /// One set for each folder: ours, and the one that the environment names.
    static let sets: [Transcripts] = {
        let ours = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        var folders = [ours.appending(path: "Vectors")]
        if let other = ProcessInfo.processInfo.environment["BLECTL_TRANSCRIPTS"] {
            folders.append(URL(filePath: other))
        }
        return folders.map(Transcripts.init(folder:))
    }()

    /// Reads every `*.jsonl` of a folder. A line that is neither a database nor a transcript belongs to another test.
    init(folder: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        for name in names.sorted() where name.hasSuffix(".jsonl") {
            guard let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8) else { continue }
            files += 1
            for line in text.split(separator: "\n") {
                if let transcript = try? JSONDecoder().decode(Transcript.self, from: Data(line.utf8)) {
                    transcripts.append(transcript)
                } else if let database = try? JSONDecoder().decode(TranscriptDatabase.self, from: Data(line.utf8)) {
                    databases[database.db] = database
                }
            }
        }
    }

    /// A transcript with the database that it needs.
    struct Case: Sendable, CustomTestStringConvertible {
        let transcript: Transcript
        let database: TranscriptDatabase?
        var testDescription: String { transcript.name }
    }

    /// Every transcript of a role.
    static func cases(_ role: Transcript.Role) -> [Case] {
        sets.flatMap { set in
            set.transcripts.filter { $0.role == role }.map { Case(transcript: $0, database: set.databases[$0.db]) }
        }
    }
}
