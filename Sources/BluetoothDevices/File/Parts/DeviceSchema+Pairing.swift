// SPDX-License-Identifier: MIT

import Bluetooth

extension DeviceSchema {
    static let pairing = DeviceType(
        .pairing,
        "How a simulated device pairs with the simulated kernel, and what becomes of the keys.",
        "Permissions of characteristics say what a link needs.",
        form: .object(usual: DevicePairing(), pairingMembers) { object, pairing, builder in
            if let passkey = object["passkey"], pairing.passkey != nil, pairing.capability == .noInputNoOutput {
                builder.faults.add(passkey, "a device without input and output ('io') has no passkey")
            }
            if let data = object["out_of_band"], pairing.outOfBand != nil, pairing.secureConnections == .off {
                builder.faults.add(data, "out-of-band data is for Secure Connections, which are off")
            }
            if let silence = object["silent_at"], pairing.refusal != nil {
                builder.faults.add(silence, "a device that refuses to pair is not silent; leave one of them out")
            }
        }
    )

    private static let pairingMembers: [DeviceMember<DevicePairing>] = [
        DeviceMember(
            "io",
            .words([
                ("none", .noInputNoOutput, "neither"),
                ("display", .displayOnly, "shows six digits"),
                ("yes-no", .displayYesNo, "shows them, and its user says whether they are the same"),
                ("keyboard", .keyboardOnly, "its user enters six digits"),
                ("keyboard-display", .keyboardDisplay, "shows and enters"),
            ]),
            \.capability
        )
        .meaning("Input and output of the device, which help decide how it pairs."),
        DeviceMember(
            "authentication",
            .words([
                ("none", false, "any pairing will do"),
                ("required", true, "protection against a man in the middle"),
            ]),
            \.needsAuthentication
        )
        .meaning("Protection that the device demands."),
        DeviceMember(
            "secure_connections",
            .words([
                .on: "with a central that supports it", .off: "legacy pairing only", .only: "no pairing without",
            ]),
            \.secureConnections
        )
        .meaning("Use of Secure Connections."),
        DeviceMember("passkey", passkey, optional: \.passkey)
            .byDefault("random digits, or those that the other side shows")
            .meaning("Six digits that it shows, or that its user enters."),
        DeviceMember("key_size", .integer(7...16), \.maximumKeySize).meaning("Longest key in octets."),
        DeviceMember(
            "bonding",
            .words([
                .kept: "the device keeps them",
                .none: "it does not bond",
                .forgotten: "lost at the next link",
                .otherKey: "the next link is encrypted with another key",
            ]),
            \.bonding
        )
        .meaning("What becomes of the keys."),
        DeviceMember("signing", .bool, \.signs).meaning("Whether signature keys are exchanged, too."),
        DeviceMember("refuses", refusal, optional: \.refusal)
            .byDefault("it does not refuse")
            .meaning("Reason with which the device refuses to pair."),
        DeviceMember(
            "silent_at",
            .words([
                .request: "no answer to the request",
                .confirmation: "no proof of what it knows",
                .keys: "no keys are sent",
            ]),
            optional: \.silence
        )
        .byDefault("it answers")
        .meaning("Step at which the device stops to answer."),
        DeviceMember(
            "out_of_band",
            .object(
                usual: DevicePairing.OutOfBand(hash: SecurityKey(0), random: SecurityKey(0)),
                [
                    DeviceMember(required: "hash", key, \.hash).meaning("Hash, most significant octet first."),
                    DeviceMember(required: "random", key, \.random).meaning("Random number in it."),
                ]
            ),
            optional: \.outOfBand
        )
        .byDefault("it needs none")
        .meaning("Out-of-band data of the device, without which it does not pair."),
        DeviceMember(
            "private_address",
            .anyOf(
                DeviceForm(
                    kind: .onlyTrue,
                    read: { cursor, _ in cursor.bool == true ? DevicePairing.usualAddressLife : nil },
                    write: { life, _ in life == DevicePairing.usualAddressLife ? .bool(true) : nil }
                )
                .meaning("15 minutes"),
                .duration(.seconds(1) ... .seconds(41_400))
            ),
            optional: \.addressLife
        )
        .byDefault("the device has its address")
        .meaning(
            "How long the device keeps a resolvable private address. The address above is its identity."
        ),
    ]

    /// Six digits. They are a text in the file, because a number would lose the zeros in front.
    private static let passkey = DeviceForm<UInt32>(
        kind: .text(.any(octets: 6...6)),
        read: { cursor, builder in
            guard let text = cursor.string, text.utf8.count == 6 else { return nil }
            if let number = UInt32(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return number }
            builder.faults.add(cursor, "a passkey has six digits")
            return nil
        },
        write: { passkey, _ in
            let text = String(passkey)
            return .string(String(repeating: "0", count: max(0, 6 - text.count)) + text)
        }
    )

    /// The reason for which a device refuses: a name of the specification, or any number.
    private static let refusal = DeviceForm<PairingFailure>.anyOf(
        .words(DeviceWords.pairingFailures.map { ($0.name, $0.failure, "") }),
        DeviceForm<UInt8>.numeral(1...255).map({ PairingFailure(rawValue: $0) }, from: \.rawValue)
    )

    /// A value of 128 bits.
    private static let key = DeviceForm<[UInt8]>.hex(16...16).map({ SecurityKey(octets: $0) }, from: \.octets)
}

enum DeviceWords {
    /// The reasons that the specification knows, by their names with hyphens.
    static let pairingFailures: [(name: String, failure: PairingFailure)] = (1...0x10 as ClosedRange<UInt8>).map {
        number in
        let failure = PairingFailure(rawValue: number)
        let letters = failure.description.lowercased().map { $0.isLetter ? $0 : "-" }
        return (String(letters), failure)
    }
}
