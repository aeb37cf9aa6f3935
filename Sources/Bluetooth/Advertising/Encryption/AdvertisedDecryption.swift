// SPDX-License-Identifier: MIT

/// What has become of encrypted data whose sender has a key in `AdvertisingKeys`.
public enum AdvertisedDecryption: Hashable, Sendable {
    /// The key is not the one that they are encrypted with, or they were changed on their way.
    case wrongKey
    /// They are decrypted.
    ///
    /// - Parameters:
    ///   - isOlder: Whether their counter is less than that of earlier data: the device has begun anew, or somebody
    ///     repeats what it once sent.
    case decrypted([UInt8], isOlder: Bool)

    /// The decrypted octets; `nil` if the key does not fit.
    var octets: [UInt8]? {
        if case .decrypted(let octets, _) = self { octets } else { nil }
    }
}

extension AdvertisedDecryption {
    /// The keys of the facts that all formats with encryption share.
    static let keys = ["encrypted", "decryption", "counter_went_back"]
}

extension AdvertisedDecryption? {
    /// The title of a format, with what hinders its decoding.
    func title(_ title: String, isEncrypted: Bool) -> String {
        switch self {
        case _ where !isEncrypted: title
        case nil: "\(title), encrypted"
        case .wrongKey: "\(title), encrypted, the key does not fit"
        case .decrypted: title
        }
    }

    /// The facts that all formats with encryption share.
    func facts(isEncrypted: Bool) -> [AdvertisedFact] {
        var outcome: String?
        var isOlder: Bool?
        if isEncrypted {
            switch self {
            case nil: outcome = "no-key"
            case .wrongKey: outcome = "wrong-key"
            case .decrypted(_, let isOlderThanLast):
                outcome = "decrypted"
                isOlder = isOlderThanLast
            }
        }
        return [
            AdvertisedFact("encrypted", isEncrypted),
            AdvertisedFact("decryption", outcome),
            AdvertisedFact("counter_went_back", isOlder, label: "(the counter went back)", .named),
        ]
    }
}
