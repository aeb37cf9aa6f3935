// SPDX-License-Identifier: MIT

package import Bluetooth

/// Decides before the security of a link is raised: without a key the kernel would pair with any device, and the keys
/// of that pairing would not be kept.
package protocol LinkGuard: Sendable {
    /// Decides about a link, and pairs with its device if the security needs it.
    ///
    /// An error that it throws goes to the user; nothing is then sent on the link without the security.
    func mayRaise(_ link: ATTConnection, to level: SecurityLevel, within limit: Duration) async throws -> LinkVerdict

    /// Whether the same attempt may succeed later, without any change, after an error that `mayRaise` has thrown.
    func mayPass(_ error: any Error) -> Bool

    /// The security of a link was raised, or the link had it already.
    func raised(_ security: LinkSecurity)
}

extension LinkGuard {
    package func mayPass(_ error: any Error) -> Bool { false }
}

package enum LinkVerdict: Sendable {
    /// The kernel may raise the security. If it has no key, this error goes to the user.
    case raise(otherwise: (any Error)?)
    /// The kernel may raise the security, and has a key that gives the level. If it has lost the key, this error goes
    /// to the user.
    case encrypt(otherwise: any Error)
    /// The device was paired with on this link.
    case paired(isKept: Bool)
    /// The device was paired with, and the link had to end for it: the key is for the next one.
    case replaced
}

/// The link ended on purpose. The operation has to be repeated on the next link.
package struct LinkReplaced: Error, Sendable {
    package enum Reason: Sendable {
        /// The device was paired with, and the key is for the next link.
        case pairing
        /// The device does not take the exchange of the MTU, which is left out on the next link.
        case exchange
    }

    package let reason: Reason
}
