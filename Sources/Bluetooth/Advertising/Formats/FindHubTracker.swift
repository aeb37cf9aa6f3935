// SPDX-License-Identifier: MIT

/// A tracker of Google's Find Hub network, formerly Find My Device. It has the service of Eddystone, and frame types of
/// its own.
///
/// Spec: developers.google.com/nearby/fast-pair, specifications, extensions, Find Hub Network, advertised frames
public struct FindHubTracker: Hashable, Sendable {
    /// The ephemeral identifier: 20 or 32 octets, by the curve.
    public let identifier: [UInt8]
    /// Whether protection against unwanted tracking is on, as it is some hours after the owner has left.
    public let protectsFromUnwantedTracking: Bool
    /// The flags, of which the identifier's key decides the meaning; `nil` if they are not sent.
    public let hashedFlags: UInt8?

    private static let frame: UInt8 = 0x40
    private static let protectedFrame: UInt8 = 0x41
    private static let shortIdentifier = 20
    private static let longIdentifier = 32

    /// Decodes service data; `nil` if they are another frame, or too short. Octets after the frame are ignored.
    public init?(_ data: ADServiceData) {
        guard data.uuid == Eddystone.service else { return nil }
        var reader = ByteReader(data.data)
        guard let type = try? reader.uint8("frame type"), type == Self.frame || type == Self.protectedFrame else {
            return nil
        }
        let length = reader.remaining >= Self.longIdentifier ? Self.longIdentifier : Self.shortIdentifier
        guard let identifier = try? reader.bytes(length, "ephemeral identifier") else { return nil }
        protectsFromUnwantedTracking = type == Self.protectedFrame
        self.identifier = identifier
        hashedFlags = try? reader.uint8("hashed flags")
    }
}

extension FindHubTracker: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .tracker,
        "Google Find Hub",
        kinds: ["find-hub"],
        in: [.service(Eddystone.service)],
        keys: ["identifier", "unwanted_tracking_protection", "hashed_flags"] + [AdvertisedFact].ownerKeys
    )

    public var title: String { "Google Find Hub tracker" }

    /// Without the protection, the tracker does not tell whether its owner is near.
    public var facts: [AdvertisedFact] {
        .owner(isNear: protectsFromUnwantedTracking ? false : nil) + [
            AdvertisedFact("identifier", .octets(identifier)),
            AdvertisedFact("unwanted_tracking_protection", protectsFromUnwantedTracking),
            AdvertisedFact("hashed_flags", hashedFlags),
        ]
    }

    public var elements: [ADElement] {
        let type = protectsFromUnwantedTracking ? Self.protectedFrame : Self.frame
        let flags = hashedFlags.map { [$0] } ?? []
        return [.serviceData(ADServiceData(Eddystone.service, [type] + identifier + flags))]
    }
}
