// SPDX-License-Identifier: MIT

/// The way in which two devices prove to each other who they are.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.3.5.1
public enum PairingMethod: Hashable, Sendable, CustomStringConvertible {
    /// They do not: the pairing has no protection against a man in the middle.
    case justWorks
    /// A user enters a passkey of six digits.
    case passkeyEntry(PasskeySource)
    /// Both devices show six digits, and a user compares them.
    case numericComparison
    /// Data that came another way than by this link proves it.
    case outOfBand

    /// The origin of a passkey.
    public enum PasskeySource: Hashable, Sendable, CaseIterable {
        /// The initiator shows it, and it is entered at the responder.
        case initiatorDisplays
        /// The responder shows it, and it is entered at the initiator.
        case responderDisplays
        /// A user enters the same digits at both devices.
        case bothEnter
    }

    /// Whether the keys are protected against a man in the middle.
    public var isAuthenticated: Bool { self != .justWorks }

    /// The specification's name in lower case.
    public var description: String {
        switch self {
        case .justWorks: "just works"
        case .passkeyEntry: "passkey entry"
        case .numericComparison: "numeric comparison"
        case .outOfBand: "out of band"
        }
    }

    /// The method that a Pairing Request and its response lead to.
    public init(request: PairingFeatures, response: PairingFeatures) {
        let isSecure = request.requirements.intersection(response.requirements).contains(.secureConnections)
        let hasData = [request.hasOutOfBandData, response.hasOutOfBandData]
        let isProtected = request.requirements.union(response.requirements).contains(.manInTheMiddleProtection)
        // With Secure Connections the data of one side suffice; legacy pairing needs them on both sides.
        if isSecure ? hasData.contains(true) : !hasData.contains(false) {
            self = .outOfBand
        } else if !isProtected {
            self = .justWorks
        } else {
            self.init(
                initiator: request.ioCapability,
                responder: response.ioCapability,
                isSecureConnections: isSecure
            )
        }
    }

    /// The method that the input and output of two devices allow, without out-of-band data.
    ///
    /// - Parameters:
    ///   - initiator: The input and output of the device that starts the pairing.
    ///   - responder: The input and output of the other device.
    ///   - isSecureConnections: Whether both devices support Secure Connections.
    public init(initiator: IOCapability, responder: IOCapability, isSecureConnections: Bool) {
        switch (initiator, responder) {
        case (.noInputNoOutput, _), (_, .noInputNoOutput), (.displayOnly, .displayOnly),
            (.displayOnly, .displayYesNo), (.displayYesNo, .displayOnly):
            self = .justWorks
        case (.displayYesNo, .displayYesNo):
            self = isSecureConnections ? .numericComparison : .justWorks
        case (.displayYesNo, .keyboardDisplay), (.keyboardDisplay, .keyboardDisplay):
            self = isSecureConnections ? .numericComparison : .passkeyEntry(.initiatorDisplays)
        case (.keyboardDisplay, .displayYesNo):
            self = isSecureConnections ? .numericComparison : .passkeyEntry(.responderDisplays)
        case (.keyboardOnly, .keyboardOnly):
            self = .passkeyEntry(.bothEnter)
        case (.displayOnly, _), (_, .keyboardOnly):
            self = .passkeyEntry(.initiatorDisplays)
        case (.keyboardOnly, _), (_, .displayOnly):
            self = .passkeyEntry(.responderDisplays)
        }
    }
}
