// SPDX-License-Identifier: MIT

package import Bluetooth

/// Checks the signatures of writes with the keys of centrals.
package protocol SignatureChecker: Sendable {
    /// Checks the signature of a central's write; `nil` if no key of the central is stored. A counter is accepted once
    /// only. Throws if the keys cannot be read, or the counter cannot be stored.
    func verdict(on write: SignedWriteCommand, from central: DeviceAddress) async throws -> SignatureVerdict?
}
