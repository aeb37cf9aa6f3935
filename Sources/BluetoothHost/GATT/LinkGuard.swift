// SPDX-License-Identifier: MIT

package import Bluetooth

/// Has the say before the security of a link is raised: the kernel would pair with anybody for which it has no key, and
/// nobody would keep what comes of that.
package protocol LinkGuard: Sendable {
    /// Decides about a link, and pairs with its device if that is what it takes.
    ///
    /// What it throws is told to the user; nothing is then sent on the link without the security.
    ///
    /// - Parameters:
    ///   - link: The link.
    ///   - level: The level that it is to get.
    ///   - limit: The time that this may take.
    func mayRaise(_ link: ATTConnection, to level: SecurityLevel, within limit: Duration) async throws -> LinkVerdict

    /// The security of a link was raised, or the link had it already.
    func raised(_ security: LinkSecurity)
}

/// What a guard has decided, or done.
package enum LinkVerdict: Sendable {
    /// The kernel may raise the security. If it has no key, the user is told this error.
    case raise(otherwise: (any Error)?)
    /// The kernel may raise the security, and has a key that gives the level. If it has lost it, the user is told this error.
    case encrypt(otherwise: any Error)
    /// The device was paired with on this link.
    case paired(isKept: Bool)
    /// The device was paired with, and the link had to end for it: the key is for the next one.
    case replaced
}

/// A link has ended so that its device could be paired with. What was refused on it is to be repeated on the next one.
package struct LinkReplaced: Error, Sendable {}
