// SPDX-License-Identifier: MIT

import Bluetooth
import Foundation

/// An advertisement of a sensor, and what decoders by other people read in it: a line of `Tests/Beacons/vectors.jsonl`.
struct BeaconVector {
    /// What a value has to be.
    enum Expected: Decodable {
        case number(Double)
        case text(String)
        case flag(Bool)

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let flag = try? value.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? value.decode(Double.self) {
                self = .number(number)
            } else {
                self = .text(try value.decode(String.self))
            }
        }
    }

    /// The members of a line.
    private struct Members: Decodable {
        let package: String
        let kind: String
        let address: String
        let data: String
        let key: String?
        let sessionKey: String?
        let iv: String?
        let values: [String: Expected]

        enum CodingKeys: String, CodingKey {
            case package, kind, address, data, key, iv, values
            case sessionKey = "session_key"
        }
    }

    let line: String
    let package: String
    let kind: String
    let address: BluetoothAddress
    let data: AdvertisingData
    let values: [String: Expected]
    private let key: SecurityKey?
    private let material: EncryptedDataKeyMaterial?

    struct Malformed: Error { let line: String }

    /// Whether the advertisement is encrypted.
    var isEncrypted: Bool { key != nil || material != nil }

    /// The keys of its sender.
    var keys: AdvertisingKeys { AdvertisingKeys([address: .init(key: key, material: material)]) }

    /// Keys that differ in their last bits, which no check octet shows.
    var wrongKeys: AdvertisingKeys {
        let wrong = EncryptedDataKeyMaterial(
            sessionKey: material.map { SecurityKey($0.sessionKey.value ^ 1) } ?? .zero,
            vector: [UInt8](repeating: 7, count: 8)
        )
        // The only thing that shows a wrong key of Victron is its first octet.
        let difference: UInt128 = kind == "victron" ? 1 << 120 : 1
        return AdvertisingKeys([address: .init(key: key.map { SecurityKey($0.value ^ difference) }, material: wrong)])
    }

    init(_ line: String) throws {
        let members = try JSONDecoder().decode(Members.self, from: Data(line.utf8))
        guard let address = BluetoothAddress(members.address), let octets = Hex.bytes(members.data) else {
            throw Malformed(line: line)
        }
        func key(_ hex: String?) -> SecurityKey? { hex.flatMap { Hex.bytes($0) }.flatMap { SecurityKey(octets: $0) } }
        self.line = line
        self.address = address
        package = members.package
        kind = members.kind
        values = members.values
        data = AdvertisingData(parsing: octets)
        self.key = key(members.key)
        if let session = key(members.sessionKey), let vector = members.iv.flatMap({ Hex.bytes($0) }) {
            material = EncryptedDataKeyMaterial(sessionKey: session, vector: vector)
        } else {
            material = nil
        }
    }

    /// The vectors in a file.
    static func all(in file: URL) throws -> [BeaconVector] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { try BeaconVector(String($0)) }
    }

    // MARK: - Comparison

    /// The beacon of the vector's kind in data; `nil` if there is none.
    func beacon(in data: AdvertisingData) -> Beacon? { data.beacons.first { $0.kind == kind } }

    /// What is different in the beacon, in words.
    func differences(from beacon: Beacon) -> [String] {
        let facts = Self.flat(beacon.content.facts)
        return values.sorted { $0.key < $1.key }.compactMap { name, expected in
            let fact = facts[name]
            let isRight =
                switch (expected, fact) {
                // Half of the last place that a package shows.
                case (.number(let number), .number(let found)): abs(number - found.double) < 0.006
                case (.text(let text), .text(let found)): text == found
                case (.text(let text), .octets(let found)): text == Hex.string(found)
                case (.flag(let flag), .flag(let found)): flag == found
                default: false
                }
            return isRight ? nil : "\(name) is \(fact.map { "\($0)" } ?? "missing"), not \(expected)"
        }
    }

    /// The facts by their keys; those of a list with the number of the probe, or else of the element, before them.
    private static func flat(_ facts: [AdvertisedFact]) -> [String: AdvertisedFact.Value] {
        var flat: [String: AdvertisedFact.Value] = [:]
        for fact in facts {
            guard case .list(let things) = fact.value else {
                // A later object of the same kind is newer.
                if let value = fact.value { flat[fact.key] = value }
                continue
            }
            for (index, thing) in things.enumerated() {
                let probe = thing.first { $0.key == "probe" }
                for inner in thing {
                    guard let value = inner.value else { continue }
                    flat[probe.map { "probe\($0.text).\(inner.key)" } ?? "\(fact.key)[\(index)].\(inner.key)"] = value
                }
            }
        }
        return flat
    }
}
