// SPDX-License-Identifier: MIT

import Bluetooth

extension DeviceBuilder {
    /// How the device pairs. Combinations that contradict each other are faults.
    mutating func pairing(_ object: JSONCursor) -> DevicePairing {
        var pairing = DevicePairing()
        pairing.capability = object["io"]?.string.flatMap { DeviceWords.capabilities[$0] } ?? pairing.capability
        pairing.needsAuthentication = object["authentication"]?.string == "required"
        pairing.secureConnections =
            object["secure_connections"]?.string.flatMap { .init(rawValue: $0) } ?? pairing.secureConnections
        pairing.passkey = object["passkey"].flatMap { passkey($0, of: pairing) }
        pairing.maximumKeySize = integer(object["key_size"]) ?? pairing.maximumKeySize
        pairing.bonding = object["bonding"]?.string.flatMap { .init(rawValue: $0) } ?? pairing.bonding
        pairing.signs = object["signing"]?.bool ?? false
        pairing.refusal = object["refuses"].flatMap { refusal($0) }
        pairing.silence = object["silent_at"]?.string.flatMap { .init(rawValue: $0) }
        if let data = object["out_of_band"], let hash = key(data["hash"]), let random = key(data["random"]) {
            pairing.outOfBand = DevicePairing.OutOfBand(hash: hash, random: random)
            if pairing.secureConnections == .off {
                faults.add(data, "out-of-band data is for Secure Connections, which are off")
            }
        }
        if let address = object["private_address"] {
            pairing.addressLife = address.bool == true ? DevicePairing.usualAddressLife : duration(address)
        }
        if let silence = object["silent_at"], pairing.refusal != nil {
            faults.add(silence, "a device that refuses to pair is not silent; leave one of them out")
        }
        return pairing
    }

    /// Six digits as a number. They are a text in the file, because a number would lose leading zeros.
    private mutating func passkey(_ cursor: JSONCursor, of pairing: DevicePairing) -> UInt32? {
        guard let text = cursor.string, text.utf8.count == 6 else { return nil }
        guard let number = UInt32(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            faults.add(cursor, "a passkey has six digits")
            return nil
        }
        if pairing.capability == .noInputNoOutput {
            faults.add(cursor, "a device without input and output ('io') has no passkey")
        }
        return number
    }

    /// The reason for which the device refuses: a name of the specification, or any number.
    private func refusal(_ cursor: JSONCursor) -> PairingFailure? {
        if let name = cursor.string { return DeviceWords.pairingFailures.first { $0.name == name }?.failure }
        let number: UInt8? = integer(cursor)
        return number.map { PairingFailure(rawValue: $0) }
    }

    /// A value of 128 bits.
    private func key(_ cursor: JSONCursor?) -> SecurityKey? { hex(cursor).flatMap { SecurityKey(octets: $0) } }
}

extension DeviceWords {
    /// The words for input and output capabilities.
    static let capabilities: [String: IOCapability] = [
        "none": .noInputNoOutput, "display": .displayOnly, "yes-no": .displayYesNo, "keyboard": .keyboardOnly,
        "keyboard-display": .keyboardDisplay,
    ]

    /// The word for a capability.
    static func name(of capability: IOCapability) -> String {
        capabilities.first { $0.value == capability }?.key ?? "none"
    }

    /// The reasons that the specification knows, by their names with hyphens.
    static let pairingFailures: [(name: String, failure: PairingFailure)] = (1...0x10 as ClosedRange<UInt8>).map {
        number in
        let failure = PairingFailure(rawValue: number)
        let letters = failure.description.lowercased().map { $0.isLetter ? $0 : "-" }
        return (String(letters), failure)
    }
}
