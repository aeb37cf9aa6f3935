// SPDX-License-Identifier: MIT

/// A tracker that is known by its service, and whose data only its manufacturer understands.
///
/// Spec: Assigned Numbers, 3.10 (member services); github.com/seemoo-lab/AirGuard; the Tile library of bestechnic's SDK
/// for the services before and after activation
public struct NamedTracker: Hashable, Sendable {
    private struct Name {
        let kind: String
        let title: String
    }

    private let data: ADServiceData

    private static let names: [BluetoothUUID: Name] = [
        0xFEED: Name(kind: "tile", title: "Tile"),
        0xFEEC: Name(kind: "tile", title: "Tile, not activated"),
        0xFD84: Name(kind: "tile", title: "Tile"),
        0xFE33: Name(kind: "chipolo", title: "Chipolo"),
        0xFA25: Name(kind: "pebblebee", title: "Pebblebee"),
    ]

    /// The octets of the service data.
    public var octets: [UInt8] { data.data }

    /// Takes service data; `nil` if the service is not known.
    public init?(_ data: ADServiceData) {
        guard Self.names[data.uuid] != nil else { return nil }
        self.data = data
    }
}

extension NamedTracker: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .tracker,
        "Tile, Chipolo, Pebblebee",
        kinds: ["tile", "chipolo", "pebblebee"],
        in: [.service(0xFEED), .service(0xFEEC), .service(0xFD84), .service(0xFE33), .service(0xFA25)],
        keys: ["data"]
    )

    public var kind: String { Self.names[data.uuid]?.kind ?? "" }

    public var title: String { Self.names[data.uuid]?.title ?? "" }

    public var service: BluetoothUUID? { data.uuid }

    public var facts: [AdvertisedFact] { [AdvertisedFact("data", .octets(octets))] }

    public var elements: [ADElement] { [.serviceData(data)] }
}
