// SPDX-License-Identifier: MIT

extension IBeacon: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .beacon,
        "iBeacon",
        kinds: ["ibeacon"],
        in: [.company(company)],
        keys: ["uuid", "major", "minor", "measured_power_dbm"]
    )

    public var title: String { "iBeacon" }

    public var facts: [AdvertisedFact] {
        [
            AdvertisedFact("uuid", uuid.fullText),
            AdvertisedFact("major", major),
            AdvertisedFact("minor", minor),
            AdvertisedFact("measured_power_dbm", measuredPower, unit: "dBm", label: "measured power"),
        ]
    }

    public func replaces(_ earlier: IBeacon) -> Bool {
        (uuid, major, minor) == (earlier.uuid, earlier.major, earlier.minor)
    }

    public var elements: [ADElement] { [.manufacturerData(manufacturerData)] }

    public var text: String { "iBeacon \(uuid.fullText) major \(major) minor \(minor) at \(measuredPower) dBm" }
}

extension AltBeacon: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .beacon,
        "AltBeacon",
        kinds: ["altbeacon"],
        in: [.anyCompany],
        keys: ["company_id", "identifier", "reference_rssi_dbm"]
    )

    public var title: String { "AltBeacon" }

    public var facts: [AdvertisedFact] {
        [
            AdvertisedFact("company_id", company),
            AdvertisedFact("identifier", .octets(identifier)),
            AdvertisedFact("reference_rssi_dbm", referenceRSSI, unit: "dBm", label: "reference RSSI"),
        ]
    }

    public func replaces(_ earlier: AltBeacon) -> Bool { identifier == earlier.identifier }

    public var elements: [ADElement] { [.manufacturerData(manufacturerData)] }

    public var text: String { "AltBeacon \(Hex.string(identifier)) at \(referenceRSSI) dBm" }
}

extension EddystoneUID: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .beacon,
        "Eddystone",
        kinds: ["eddystone-uid"],
        in: [.service(Eddystone.service)],
        keys: ["namespace", "instance", "ranging_data_dbm"]
    )

    public init?(_ data: ADServiceData) {
        guard let frame = Eddystone.frame(.uid, of: data, as: Self.self) else { return nil }
        self = frame
    }

    public var title: String { "Eddystone UID" }

    public var facts: [AdvertisedFact] {
        [
            AdvertisedFact("namespace", .octets(namespace), .main),
            AdvertisedFact("instance", .octets(instance), .main),
            AdvertisedFact("ranging_data_dbm", rangingData, unit: "dBm", label: "ranging data"),
        ]
    }

    public func replaces(_ earlier: EddystoneUID) -> Bool {
        (namespace, instance) == (earlier.namespace, earlier.instance)
    }

    public var elements: [ADElement] { Eddystone.elements(.uid, self) }
}

extension EddystoneURL: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .beacon,
        "Eddystone",
        kinds: ["eddystone-url"],
        in: [.service(Eddystone.service)],
        keys: ["url", "tx_power_dbm"]
    )

    public init?(_ data: ADServiceData) {
        guard let frame = Eddystone.frame(.url, of: data, as: Self.self) else { return nil }
        self = frame
    }

    public var title: String { "Eddystone URL" }

    public var facts: [AdvertisedFact] {
        [
            AdvertisedFact("url", url, .main),
            AdvertisedFact("tx_power_dbm", txPower, unit: "dBm", label: "TX power"),
        ]
    }

    public func replaces(_ earlier: EddystoneURL) -> Bool { url == earlier.url }

    public var elements: [ADElement] { Eddystone.elements(.url, self) }
}

extension EddystoneTLM: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .beacon,
        "Eddystone",
        kinds: ["eddystone-tlm"],
        in: [.service(Eddystone.service)],
        keys: ["battery_mv", "temperature_c", "advertisement_count", "uptime_s"]
    )

    public init?(_ data: ADServiceData) {
        guard let frame = Eddystone.frame(.tlm, of: data, as: Self.self) else { return nil }
        self = frame
    }

    public var title: String { "Eddystone TLM" }

    public var facts: [AdvertisedFact] {
        // 1/256 is 390625·10^-8.
        let temperature = temperature256ths.map { AdvertisedNumber(Int64($0) * 390_625, exponent: -8) }
        return [
            AdvertisedFact("battery_mv", batteryMillivolts, unit: "mV", label: "battery"),
            AdvertisedFact("temperature_c", temperature, unit: "°C", label: "temperature"),
            AdvertisedFact("advertisement_count", advertisementCount),
            AdvertisedFact("uptime_s", AdvertisedNumber(uptimeTenths, exponent: -1), unit: "s", label: "up"),
        ]
    }

    public var elements: [ADElement] { Eddystone.elements(.tlm, self) }

    /// The values on one line.
    public var text: String {
        var parts: [String] = []
        if let batteryMillivolts { parts.append("\(batteryMillivolts) mV") }
        if let temperature { parts.append("\(temperature) °C") }
        parts.append("\(count: advertisementCount, "advertisement")")
        parts.append("up \(uptimeTenths / 10) s")
        return "\(title) \(parts.joined(separator: ", "))"
    }
}

extension EddystoneEncryptedTLM: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .beacon,
        "Eddystone",
        kinds: ["eddystone-etlm"],
        in: [.service(Eddystone.service)]
    )

    public init?(_ data: ADServiceData) {
        guard let frame = Eddystone.frame(.tlm, of: data, as: Self.self) else { return nil }
        self = frame
    }

    public var title: String { "Eddystone TLM, encrypted" }

    public var facts: [AdvertisedFact] { [] }

    public var elements: [ADElement] { Eddystone.elements(.tlm, self) }
}

extension EddystoneEID: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .beacon,
        "Eddystone",
        kinds: ["eddystone-eid"],
        in: [.service(Eddystone.service)],
        keys: ["identifier", "ranging_data_dbm"]
    )

    public init?(_ data: ADServiceData) {
        guard let frame = Eddystone.frame(.eid, of: data, as: Self.self) else { return nil }
        self = frame
    }

    public var title: String { "Eddystone EID" }

    public var facts: [AdvertisedFact] {
        [
            AdvertisedFact("identifier", .octets(identifier), .main),
            AdvertisedFact("ranging_data_dbm", rangingData, unit: "dBm", label: "ranging data"),
        ]
    }

    public var elements: [ADElement] { Eddystone.elements(.eid, self) }
}
