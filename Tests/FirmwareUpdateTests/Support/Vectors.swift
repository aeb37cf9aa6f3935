// SPDX-License-Identifier: MIT

import Bluetooth
import Foundation

/// Octets that somebody else's program made: `Vectors/generate.py`.
struct Vector: Sendable {
    let name: String
    let octets: [UInt8]

    /// A file of vectors, whose octets are in the member of that name.
    static func all(_ file: String, _ member: String) throws -> [Vector] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appending(path: "Vectors/\(file).json"))
        return try JSONDecoder().decode([[String: String]].self, from: data).map { members in
            guard let name = members["name"], let octets = members[member].flatMap({ Hex.bytes($0) }) else {
                throw CocoaError(.fileReadCorruptFile)
            }
            return Vector(name: name, octets: octets)
        }
    }

    /// The vector of a name.
    static func named(_ name: String, in file: String, _ member: String) throws -> [UInt8] {
        guard let vector = try all(file, member).first(where: { $0.name == name }) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return vector.octets
    }
}

/// Random numbers that are the same in each run (SplitMix64).
struct TestGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
