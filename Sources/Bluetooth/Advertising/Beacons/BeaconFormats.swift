// SPDX-License-Identifier: MIT

extension IBeacon: AdvertisedFormat {
    public var kind: String { "ibeacon" }

    public var title: String { "iBeacon" }

    public var facts: [AdvertisedFact] {
        [
            AdvertisedFact("uuid", uuid.fullText),
            AdvertisedFact("major", major),
            AdvertisedFact("minor", minor),
            AdvertisedFact("measured_power_dbm", measuredPower, unit: "dBm", label: "measured power"),
        ]
    }

    public var elements: [ADElement] { [.manufacturerData(manufacturerData)] }

    public var text: String { "iBeacon \(uuid.fullText) major \(major) minor \(minor) at \(measuredPower) dBm" }
}

extension AltBeacon: AdvertisedFormat {
    public var kind: String { "altbeacon" }

    public var title: String { "AltBeacon" }

    public var facts: [AdvertisedFact] {
        [
            AdvertisedFact("company_id", company),
            AdvertisedFact("identifier", .octets(identifier)),
            AdvertisedFact("reference_rssi_dbm", referenceRSSI, unit: "dBm", label: "reference RSSI"),
        ]
    }

    public var elements: [ADElement] { [.manufacturerData(manufacturerData)] }

    public var text: String { "AltBeacon \(Hex.string(identifier)) at \(referenceRSSI) dBm" }
}

extension EddystoneUID: AdvertisedFormat {
    public var kind: String { "eddystone-uid" }

    public var title: String { "Eddystone UID" }

    public var service: BluetoothUUID? { Eddystone.service }

    public var facts: [AdvertisedFact] {
        [
            AdvertisedFact("namespace", .octets(namespace), .main),
            AdvertisedFact("instance", .octets(instance), .main),
            AdvertisedFact("ranging_data_dbm", rangingData, unit: "dBm", label: "ranging data"),
        ]
    }

    public var elements: [ADElement] { Eddystone.elements(.uid, self) }
}

extension EddystoneURL: AdvertisedFormat {
    public var kind: String { "eddystone-url" }

    public var title: String { "Eddystone URL" }

    public var service: BluetoothUUID? { Eddystone.service }

    public var facts: [AdvertisedFact] {
        [
            AdvertisedFact("url", url, .main),
            AdvertisedFact("tx_power_dbm", txPower, unit: "dBm", label: "TX power"),
        ]
    }

    public var elements: [ADElement] { Eddystone.elements(.url, self) }
}

extension EddystoneTLM: AdvertisedFormat {
    public var kind: String { "eddystone-tlm" }

    public var title: String { "Eddystone TLM" }

    public var service: BluetoothUUID? { Eddystone.service }

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
    public var kind: String { "eddystone-etlm" }

    public var title: String { "Eddystone TLM, encrypted" }

    public var service: BluetoothUUID? { Eddystone.service }

    public var facts: [AdvertisedFact] { [] }

    public var elements: [ADElement] { Eddystone.elements(.tlm, self) }
}

extension EddystoneEID: AdvertisedFormat {
    public var kind: String { "eddystone-eid" }

    public var title: String { "Eddystone EID" }

    public var service: BluetoothUUID? { Eddystone.service }

    public var facts: [AdvertisedFact] {
        [
            AdvertisedFact("identifier", .octets(identifier), .main),
            AdvertisedFact("ranging_data_dbm", rangingData, unit: "dBm", label: "ranging data"),
        ]
    }

    public var elements: [ADElement] { Eddystone.elements(.eid, self) }
}
