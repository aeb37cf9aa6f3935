// SPDX-License-Identifier: MIT

/// The identifier of a phone that warns of infections. It changes every few minutes.
///
/// Spec: Exposure Notification, Bluetooth Specification v1.2 (Apple and Google)
public struct ExposureNotification: Hashable, Sendable {
    /// The service whose data contain the identifier.
    public static let service: BluetoothUUID = 0xFD6F

    /// The rolling proximity identifier: 16 octets.
    public let identifier: [UInt8]
    /// The encrypted version and transmit power: 4 octets.
    public let metadata: [UInt8]

    /// Decodes service data; `nil` if they are too short.
    public init?(_ data: ADServiceData) {
        guard data.uuid == Self.service else { return nil }
        var reader = ByteReader(data.data)
        guard let identifier = try? reader.bytes(16, "rolling proximity identifier"),
            let metadata = try? reader.bytes(4, "associated encrypted metadata")
        else { return nil }
        self.identifier = identifier
        self.metadata = metadata
    }
}

extension ExposureNotification: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .message,
        "Exposure Notification",
        kinds: ["exposure-notification"],
        in: [.service(service)],
        keys: ["identifier", "metadata"]
    )

    public var title: String { "Exposure Notification" }

    public var facts: [AdvertisedFact] {
        [
            AdvertisedFact("identifier", .octets(identifier)),
            AdvertisedFact("metadata", .octets(metadata), label: "encrypted metadata"),
        ]
    }

    public var elements: [ADElement] { [.serviceData(ADServiceData(Self.service, identifier + metadata))] }
}
