// SPDX-License-Identifier: GPL-2.0-or-later

/// What is known of an advertiser from all its reports so far: what filters ask and a table shows.
///
/// Advertisers split what they have to say over advertisements, scan responses and advertising sets. What was said last
/// counts, save that a complete name is not replaced by a shortened one, and services add up. However much an advertiser
/// says, there is a limit to what is kept of it.
public struct AdvertiserInfo: Hashable, Sendable {
    /// The most that is kept of one advertiser.
    public enum Limit {
        /// Services offered, and services looked for.
        public static let services = 64
        /// Manufacturers whose data are kept.
        public static let manufacturers = 8
        /// Services whose data are kept.
        public static let serviceData = 16
    }

    /// Who advertises.
    public let address: DeviceAddress
    /// When the first report came.
    public let firstSeen: Instant
    /// When the last report came.
    public private(set) var lastSeen: Instant
    /// How many reports came.
    public private(set) var reportCount = 0
    /// How strong the last report was received, in dBm, where the controller knew.
    public private(set) var rssi: Int8?
    /// The PHY of the advertising channel of the last report.
    public private(set) var primaryPHY: LEPHY
    /// The PHY of the data of the last report, where they came on a secondary channel.
    public private(set) var secondaryPHY: LEPHY?
    /// The advertising set of the last report.
    public private(set) var advertisingSID: UInt8?
    /// Whether a report said that the advertiser can be connected.
    public private(set) var isConnectable = false
    /// Whether a report said that the advertiser has a scan response.
    public private(set) var isScannable = false
    /// Whether a scan response came.
    public private(set) var hasScanResponse = false
    /// Whether the last report came in a legacy PDU.
    public private(set) var isLegacy = false
    /// The name: the complete one where it was sent.
    public private(set) var name: ADLocalName?
    /// The flags.
    public private(set) var flags: ADFlags?
    /// The services offered, in the order in which they were first named.
    public private(set) var services: [BluetoothUUID] = []
    /// The services looked for, in the order in which they were first named.
    public private(set) var solicitedServices: [BluetoothUUID] = []
    /// The last data of each manufacturer, in the order in which they first came.
    public private(set) var manufacturerData: [ADManufacturerData] = []
    /// The last data of each service, in the order in which they first came.
    public private(set) var serviceData: [ADServiceData] = []
    /// The power it is sent with, in dBm, as the advertiser or the controller says.
    public private(set) var txPower: Int8?
    /// What the device looks like.
    public private(set) var appearance: UInt16?
    /// The last beacon.
    public private(set) var beacon: Beacon?

    /// Begins with the first report.
    public init(_ report: AdvertisingReport, _ data: AdvertisingData, now: Instant) {
        address = report.address
        firstSeen = now
        lastSeen = now
        primaryPHY = report.primaryPHY
        merge(report, data, now: now)
    }

    /// Takes in a further report. `data` are the report's, taken apart.
    public mutating func merge(_ report: AdvertisingReport, _ data: AdvertisingData, now: Instant) {
        lastSeen = now
        reportCount += 1
        rssi = report.rssi ?? rssi
        primaryPHY = report.primaryPHY
        secondaryPHY = report.secondaryPHY
        advertisingSID = report.advertisingSID
        isConnectable = isConnectable || report.properties.contains(.connectable)
        isScannable = isScannable || report.properties.contains(.scannable)
        hasScanResponse = hasScanResponse || report.properties.contains(.scanResponse)
        isLegacy = report.properties.contains(.legacy)
        txPower = report.txPower ?? txPower
        for element in data.elements {
            merge(element)
            beacon = Beacon(element) ?? beacon
        }
    }

    private mutating func merge(_ element: ADElement) {
        switch element {
        case .flags(let flags): self.flags = flags
        case .localName(let name):
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
            list[index] = value
        } else if list.count < limit {
            list.append(value)
        }
    }

    /// Whether the advertiser names the service as one it offers, or sends data of it.
    public func advertises(_ service: BluetoothUUID) -> Bool {
        services.contains(service) || serviceData.contains { $0.uuid == service }
    }

    /// Whether data of the manufacturer came.
    public func hasManufacturerData(company: UInt16) -> Bool {
        manufacturerData.contains { $0.company == company }
    }
}
