// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceBuilder {
    /// The maximum number of octets of legacy advertising data. Spec: Core 5.4, Vol 6, Part B, 2.3.1.1
    private static let legacyLimit = 31
    /// The maximum number of octets of extended advertising data. Spec: Core 5.4, Vol 4, Part E, 7.8.57
    private static let extendedLimit = 1_650

    mutating func checkMembers(of set: DeviceAdvertising, _ object: JSONCursor) {
        if !set.isExtended {
            for key in ["sid", "connectable", "primary_phy", "secondary_phy"] {
                if let value = object[key] { faults.add(value, "only a set of the type 'extended' has this member") }
            }
            if let value = object["interval"], set.interval > .milliseconds(10_240) {
                faults.add(value, "expected at most 10.24 s, because the set is not extended")
            }
        }
        if let target = object["target"], set.kind != .connectable {
            faults.add(target, "only a set of the type 'connectable' has a target")
        }
    }

    /// A frame that is not longer than its set can send.
    mutating func frame(_ cursor: JSONCursor, isData: Bool, of set: DeviceAdvertising) -> AdvertisingFrame {
        frame(cursor, isData: isData, set.isExtended ? Self.extendedLimit : Self.legacyLimit)
    }

    /// A frame that is not longer than the limit in octets.
    mutating func frame(_ cursor: JSONCursor, isData: Bool, _ limit: Int) -> AdvertisingFrame {
        let frame: AdvertisingFrame
        if let octets = hex(cursor) {
            frame = AdvertisingFrame(octets.isEmpty ? [] : [.octets(octets)])
        } else {
            frame = self.frame(ofMembers: cursor, isData: isData)
        }
        let length = frame.encoded(at: .start).count
        guard length > limit else { return frame }
        let lengths = frame.fields.map { field in
            let octets = AdvertisingFrame([field]).encoded(at: .start)
            return octets.count > 1 ? "\(ADType(rawValue: octets[1])) \(octets.count)" : "\(octets.count)"
        }
        let advice = isData && limit == Self.legacyLimit ? "; \"scan_response\" has room for more" : ""
        let parts = lengths.joined(separator: ", ")
        faults.add(cursor, "the data have \(length) octets, but at most \(limit) can be sent: \(parts)\(advice)")
        return frame
    }

    /// A frame of members. They are sent in a fixed order, whatever their order in the file.
    private mutating func frame(ofMembers cursor: JSONCursor, isData: Bool) -> AdvertisingFrame {
        var elements: [ADElement] = []
        var flags: ADFlags = isData ? [.generalDiscoverable, .brEDRNotSupported] : []
        if let words = cursor["flags"].flatMap({ DeviceSchema.flags.read($0, &self) }) { flags = words }
        if !flags.isEmpty { elements.append(.flags(flags)) }
        elements += services(cursor, "services", .complete)
        elements += services(cursor, "incomplete_services", .incomplete)
        elements += services(cursor, "solicited_services", .solicited)
        if let appearance = cursor["appearance"].flatMap({ self.appearance($0) }) {
            elements.append(.appearance(appearance))
        }
        if let name = cursor["name"]?.string { elements.append(.localName(ADLocalName(name))) }
        if let name = cursor["short_name"]?.string { elements.append(.localName(ADLocalName(name, isComplete: false))) }
        if let power: Int8 = integer(cursor["tx_power"]) { elements.append(.txPower(power)) }
        if let uri = cursor["uri"]?.string { elements.append(.uri(ADURI(uri))) }
        for data in cursor["service_data"]?.elements ?? [] {
            guard let uuid = uuid(data["uuid"], .service), let octets = hex(data["data"]) else { continue }
            elements.append(.serviceData(ADServiceData(uuid.attForm, octets)))
        }
        for data in cursor["manufacturer"]?.elements ?? [] {
            guard let company = numeral(data["company"]) as UInt16?, let octets = hex(data["data"]) else { continue }
            elements.append(.manufacturerData(ADManufacturerData(company: company, octets)))
        }
        elements += beacons(cursor)
        // The length octet of an element counts its type too, so that 254 octets of data fit.
        for (index, element) in elements.enumerated() where element.structure.data.count > 254 {
            faults.add(cursor, "part \(index + 1) of the data has more than 254 octets")
        }
        var fields = elements.map { AdvertisingFrame.Field.element($0) }
        if let telemetry = cursor["eddystone_tlm"] { fields.append(self.telemetry(telemetry)) }
        if let raw = hex(cursor["raw"]), !raw.isEmpty { fields.append(.octets(raw)) }
        return AdvertisingFrame(fields)
    }

    /// The lists of services, one for each length of UUIDs. A frame with an Eddystone part needs the service of
    /// Eddystone in its list.
    private func services(_ frame: JSONCursor, _ key: String, _ kind: ADServiceList.Kind) -> [ADElement] {
        guard let list = frame[key]?.elements else {
            let isEddystone = ["eddystone_url", "eddystone_uid", "eddystone_tlm"].contains { frame[$0] != nil }
            guard isEddystone, kind == .complete else { return [] }
            return [.services(ADServiceList(.complete, .bits16, [Eddystone.service]))]
        }
        return ADServiceList.lists(kind, list.compactMap { uuid($0, .service) }).map { .services($0) }
    }

    /// The beacons among the members, as the elements that carry them.
    private mutating func beacons(_ frame: JSONCursor) -> [ADElement] {
        var elements: [ADElement] = []
        if let beacon = frame["ibeacon"], let uuid = beacon["uuid"]?.string.flatMap({ BluetoothUUID($0) }) {
            let iBeacon = IBeacon(
                uuid: uuid,
                major: numeral(beacon["major"]) ?? 0,
                minor: numeral(beacon["minor"]) ?? 0,
                measuredPower: integer(beacon["power"]) ?? -59
            )
            elements.append(.manufacturerData(iBeacon.manufacturerData))
        }
        if let beacon = frame["altbeacon"], let identifier = hex(beacon["id"]) {
            let altBeacon = AltBeacon(
                company: numeral(beacon["company"]) ?? 0xFFFF,
                identifier: identifier,
                referenceRSSI: integer(beacon["power"]) ?? -59,
                reserved: numeral(beacon["reserved"]) ?? 0
            )
            if let altBeacon { elements.append(.manufacturerData(altBeacon.manufacturerData)) }
        }
        if let beacon = frame["eddystone_url"], let url = beacon["url"]?.string {
            if let content = EddystoneURL(txPower: integer(beacon["power"]) ?? -20, url: url) {
                elements += Self.serviceData(of: content)
            } else {
                faults.add(beacon["url"] ?? beacon, "expected an address of ASCII that begins with http:// or https://")
            }
        }
        if let beacon = frame["eddystone_uid"], let namespace = hex(beacon["namespace"]),
            let instance = hex(beacon["instance"]),
            let content = EddystoneUID(
                rangingData: integer(beacon["power"]) ?? -20,
                namespace: namespace,
                instance: instance
            )
        {
            elements += Self.serviceData(of: content)
        }
        return elements
    }

    /// The elements of a beacon without the list of services, which has its own place.
    static func serviceData(of beacon: some AdvertisedFormat) -> [ADElement] {
        beacon.elements.filter { if case .serviceData = $0 { true } else { false } }
    }

    /// The telemetry of Eddystone. Voltage has a resolution of 1 mV, and temperature is a number with 8
    /// fractional bits.
    private mutating func telemetry(_ beacon: JSONCursor) -> AdvertisingFrame.Field {
        var millivolts: UInt16 = 0
        if let voltage = beacon["voltage"], let number = voltage.number {
            if let value = number.multiplied(by: 1_000).integer.flatMap({ UInt16(exactly: $0) }) {
                millivolts = value
            } else {
                faults.add(voltage, "expected a number from 0 to 65.535 with at most 3 digits after the point")
            }
        }
        // -128 °C is 0x8000, the value of a beacon that does not measure its temperature.
        let temperature = beacon["temperature"]?.number?.double ?? -128
        if !(-128..<128).contains(temperature), let cursor = beacon["temperature"] {
            faults.add(cursor, "expected a number from -128 to less than 128")
        }
        return .eddystoneTelemetry(millivolts: millivolts, temperature: temperature)
    }
}

extension DeviceAdvertising {
    fileprivate var isExtended: Bool { if case .extended = kind { true } else { false } }
}
