// SPDX-License-Identifier: MIT

import Bluetooth
import Foundation
import Testing

/// Holds the formats of sensors to decoders by other people.
///
/// `Tests/Beacons/vectors.py` asks packages from PyPI what advertisements mean. Its frozen output is in `vectors.jsonl`;
/// `make crosscheck` has it make many more, and sets BLECTL_BEACON_VECTORS to their file.
@Suite("Sensors, as other decoders read them")
struct BeaconVectorTests {
    private static var file: URL {
        if let path = ProcessInfo.processInfo.environment["BLECTL_BEACON_VECTORS"] { return URL(filePath: path) }
        return URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Beacons/vectors.jsonl").standardized
    }

    @Test func `each advertisement means what another decoder reads in it`() throws {
        let vectors = try BeaconVector.all(in: Self.file)
        var counts: [String: Int] = [:]
        for vector in vectors {
            counts[vector.kind, default: 0] += 1
            var decryptor = AdvertisingDecryptor(vector.keys)
            let opened = decryptor.opened(vector.data, from: vector.address)
            guard let beacon = vector.beacon(in: opened) else {
                Issue.record("no \(vector.kind) in \(vector.line)")
                continue
            }
            let differences = vector.differences(from: beacon)
            #expect(differences.isEmpty, "\(differences.joined(separator: "; ")) in \(vector.line)")
        }
        let kinds = [
            "bthome", "encrypted-data", "govee", "govee-meat", "inkbird", "mi-scale", "mibeacon", "qingping",
            "switchbot", "victron",
        ]
        #expect(counts.keys.sorted() == kinds)
        #expect(vectors.count > 600)
        #expect(vectors.filter(\.isEncrypted).count > 100)
    }

    @Test func `an encrypted advertisement tells nothing without its key, and of a wrong key that it does not fit`()
        throws
    {
        for vector in try BeaconVector.all(in: Self.file) where vector.isEncrypted {
            let closed = try #require(vector.beacon(in: vector.data), "\(vector.line)")
            #expect(!vector.differences(from: closed).isEmpty, "\(vector.line)")
            // Some devices have a key and send without it, too.
            guard Self.decryption(of: closed) != nil else { continue }
            #expect(Self.decryption(of: closed) == "no-key", "\(vector.line)")
            #expect(closed.description.contains("encrypted"), "\(vector.line)")
            #expect(!closed.description.contains("fit"), "\(vector.line)")

            var decryptor = AdvertisingDecryptor(vector.wrongKeys)
            let refused = try #require(vector.beacon(in: decryptor.opened(vector.data, from: vector.address)))
            #expect(!vector.differences(from: refused).isEmpty, "\(vector.line)")
            #expect(Self.decryption(of: refused) == "wrong-key", "\(vector.line)")
            #expect(refused.description.contains("the key does not fit"), "\(vector.line)")

            decryptor = AdvertisingDecryptor(vector.keys)
            let open = try #require(vector.beacon(in: decryptor.opened(vector.data, from: vector.address)))
            #expect(Self.decryption(of: open) == "decrypted", "\(vector.line)")
            // Another device's key is not tried.
            let other = BluetoothAddress(rawValue: vector.address.rawValue ^ 1)
            #expect(vector.beacon(in: decryptor.opened(vector.data, from: other)) == closed, "\(vector.line)")
        }
    }

    private static func decryption(of beacon: Beacon) -> String? {
        let fact = beacon.content.facts.first { $0.key == "decryption" }
        return fact?.value == nil ? nil : fact?.text
    }

    @Test func `nothing that is cut short or changed at random traps`() throws {
        for vector in try BeaconVector.all(in: Self.file) {
            var decryptor = AdvertisingDecryptor(vector.keys)
            let octets = vector.data.encoded()
            for length in stride(from: 0, to: octets.count, by: 5) {
                let cut = AdvertisingData(parsing: Array(octets.prefix(length)))
                for beacon in decryptor.opened(cut, from: vector.address).beacons { _ = beacon.description }
            }
            // Every structure by itself, shorter by each number of octets.
            for structure in vector.data.structures {
                for length in structure.data.indices {
                    let short = AdvertisingData(structures: [
                        ADStructure(structure.type, Array(structure.data.prefix(length)))
                    ])
                    for beacon in decryptor.opened(short, from: vector.address).beacons { _ = beacon.description }
                }
            }
        }
    }
}
