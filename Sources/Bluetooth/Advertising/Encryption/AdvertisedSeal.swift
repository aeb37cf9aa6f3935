// SPDX-License-Identifier: MIT

/// How the encrypted octets of an advertisement are decrypted, without the key.
struct AdvertisedSeal {
    /// The cipher, with all that it needs besides the key.
    enum Cipher {
        /// AES-CCM with the device's key.
        case ccm(nonce: [UInt8], associated: [UInt8], code: [UInt8])
        /// AES-CCM with key material, whose vector follows the randomizer in the nonce.
        case material(randomizer: [UInt8], associated: [UInt8], code: [UInt8])
        /// AES in counter mode, which proves nothing; the message has the first octet of the key instead.
        case counterMode(first: [UInt8], keyCheck: UInt8)
    }

    /// A number that increases with each encryption.
    struct Counter {
        let value: UInt32
        /// The number of its bits: after the greatest value comes zero.
        let bits: UInt32

        /// Whether an earlier message has a greater number, which is less than half of all numbers ahead.
        func isOlder(than last: UInt32) -> Bool {
            let ahead = (last &- value) & (UInt32.max >> (32 - bits))
            return ahead > 0 && ahead < 1 << (bits - 1)
        }
    }

    let octets: [UInt8]
    let cipher: Cipher
    let counter: Counter?

    /// The decrypted octets; `nil` if the keys are for other data.
    func opened(with keys: AdvertisingKeys.Device) -> (octets: [UInt8]?, isTried: Bool) {
        switch cipher {
        case .ccm(let nonce, let associated, let code):
            guard let key = keys.key else { return (nil, false) }
            return (AESCCM.open(octets, code: code, associated: associated, nonce: nonce, key: key.octets), true)
        case .material(let randomizer, let associated, let code):
            guard let material = keys.material else { return (nil, false) }
            let nonce = randomizer + material.vector
            let key = material.sessionKey.octets
            return (AESCCM.open(octets, code: code, associated: associated, nonce: nonce, key: key), true)
        case .counterMode(let first, let keyCheck):
            guard let key = keys.key else { return (nil, false) }
            guard key.octets.first == keyCheck else { return (nil, true) }
            return (AESCounterMode.apply(key.octets, to: octets, from: first, .firstOctet), true)
        }
    }
}

extension ADElement {
    /// The encrypted part of the element; `nil` if it has none, or is of no known format.
    func seal(from address: BluetoothAddress) -> AdvertisedSeal? {
        switch self {
        case .serviceData(let data):
            switch data.uuid {
            case BTHome.service, BTHome.Version1.encryptedService: BTHome(data)?.seal(from: address)
            case MiBeacon.service: MiBeacon(data)?.seal(from: address)
            default: nil
            }
        case .manufacturerData(let data):
            data.company == VictronReadout.company ? VictronReadout(data)?.seal : nil
        case .encryptedData(let data): data.seal
        default: nil
        }
    }

    func with(_ decryption: AdvertisedDecryption) -> ADElement {
        switch self {
        case .serviceData(var data):
            data.decryption = decryption
            return .serviceData(data)
        case .manufacturerData(var data):
            data.decryption = decryption
            return .manufacturerData(data)
        case .encryptedData(var data):
            data.decryption = decryption
            return .encryptedData(data)
        default: return self
        }
    }
}
