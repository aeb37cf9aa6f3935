// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation

/// A `*.jsonl` file, line by line.
struct VectorFile: Sendable {
    /// An invalid line with its place: `more.jsonl:17: …`.
    struct Problem: Error, Sendable, CustomStringConvertible {
        let description: String
    }

    let name: String
    private(set) var transcripts: [Transcript] = []
    private(set) var databases: [Int: TranscriptDatabase] = [:]
    private(set) var advertising: [AdvertisingVector] = []
    private(set) var problems: [Problem] = []

    /// The keys that decide the kind of a line.
    private struct Keys: Decodable {
        let isDatabase: Bool
        let isTranscript: Bool
        let isAdvertising: Bool

        private enum CodingKeys: CodingKey {
            case attrs, pdus, hex
        }

        init(from decoder: any Decoder) throws {
            let keys = try decoder.container(keyedBy: CodingKeys.self)
            isDatabase = keys.contains(.attrs)
            isTranscript = keys.contains(.pdus)
            isAdvertising = keys.contains(.hex)
        }
    }

    /// Reads a file.
    init(_ file: URL) {
        self.init(name: file.lastPathComponent) { try String(contentsOf: file, encoding: .utf8) }
    }

    /// Reads a text.
    init(name: String, _ text: () throws -> String) {
        self.name = name
        do {
            let lines = try text().split(separator: "\n", omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) {
                do {
                    try read(Data(line.utf8))
                } catch {
                    problems.append(Problem(description: "\(name):\(index + 1): \(Self.text(of: error))"))
                }
            }
        } catch {
            problems.append(Problem(description: "\(name): \(error)"))
        }
    }

    private mutating func read(_ line: Data) throws {
        let decoder = JSONDecoder()
        let keys = try decoder.decode(Keys.self, from: line)
        if keys.isTranscript {
            transcripts.append(try decoder.decode(Transcript.self, from: line))
        } else if keys.isDatabase {
            let database = try decoder.decode(TranscriptDatabase.self, from: line)
            // Built here, so that an invalid database is reported with its line.
            _ = try database.build()
            databases[database.number] = database
        } else if keys.isAdvertising {
            advertising.append(try decoder.decode(AdvertisingVector.self, from: line))
        } else {
            throw Problem(description: "has none of the keys attrs, pdus and hex")
        }
    }

    private static func text(of error: any Error) -> String {
        func place(_ context: DecodingError.Context) -> String {
            let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
            return "\(path.isEmpty ? "" : path + ": ")\(context.debugDescription)"
        }
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            return "the key \(key.stringValue) is missing\(context.codingPath.isEmpty ? "" : " in " + place(context))"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            return place(context)
        case nil, .some: return "\(error)"
        }
    }
}
