// SPDX-License-Identifier: MIT

/// The accumulated data of an advertiser from all its reports, for filters and tables.
///
/// Advertisers spread their data over advertisements, scan responses and advertising sets, so that no single report has
/// all of it. Later values replace earlier ones, except that a shortened name does not replace a complete one; services
/// are added up. The amount is limited, because an advertiser can send new data without end.
public struct AdvertiserInfo: Hashable, Sendable {
    /// The limits for one advertiser. What exceeds them is ignored: a hostile device can advertise a new service or
    /// company in each packet.
    public enum Limit {
        /// The maximum number of services offered, and of services looked for.
        public static let services = 64
        /// The maximum number of manufacturers whose data are kept.
        public static let manufacturers = 8
        /// The maximum number of services whose data are kept.
        public static let serviceData = 16
        /// The maximum number of kinds of beacons.
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
    /// The last data of each manufacturer, in the order of their first appearance.
    public private(set) var manufacturerData: [ADManufacturerData] = []
    /// The last data of each service, in the order of their first appearance.
    public private(set) var serviceData: [ADServiceData] = []
    /// The transmit power in dBm, from the advertising data or from the controller.
    public private(set) var txPower: Int8?
    /// The last appearance, as Assigned Numbers, 2.6 lists them; `nil` if none was received.
    public private(set) var appearance: UInt16?
    /// The last beacon.
    public private(set) var beacon: Beacon?
    /// The last beacon of each kind, in the order of their first appearance: a device may send several in turn.
    public private(set) var beacons: [Beacon] = []

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
        for element in data.elements {
            merge(element)
            guard let beacon = Beacon(element) else { continue }
            self.beacon = beacon
            Self.put(beacon, in: &beacons, limit: Limit.beacons) { beacon.replaces($0) }
        }
    }

    private mutating func merge(_ element: ADElement) {
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
            Self.put(data, in: &manufacturerData, limit: Limit.manufacturers) { $0.company == data.company }
        case .serviceData(let data):
            Self.put(data, in: &serviceData, limit: Limit.serviceData) { $0.uuid == data.uuid }
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

    private static func put<Value>(
        _ value: Value,
        in list: inout [Value],
        limit: Int,
        replacing isSame: (Value) -> Bool
    ) {
        if let index = list.firstIndex(where: isSame) {
            // The same company or service again: the newest data count.
            list[index] = value
        } else if list.count < limit {
            list.append(value)
        }
    }

    /// Whether the advertiser offers the service, or sends data of it.
    public func advertises(_ service: BluetoothUUID) -> Bool {
        services.contains(service) || serviceData.contains { $0.uuid == service }
    }

    /// Whether data of the manufacturer were received.
    public func hasManufacturerData(company: UInt16) -> Bool {
        manufacturerData.contains { $0.company == company }
    }
}
