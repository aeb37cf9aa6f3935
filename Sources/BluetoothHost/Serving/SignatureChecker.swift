// SPDX-License-Identifier: MIT

package import Bluetooth

/// Checks the signatures of writes with the keys of centrals.
package protocol SignatureChecker: Sendable {
    /// What the check of a central's write finds; `nil` if no key of it is kept. A number that was found valid once never is
    /// again. Throws if the keys cannot be read, or the number cannot be kept.
    func verdict(on write: SignedWriteCommand, from central: DeviceAddress) async throws -> SignatureVerdict?
}
