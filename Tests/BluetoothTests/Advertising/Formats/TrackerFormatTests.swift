// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@Suite("Trackers in advertisements")
struct TrackerFormatTests {
    private static let identifier = "0102030405060708090a0b0c0d0e0f1011121314"

    static let vectors = [
        // draft-ietf-dult-accessory-protocol, location-enabled payload, with the networks of its registry.
        FormatVector(
            "DULT, near its owner",
            "16b2fc 01 01",
            "dult",
            "Location tracker Apple near its owner",
            ["near_owner": "yes", "network_id": "1", "payload": ""]
        ),
        FormatVector(
            "DULT, separated",
            "16b2fc 02 00",
            "dult",
            "Location tracker Google separated from its owner",
            ["near_owner": "no"]
        ),
        FormatVector(
            "DULT, with reserved bits and octets of its network",
            "16b2fc 07 fe a1b2",
            "dult",
            "Location tracker network 7 separated from its owner",
            ["payload": "a1b2"]
        ),
        // Received from a tag, in github.com/culhatsker/samsung-smart-tag-wireshark.
        FormatVector(
            "SmartTag, long separated",
            "165afd 13 8d1502 3b793c9d638b48b1 b7 000000 4e6aac82",
            "smarttag",
            "Samsung SmartTag separated from its owner for more than a day",
            [
                "near_owner": "no", "battery": "full", "identifier": "3b793c9d638b48b1", "aging_counter": "136589",
                "region": "11", "uwb": "yes",
            ]
        ),
        FormatVector(
            "SmartTag, near its owner",
            "165afd 15 8d1502 3b793c9d638b48b1 b1 000000 4e6aac82",
            "smarttag",
            "Samsung SmartTag near its owner",
            ["near_owner": "yes", "battery": "low", "uwb": "no"]
        ),
        // The frames of the Find Hub Network accessory specification.
        FormatVector(
            "Find Hub, protected",
            "16aafe 41 \(identifier) c0",
            "find-hub",
            "Google Find Hub tracker separated from its owner",
            [
                "identifier": identifier, "near_owner": "no", "unwanted_tracking_protection": "yes",
                "hashed_flags": "192",
            ]
        ),
        FormatVector(
            "Find Hub without flags",
            "16aafe 40 \(identifier)",
            "find-hub",
            "Google Find Hub tracker",
            ["near_owner": "", "unwanted_tracking_protection": "no", "hashed_flags": ""]
        ),
        FormatVector(
            "Find Hub, long identifier",
            "16aafe 40 \(identifier)a1a2a3a4a5a6a7a8a9aaabac 80",
            "find-hub",
            "Google Find Hub tracker",
            ["identifier": "\(identifier)a1a2a3a4a5a6a7a8a9aaabac", "hashed_flags": "128"]
        ),
        FormatVector("Tile", "16edfe 0200 a1a2a3a4a5a6a7a8", "tile", "Tile", ["data": "0200a1a2a3a4a5a6a7a8"]),
        FormatVector("Tile in its shop", "16ecfe 00", "tile", "Tile, not activated"),
        FormatVector("Tile, newer", "1684fd 0a", "tile", "Tile"),
        FormatVector("Chipolo", "1633fe 0100", "chipolo", "Chipolo"),
        FormatVector("Pebblebee", "1625fa 01", "pebblebee", "Pebblebee"),
        // Sent by the test of Bluetooth in the Matter emulation of a public repository.
        FormatVector(
            "Matter",
            "16f6ff 00 000f 5a23 0100 00",
            "matter",
            "Matter, to be commissioned: discriminator 3840 vendor 0x235A product 0x0001",
            [
                "discriminator": "3840", "vendor_id": "9050", "product_id": "1", "additional_data": "no",
                "extended_announcement": "no",
            ]
        ),
        FormatVector(
            "Matter, anonymous",
            "16f6ff 00 ff0f 0000 0000 03",
            "matter",
            "Matter, to be commissioned: discriminator 4095",
            ["vendor_id": "", "product_id": "", "additional_data": "yes", "extended_announcement": "yes"]
        ),
    ]

    @Test(arguments: vectors)
    func `examples are decoded and written as they are`(_ vector: FormatVector) throws { try vector.check() }

    @Test func `what is cut short or of another kind is not taken for a tracker`() {
        let strange = [
            "16b2fc 01", "16b2fc", "165afd 13 8d1502 3b793c9d638b48b1", "165afd 1b 8d1502 3b793c9d638b48b1 b7",
            "165afd 23 8d1502 3b793c9d638b48b1 b7", "16aafe 41 0102030405060708090a0b0c0d0e0f10111213",
            "16aafe 42 \(Self.identifier) c0", "16f6ff 00 000f 5a23 0100", "16f6ff 01 000f 5a23 0100 00",
            "16f6ff 00 001f 5a23 0100 00", "16abfe 41 \(Self.identifier) c0",
        ]
        for hex in strange {
            let octets = octets(hex)
            #expect(AdvertisingData(parsing: [UInt8(octets.count)] + octets).beacon == nil, "\(hex)")
        }
    }

    @Test func `the state of a SmartTag's link tells how long its owner has been away`() throws {
        let states = [
            0: "", 1: "separated from its owner for some minutes", 2: "separated from its owner",
            3: "separated from its owner for more than a day", 4: "near its owner", 5: "near its owner",
            6: "near its owner", 7: "",
        ]
        for (state, text) in states {
            let octets = [0x10 | UInt8(state)] + octets("8d1502 3b793c9d638b48b1 b7")
            let tag = try #require(SamsungTag(ADServiceData(SamsungTag.service, octets)))
            #expect(tag.facts.first { $0.key == "state" }?.text == text, "\(state)")
            #expect(tag.text == (text.isEmpty ? "Samsung SmartTag" : "Samsung SmartTag \(text)"))
        }
    }
}
