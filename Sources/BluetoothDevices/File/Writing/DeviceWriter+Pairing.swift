// SPDX-License-Identifier: MIT

import Bluetooth

extension DeviceWriter {
    /// The pairing of a device. Only members that differ from `DevicePairing()` are written, so that the file shows the
    /// special ones.
    static func pairing(_ pairing: DevicePairing) -> JSONNode {
        let usual = DevicePairing()
        return .object([
            "io": unless(usual.capability, pairing.capability) { .string(DeviceWords.name(of: $0)) },
            "authentication": pairing.needsAuthentication ? .string("required") : nil,
            "secure_connections": unless(usual.secureConnections, pairing.secureConnections) { .string($0.rawValue) },
            "passkey": pairing.passkey.map { .string(digits($0)) },
            "key_size": unless(usual.maximumKeySize, pairing.maximumKeySize) { .number($0) },
            "bonding": unless(usual.bonding, pairing.bonding) { .string($0.rawValue) },
            "signing": pairing.signs ? .bool(true) : nil,
            "refuses": pairing.refusal.map(refusal),
            "silent_at": pairing.silence.map { .string($0.rawValue) },
            "out_of_band": pairing.outOfBand.map {
                .object(["hash": hex($0.hash.octets), "random": hex($0.random.octets)])
            },
            "private_address": pairing.addressLife.map {
                $0 == DevicePairing.usualAddressLife ? .bool(true) : time($0)
            },
        ])
    }

    /// The six digits of a passkey. A number would lose the zeros in front.
    private static func digits(_ passkey: UInt32) -> String {
        let text = String(passkey)
        return String(repeating: "0", count: max(0, 6 - text.count)) + text
    }

    /// The word of a refusal, or the reason code of Pairing Failed if there is no word for it.
    private static func refusal(_ failure: PairingFailure) -> JSONNode {
        DeviceWords.pairingFailures.first { $0.failure == failure }.map { .string($0.name) }
            ?? .number(failure.rawValue)
    }
}
