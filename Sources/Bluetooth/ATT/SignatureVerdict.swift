// SPDX-License-Identifier: MIT

/// The finding of the check of a signed write.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.4.5
public enum SignatureVerdict: Hashable, Sendable {
    /// The signature is that of the client, and its counter was not used before. `isAuthenticated` says whether the key
    /// is protected against a man in the middle.
    case valid(isAuthenticated: Bool)
    /// The signature is not that of the client.
    case wrong
    /// The signature is that of the client, and its counter was used before: the write is a replay.
    case replayed
}

extension SignatureVerdict: CustomStringConvertible {
    /// `valid`, `wrong` or `replayed`.
    public var description: String {
        switch self {
        case .valid: "valid"
        case .wrong: "wrong"
        case .replayed: "replayed"
        }
    }
}
