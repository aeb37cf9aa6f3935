// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Foundation
import Testing

/// Holds the formats to an independent reading of the GATT Specification Supplement.
///
/// `Tests/Supplement/samples.py` reads the published YAML by itself. Its frozen output is in `samples.txt`; `make
/// crosscheck` has it write many more samples, and sets BLECTL_SUPPLEMENT_SAMPLES to their file.
@Suite("The GATT Specification Supplement")
struct SupplementTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Supplement").standardized

    private static var file: URL {
        let path = ProcessInfo.processInfo.environment["BLECTL_SUPPLEMENT_SAMPLES"]
        return path.map { URL(filePath: $0) } ?? folder.appending(path: "samples.txt")
    }

    @Test("another implementation gives the same fields and numbers, both ways, faults included")
    func crossCheck() throws {
        let samples = try SupplementSample.all(in: Self.file)
        var counts: [BluetoothUUID: Int] = [:]
        var formats: [BluetoothUUID: CharacteristicFormat] = [:]
        for sample in samples {
            let known = formats[sample.uuid] ?? CharacteristicFormat.of(sample.uuid)
            let format = try #require(known, "\(sample.uuid) has no format")
            formats[sample.uuid] = format
            for difference in sample.differences(from: format) {
                counts[sample.uuid, default: 0] += 1
                // A wrong exponent makes hundreds of differences.
                guard counts[sample.uuid, default: 0] <= 2 else { continue }
                Issue.record("\(sample.uuid) \(Hex.string(sample.octets)): \(difference)")
            }
        }
        print("\(samples.count) samples of \(formats.count) characteristics, \(counts.count) of them with differences")
        #expect(samples.count > 4_000)
    }

    /// A value of each characteristic with its JSON. The octets are among the samples, so that the other implementation
    /// has confirmed the numbers; BLECTL_GOLDEN=write writes the file anew.
    struct Vector {
        let uuid: BluetoothUUID
        let octets: [UInt8]
        let json: String

        static func all() throws -> [Vector] {
            let text = try String(contentsOf: SupplementTests.vectorFile, encoding: .utf8)
            return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
                let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
                guard parts.count == 3, let uuid = BluetoothUUID(parts[0]), let octets = Hex.bytes(parts[1]) else {
                    throw SupplementSample.Malformed(line: String(line))
                }
                return Vector(uuid: uuid, octets: octets, json: parts[2])
            }
        }
    }

    private static let vectorFile = folder.appending(path: "vectors.txt")
    private static let frozen = folder.appending(path: "samples.txt")

    @Test("each of the 277 structures is decoded and encoded, and has a vector")
    func counts() throws {
        let samples = try SupplementSample.all(in: Self.frozen)
        let uuids = Set(samples.map(\.uuid))
        // Requested and Current Cooking Conditions have the same structure.
        #expect(uuids.count == 278)
        let decoded = uuids.filter { CharacteristicFormat.of($0) != nil }
        let encoded = Set(
            samples.filter { sample in
                guard sample.verdict == .valid, let format = CharacteristicFormat.of(sample.uuid),
                    let content = try? format.decode(sample.octets).content
                else { return false }
                return (try? format.encode(content)) == sample.octets
            }.map(\.uuid)
        )
        let withVector = Set(try Vector.all().map(\.uuid))
        print(
            "\(uuids.count) characteristics of the supplement: \(decoded.count) decoded, \(encoded.count) encoded, "
                + "\(withVector.intersection(uuids).count) with a vector"
        )
        func missing(_ there: Set<BluetoothUUID>) -> [String] { uuids.subtracting(there).map(\.description).sorted() }
        #expect(missing(decoded).isEmpty, "no decoder")
        #expect(missing(encoded).isEmpty, "no encoder")
        #expect(missing(withVector).isEmpty, "no vector")
    }

    @Test("the vectors hold in both directions, and another implementation has confirmed them")
    func vectors() throws {
        let samples = try SupplementSample.all(in: Self.frozen).filter { $0.verdict == .valid }
        if ProcessInfo.processInfo.environment["BLECTL_GOLDEN"] == "write" { try Self.write(samples) }
        let confirmed = Set(samples.map { [$0.uuid.description, Hex.string($0.octets)] })
        let vectors = try Vector.all()
        #expect(vectors.count >= 500)
        for vector in vectors {
            let format = try #require(CharacteristicFormat.of(vector.uuid))
            let comment: Comment = "\(vector.uuid) \(Hex.string(vector.octets))"
            #expect(confirmed.contains([vector.uuid.description, Hex.string(vector.octets)]), comment)
            let value = try format.decode(vector.octets)
            #expect(json(value.content) == vector.json, comment)
            #expect(value.fault == nil, comment)
            #expect(try format.encode(value.content) == vector.octets, comment)
        }
    }

    private static func write(_ samples: [SupplementSample]) throws {
        var lines = ["# SPDX-License-Identifier: MIT"]
        for (uuid, samples) in Dictionary(grouping: samples, by: \.uuid) {
            // The first two are the lowest and the highest values; the others tell more.
            for sample in samples.count > 2 ? samples.dropFirst(2).prefix(2) : samples[...] {
                guard let value = try CharacteristicFormat.of(uuid)?.decode(sample.octets) else { continue }
                lines.append("\(uuid.description.dropFirst(2))\t\(Hex.string(sample.octets))\t\(json(value.content))")
            }
        }
        let sorted = [lines[0]] + lines.dropFirst().sorted()
        try (sorted.joined(separator: "\n") + "\n").write(to: vectorFile, atomically: true, encoding: .utf8)
    }
}
