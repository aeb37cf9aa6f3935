// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Foundation

@testable import CommandLineInterface

/// What a command and a controller have said to each other: a file of `Sessions`, which `SessionRecorder` writes.
///
/// Its first line is the command line, the second one the exit status. Each further line is a packet: the milliseconds
/// since the one before, `>` from the host or `<` from the controller, and the octets.
struct RecordedSession: Sendable {
    struct Packet: Hashable, Sendable {
        let isFromHost: Bool
        /// The time since the packet before.
        let pause: Duration
        let octets: [UInt8]
    }

    struct Malformed: Error { let line: Substring }

    /// The testing library has a type of that name, too.
    typealias Status = ExitStatus

    let name: String
    /// The command line, without the name of the program.
    let words: String
    let status: Status
    let packets: [Packet]

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Sessions")

    /// All recorded sessions, in the order of their names.
    static func all() throws -> [RecordedSession] {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.sorted { $0.path < $1.path }.map { file in
            try RecordedSession(
                name: file.deletingPathExtension().lastPathComponent,
                text: String(contentsOf: file, encoding: .utf8)
            )
        }
    }

    init(name: String, words: String, status: Status, packets: [Packet]) {
        (self.name, self.words, self.status, self.packets) = (name, words, status, packets)
    }

    private init(name: String, text: String) throws {
        let lines = text.split(separator: "\n")
        guard lines.count > 2, let number = Int32(lines[1]), let status = Status(rawValue: number) else {
            throw Malformed(line: "\(name)")
        }
        self.init(
            name: name,
            words: String(lines[0]),
            status: status,
            packets: try lines.dropFirst(2).map { line in
                let fields = line.split(separator: " ")
                guard fields.count == 3, let pause = Int64(fields[0]), let octets = Hex.bytes(fields[2]) else {
                    throw Malformed(line: line)
                }
                return Packet(isFromHost: fields[1] == ">", pause: .milliseconds(pause), octets: octets)
            }
        )
    }

    /// Writes the file.
    func save() throws {
        let lines = packets.map { packet in
            let pause = packet.pause / .milliseconds(1)
            return "\(Int64(pause)) \(packet.isFromHost ? ">" : "<") \(Hex.string(packet.octets))"
        }
        let text = ([words, "\(status.rawValue)"] + lines).joined(separator: "\n") + "\n"
        try text.write(to: Self.folder.appending(path: name + ".session"), atomically: true, encoding: .utf8)
    }
}
