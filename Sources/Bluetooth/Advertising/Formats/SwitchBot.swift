// SPDX-License-Identifier: MIT

/// The state or the measurements of a device of SwitchBot.
///
/// A device sends its model in the data of a service, mostly in the scan response, and most models send their values in
/// manufacturer data, mostly in the advertisement.
///
/// Spec: github.com/OpenWonderLabs/SwitchBotAPI-BLE and github.com/sblibs/pySwitchbot
public struct SwitchBot: Hashable, Sendable {
    /// The services whose data contain the model; devices with old firmware use the second one.
    static let services: [BluetoothUUID] = [0xFD3D, 0x0D00]
    static let companies: Set<UInt16> = [0x0969]

    /// The octet of the model, without the uppermost bit; `nil` if it has not been heard.
    public let modelCode: UInt8?
    /// Whether the device takes commands only from holders of a password.
    public let isProtected: Bool
    /// The service data; empty if they have not been heard.
    let serviceOctets: [UInt8]
    /// The manufacturer data; empty if they have not been heard.
    let companyOctets: [UInt8]
    private let element: ADElement

    /// Decodes service data, with the manufacturer data that were heard besides; `nil` if they are not SwitchBot's.
    public init?(_ data: ADServiceData) {
        guard Self.services.contains(data.uuid), !data.data.isEmpty else { return nil }
        // The second service has no owner, so that its model has to be a known one.
        if data.uuid != Self.services[0], Model(code: data.data[0] & 0x7F) == nil { return nil }
        self.init(
            service: data.data,
            company: data.companions?.manufacturerData.first { Self.companies.contains($0.company) }?.data ?? [],
            .serviceData(data)
        )
    }

    /// Decodes manufacturer data, with the service data that were heard besides; `nil` if they are not SwitchBot's.
    public init?(_ data: ADManufacturerData) {
        guard Self.companies.contains(data.company), data.data.count >= 6 else { return nil }
        self.init(
            service: data.companions?.serviceData.first { Self.services.contains($0.uuid) }?.data ?? [],
            company: data.data,
            .manufacturerData(data)
        )
    }

    private init(service: [UInt8], company: [UInt8], _ element: ADElement) {
        modelCode = service.first.map { $0 & 0x7F }
        isProtected = (service.first ?? 0) & 0x80 != 0
        serviceOctets = service
        companyOctets = company
        self.element = element
    }

    /// The device's address, which begins its manufacturer data.
    public var address: BluetoothAddress? {
        companyOctets.count < 6 ? nil : BluetoothAddress(mostSignificantFirst: Array(companyOctets.prefix(6)))
    }

    /// The model; `nil` if it has not been heard, or is unknown.
    var model: Model? { modelCode.flatMap { Model(code: $0) } }
}

extension SwitchBot: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .sensor,
        "SwitchBot",
        kinds: ["switchbot"],
        in: [.company(0x0969), .service(0xFD3D), .service(0x0D00)],
        keys: [
            "model", "battery_percent", "protected", "address", "temperature_c", "humidity_percent", "co2_ppm",
            "switch_mode", "on", "door", "motion", "light", "light_level", "button_count", "closed_percent", "moving",
            "calibrated", "power_w", "wifi_rssi_dbm", "water", "tampered", "tilt_percent", "lock", "level",
        ]
    )

    public var title: String { "SwitchBot" }

    public var service: BluetoothUUID? {
        if case .serviceData(let data) = element { data.uuid } else { Self.services.first }
    }

    public var facts: [AdvertisedFact] {
        let unknown = modelCode.map { "model 0x\(Hex.string($0, minimumDigits: 2))" }
        return [AdvertisedFact("model", model?.name ?? unknown, .main)] + (model.map { values(of: $0) } ?? []) + [
            AdvertisedFact("protected", modelCode == nil ? nil : isProtected, label: "password"),
            AdvertisedFact("address", address.map { "\($0)" }),
        ]
    }

    public var elements: [ADElement] { [element] }
}
