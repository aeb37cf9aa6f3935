// SPDX-License-Identifier: MIT

package import Bluetooth

/// The side of another adapter that answers a pairing: the settings of its host, as Linux uses them.
///
/// Spec: Linux, net/bluetooth/smp.c, smp_cmd_pairing_req and build_pairing_cmd
package struct PairingAnswerer: Hashable, Sendable {
    /// The input and output there; `nil` if no program has prepared that adapter for pairings.
    package var capability: IOCapability?
    package var isBondable: Bool
    package var secureConnections: SetSecureConnections.Mode
    /// The out-of-band data that it has given away.
    package var data: OutOfBandData.Pair?
    /// The out-of-band data of the side that starts the pairing, if it was given them.
    package var partnerData: OutOfBandData.Pair?
    /// Whether it has private addresses, and sends its identity.
    package var hasIdentity = false
    /// Whether it asks for the identity of others.
    package var isResolving = false

    package enum Answer: Hashable, Sendable {
        case response(PairingFeatures)
        case refusal(PairingFailure)
    }

    /// The Pairing Response, or the reason with which the request is refused.
    package func answer(to request: PairingFeatures) -> Answer {
        guard let capability else { return .refusal(.pairingNotSupported) }
        let wanted = request.requirements
        guard isBondable || !wanted.contains(.bonding) else { return .refusal(.pairingNotSupported) }
        guard secureConnections != .only || wanted.contains(.secureConnections) else {
            return .refusal(.authenticationRequirements)
        }
        var possible: AuthenticationRequirements = [.bonding, .manInTheMiddleProtection]
        if secureConnections != .off { possible.insert(.secureConnections) }
        let keys: KeyDistribution = isBondable ? [.encryption, .signature] : []
        let response = PairingFeatures(
            ioCapability: capability,
            hasOutOfBandData: partnerData != nil && wanted.contains(.secureConnections) && secureConnections != .off,
            requirements: wanted.intersection(possible),
            initiatorKeys: request.initiatorKeys.intersection(isResolving ? keys.union(.identity) : keys),
            responderKeys: request.responderKeys.intersection(hasIdentity ? keys.union(.identity) : keys)
        )
        let isProtected = capability != .noInputNoOutput && wanted.contains(.manInTheMiddleProtection)
        let method = PairingMethod(request: request, response: response)
        guard !isProtected || method.isAuthenticated else { return .refusal(.authenticationRequirements) }
        return .response(response)
    }
}
