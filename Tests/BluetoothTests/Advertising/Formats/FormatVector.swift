// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

/// Octets that a device sent, or that a specification has as its example, and what they mean.
struct FormatVector: Sendable, CustomTestStringConvertible {
    let name: String
    /// The structure of the advertising data, without its length.
    let hex: String
    let kind: String
    let text: String
    /// Facts by their keys, each as text with its unit; those of a list are one text.
    let facts: [String: String]

    var testDescription: String { name }

    init(_ name: String, _ hex: String, _ kind: String, _ text: String, _ facts: [String: String] = [:]) {
        self.name = name
        self.hex = hex
        self.kind = kind
        self.text = text
        self.facts = facts
    }

    /// The structure in advertising data.
    var data: AdvertisingData {
        let structure = octets(hex)
        return AdvertisingData(parsing: [UInt8(structure.count)] + structure)
    }

    /// Expects that the octets are decoded, and that encoding gives the same octets.
    func check() throws {
        let beacon = try #require(data.beacon)
        #expect(beacon.kind == kind)
        #expect(beacon.description == text)
        for (key, text) in facts {
            let fact = beacon.content.facts.first { $0.key == key }
            #expect(fact?.text == text, "\(key)")
        }
        #expect(AdvertisingData(beacon.elements).beacon == beacon)
        #expect(beacon.elements == data.elements)
    }
}
