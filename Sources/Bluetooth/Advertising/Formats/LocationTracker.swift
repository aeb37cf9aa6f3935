// SPDX-License-Identifier: MIT

/// A tracker as all manufacturers send it for the detection of unwanted trackers (DULT).
///
/// Spec: draft-ietf-dult-accessory-protocol, location-enabled advertisement payload
public struct LocationTracker: Hashable, Sendable {
    /// The service whose data contain the format.
    public static let service: BluetoothUUID = 0xFCB2

    /// The number of the network that finds the tracker.
    public let network: UInt8
    /// Whether its owner is near.
    public let isNearOwner: Bool
    /// The octets of the network's own.
    public let payload: [UInt8]
    private let flags: UInt8

    /// Decodes service data; `nil` if they are too short.
    public init?(_ data: ADServiceData) {
        guard data.uuid == Self.service else { return nil }
        var reader = ByteReader(data.data)
        guard let network = try? reader.uint8("network ID"), let flags = try? reader.uint8("near-owner bit") else {
            return nil
        }
        self.network = network
        self.flags = flags
        isNearOwner = flags & 0x01 != 0
        payload = reader.rest()
    }

    /// The manufacturers in the draft's registry of networks.
    private static let networks: [UInt8: String] = [0x01: "Apple", 0x02: "Google"]
}

extension LocationTracker: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .tracker,
        "DULT (of all manufacturers)",
        kinds: ["dult"],
        in: [.service(service)],
        keys: ["network", "network_id", "payload"] + [AdvertisedFact].ownerKeys
    )

    public var title: String { "Location tracker" }

    public var facts: [AdvertisedFact] {
        [
            AdvertisedFact("network", Self.networks[network] ?? "network \(network)", .main),
            AdvertisedFact("network_id", network),
        ] + .owner(isNear: isNearOwner) + [
            AdvertisedFact("payload", payload.isEmpty ? nil : .octets(payload))
        ]
    }

    public var elements: [ADElement] { [.serviceData(ADServiceData(Self.service, [network, flags] + payload))] }
}
