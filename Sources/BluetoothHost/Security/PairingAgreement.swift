// SPDX-License-Identifier: MIT

package import Bluetooth

package struct PairingAgreement: Hashable, Sendable {
    package let method: PairingMethod
    package let isSecureConnections: Bool
    /// The length of the encryption key in octets.
    package let keySize: UInt8
    /// Whether both sides keep the keys.
    package let isBonding: Bool
    /// The keys that the side sends that has asked for the pairing.
    package let initiatorKeys: KeyDistribution
    /// The keys that the other side sends.
    package let responderKeys: KeyDistribution
}

extension PairingAgreement {
    package init(request: PairingFeatures, response: PairingFeatures) {
        let isSecure = request.requirements.intersection(response.requirements).contains(.secureConnections)
        // Secure Connections make the long-term key, so that none is sent.
        let notSent: KeyDistribution = isSecure ? [.encryption, .link] : [.link]
        self.init(
            method: PairingMethod(request: request, response: response),
            isSecureConnections: isSecure,
            keySize: min(request.maximumKeySize, response.maximumKeySize),
            isBonding: request.requirements.intersection(response.requirements).contains(.bonding),
            initiatorKeys: request.initiatorKeys.intersection(response.initiatorKeys).subtracting(notSent),
            responderKeys: request.responderKeys.intersection(response.responderKeys).subtracting(notSent)
        )
    }

    package var kind: LongTermKey.Kind {
        switch (isSecureConnections, method.isAuthenticated) {
        case (true, true): .authenticatedP256
        case (true, false): .unauthenticatedP256
        case (false, true): .authenticatedLegacy
        case (false, false): .unauthenticatedLegacy
        }
    }

    package var security: LinkSecurity {
        LinkSecurity(
            isEncrypted: true,
            isAuthenticated: method.isAuthenticated,
            isSecureConnections: isSecureConnections,
            keySize: keySize,
            hasBond: isBonding
        )
    }
}

/// The keys that a pairing gives to one end.
package struct GeneratedKeys: Hashable, Sendable {
    package var longTerm: [LongTermKey]
    package var signature: [SignatureResolvingKey]

    package init(longTerm: [LongTermKey] = [], signature: [SignatureResolvingKey] = []) {
        self.longTerm = longTerm
        self.signature = signature
    }
}
