// SPDX-License-Identifier: MIT

extension ADEncryptedData {
    var seal: AdvertisedSeal {
        let octets = encoded()
        return AdvertisedSeal(
            octets: payload,
            // The randomizer is sent first and the check last, as they are used.
            cipher: .material(
                randomizer: Array(octets.prefix(5)),
                associated: [0xEA],
                code: Array(octets.suffix(4))
            ),
            counter: nil
        )
    }
}

extension ADEncryptedData: AdvertisedFormat {
    /// It is neither manufacturer data nor service data, and `Beacon` knows it by its own type.
    public static let registration = FormatRegistration(
        .message,
        "Encrypted Advertising Data",
        kinds: ["encrypted-data"],
        in: [],
        keys: AdvertisedDecryption.keys,
        lists: ["structures": ["content", "ad_type", "data"]]
    )

    public var title: String {
        switch decryption {
        case nil: "encrypted data"
        case .wrongKey: "encrypted data, the key does not fit"
        case .decrypted: "decrypted"
        }
    }

    public var facts: [AdvertisedFact] {
        let data = decryption?.octets.map { AdvertisingData(parsing: $0) }
        let structures = data?.structures.map { structure in
            [
                AdvertisedFact("content", "\(structure.element)", .main),
                AdvertisedFact("ad_type", structure.type.rawValue),
                AdvertisedFact("data", .octets(structure.data)),
            ]
        }
        return [AdvertisedFact("structures", structures.map { .list($0) }, .main)] + decryption.facts(isEncrypted: true)
    }

    public var elements: [ADElement] { [.encryptedData(self)] }
}
