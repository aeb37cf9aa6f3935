// SPDX-License-Identifier: MIT

/// The accumulated data of an advertiser from all its reports, for filters and tables.
///
/// Advertisers spread their data over advertisements, scan responses and advertising sets, so that no single report has
/// all of it. Later values replace earlier ones, except that a shortened name does not replace a complete one; services
/// are added up, and of several beacons or data that are sent side by side or in turn, the last of each is kept. The
/// amount is limited, because an advertiser can send new data without end.
public struct AdvertiserInfo: Hashable, Sendable {
    /// The limits for one advertiser: a hostile device can advertise a new service or company in each packet. Services
    /// that exceed them are ignored; of beacons and data, the newest are kept.
    public enum Limit {
        /// The maximum number of services offered, and of services looked for.
        public static let services = 64
        /// The maximum number of manufacturer data.
        public static let manufacturers = 8
        /// The maximum number of service data.
        public static let serviceData = 16
        /// The maximum number of beacons.
        public static let beacons = 8
    }

    /// The advertiser's address.
    public let address: DeviceAddress
    /// The time of the first report.
    public let firstSeen: Instant
    /// The time of the last report.
    public private(set) var lastSeen: Instant
    /// The number of reports.
    public private(set) var reportCount = 0
    /// The signal strength of the last report in dBm, if the controller knew it.
    public private(set) var rssi: Int8?
    /// The PHY of the advertising channel of the last report.
    public private(set) var primaryPHY: LEPHY
    /// The PHY of the last report's data, if they were sent on a secondary channel.
    public private(set) var secondaryPHY: LEPHY?
    /// The number of the advertising set in the last report, 0 to 15; `nil` if the report had none.
    public private(set) var advertisingSID: UInt8?
    /// Whether any report was connectable.
    public private(set) var isConnectable = false
    /// Whether any report was scannable.
    public private(set) var isScannable = false
    /// Whether a scan response was received.
    public private(set) var hasScanResponse = false
    /// Whether the last report was a legacy PDU.
    public private(set) var isLegacy = false
    /// The name; the complete one if it was received.
    public private(set) var name: ADLocalName?
    /// The last flags; `nil` if none were received.
    public private(set) var flags: ADFlags?
    /// The services offered, in the order of their first appearance.
    public private(set) var services: [BluetoothUUID] = []
    /// The services looked for, in the order of their first appearance.
    public private(set) var solicitedServices: [BluetoothUUID] = []
    private var manufacturerEntries = AdvertisedEntries<ADManufacturerData>(limit: Limit.manufacturers)
    private var serviceEntries = AdvertisedEntries<ADServiceData>(limit: Limit.serviceData)
    private var beaconEntries = AdvertisedEntries<Beacon>(limit: Limit.beacons)
    /// The transmit power in dBm, from the advertising data or from the controller.
    public private(set) var txPower: Int8?
    /// The last appearance, as Assigned Numbers, 2.6 lists them; `nil` if none was received.
    public private(set) var appearance: UInt16?
    /// The last beacon.
    public private(set) var beacon: Beacon?

    /// The manufacturer data, in the order of their first appearance: the last of each that is sent side by side, in
    /// advertisement and scan response, or as beacons in turn.
    public var manufacturerData: [ADManufacturerData] { manufacturerEntries.contents }
    /// The service data, in the order of their first appearance: the last of each that is sent side by side, in
    /// advertisement and scan response, or as beacons in turn.
    public var serviceData: [ADServiceData] { serviceEntries.contents }
    /// The last content of each beacon, in the order of their first appearance: a device may send several in turn.
    public var beacons: [Beacon] { beaconEntries.contents }
    /// The number of beacons and data that have made room for others, because the device sends ever new ones.
    public var forgottenCount: Int {
        manufacturerEntries.forgottenCount + serviceEntries.forgottenCount + beaconEntries.forgottenCount
    }

    /// Creates the data from the first report. `data` is the report's decoded data.
    public init(_ report: AdvertisingReport, _ data: AdvertisingData, now: Instant) {
        address = report.address
        firstSeen = now
        lastSeen = now
        primaryPHY = report.primaryPHY
        merge(report, data, now: now)
    }

    /// Adds a report. `data` is the report's decoded data.
    public mutating func merge(_ report: AdvertisingReport, _ data: AdvertisingData, now: Instant) {
        lastSeen = now
        reportCount += 1
        // A report without a strength does not make the last one wrong.
        rssi = report.rssi ?? rssi
        primaryPHY = report.primaryPHY
        secondaryPHY = report.secondaryPHY
        advertisingSID = report.advertisingSID
        // Advertisement and scan response come as separate reports: what one of them says holds for the device.
        isConnectable = isConnectable || report.properties.contains(.connectable)
        isScannable = isScannable || report.properties.contains(.scannable)
        hasScanResponse = hasScanResponse || report.properties.contains(.scanResponse)
        isLegacy = report.properties.contains(.legacy)
        txPower = report.txPower ?? txPower
        var places = Places(report)
        for element in data.elements { merge(element, &places) }
    }

    /// The places of the data in one packet.
    private struct Places {
        private let isScanResponse: Bool
        private let set: UInt8?
        /// The number of data so far, by company and service.
        private var counts: [FormatRegistration.Source: Int] = [:]

        init(_ report: AdvertisingReport) {
            isScanResponse = report.properties.contains(.scanResponse)
            set = report.advertisingSID
        }

        mutating func next<Content>(_ source: FormatRegistration.Source) -> AdvertisedEntries<Content>.Place {
            let number = counts[source, default: 0]
            counts[source] = number + 1
            return AdvertisedEntries.Place(isScanResponse: isScanResponse, set: set, number: number)
        }
    }

    private mutating func merge(_ element: ADElement, _ places: inout Places) {
        switch element {
        case .flags(let flags): self.flags = flags
        case .localName(let name):
            // A shortened name never replaces a complete one.
            if !name.text.isEmpty, name.isComplete || self.name?.isComplete != true { self.name = name }
        case .services(let list):
            for uuid in list.uuids {
                if list.kind == .solicited {
                    Self.add(uuid, to: &solicitedServices)
                } else {
                    Self.add(uuid, to: &services)
                }
            }
        case .manufacturerData(let data):
            let beacon = merge(beaconIn: element)
            manufacturerEntries.put(data, beacon, at: places.next(.company(data.company)), in: reportCount) {
                $0.company == data.company
            }
        case .serviceData(let data):
            let beacon = merge(beaconIn: element)
            serviceEntries.put(data, beacon, at: places.next(.service(data.uuid)), in: reportCount) {
                $0.uuid == data.uuid
            }
        case .encryptedData: _ = merge(beaconIn: element)
        case .txPower(let power): txPower = power
        case .appearance(let appearance): self.appearance = appearance
        default: break
        }
    }

    private static func add(_ uuid: BluetoothUUID, to list: inout [BluetoothUUID]) {
        // The list is bounded, because a device may send new UUIDs without end.
        guard list.count < Limit.services, !list.contains(uuid) else { return }
        list.append(uuid)
    }

    private mutating func merge(beaconIn element: ADElement) -> Beacon? {
        guard let beacon = Beacon(element) else { return nil }
        self.beacon = beacon
        // Its place does not matter, because every entry is a beacon.
        let place = AdvertisedEntries<Beacon>.Place(isScanResponse: false, set: nil, number: 0)
        beaconEntries.put(beacon, beacon, at: place, in: reportCount) { _ in true }
        return beacon
    }

    /// Whether the advertiser offers the service, or sends data of it.
    public func advertises(_ service: BluetoothUUID) -> Bool {
        services.contains(service) || serviceEntries.contains { $0.uuid == service }
    }

    /// Whether data of the manufacturer were received.
    public func hasManufacturerData(company: UInt16) -> Bool {
        manufacturerEntries.contains { $0.company == company }
    }
}
