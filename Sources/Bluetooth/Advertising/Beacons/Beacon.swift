// SPDX-License-Identifier: MIT

/// The content of an advertisement in one of the common formats: a beacon, which identifies a place or a thing, a
/// sensor that measures, or a vendor's message.
public enum Beacon: Hashable, Sendable {
    /// Apple's iBeacon.
    case iBeacon(IBeacon)
    /// AltBeacon, an open format for all manufacturers.
    case altBeacon(AltBeacon)
    /// Eddystone: an identifier.
    case eddystoneUID(EddystoneUID)
    /// Eddystone: a web address.
    case eddystoneURL(EddystoneURL)
    /// Eddystone: the state of the beacon.
    case eddystoneTLM(EddystoneTLM)
    /// Eddystone: the state of the beacon, readable by holders of the key.
    case eddystoneEncryptedTLM(EddystoneEncryptedTLM)
    /// Eddystone: a changing identifier that only holders of the key can resolve.
    case eddystoneEID(EddystoneEID)
    /// A RuuviTag.
    case ruuvi(RuuviTag)
    /// A Ruuvi Air.
    case ruuviAir(RuuviAir)
    /// A sensor in the open format of BTHome.
    case btHome(BTHome)
    /// A thermometer of Xiaomi with free firmware.
    case atc(ATCThermometer)
    /// A device of Xiaomi's ecosystem.
    case miBeacon(MiBeacon)
    /// A thermometer of Govee.
    case govee(GoveeThermometer)
    /// Messages among devices of Apple.
    case apple(AppleContinuity)
    /// Windows or an accessory of it.
    case microsoft(MicrosoftAdvertisement)
    /// An accessory with Google Fast Pair.
    case fastPair(FastPair)
    /// A phone that warns of infections.
    case exposureNotification(ExposureNotification)

    /// The content of an element; `nil` if it has none of the formats.
    ///
    /// It is looked up by the company or the service, because it is done for each element of each report, of which most
    /// have none.
    public init?(_ element: ADElement) {
        let beacon: Beacon? =
            switch element {
            case .manufacturerData(let data): Self.beacon(in: data)
            case .serviceData(let data): Self.beacon(in: data)
            default: nil
            }
        guard let beacon else { return nil }
        self = beacon
    }

    private static func beacon(in data: ADManufacturerData) -> Beacon? {
        // Any company may send an AltBeacon.
        if let beacon = AltBeacon(data) { return .altBeacon(beacon) }
        return switch data.company {
        case IBeacon.company: IBeacon(data).map(Beacon.iBeacon) ?? AppleContinuity(data).map(Beacon.apple)
        case RuuviTag.company: RuuviTag(data).map(Beacon.ruuvi) ?? RuuviAir(data).map(Beacon.ruuviAir)
        case MicrosoftAdvertisement.company: MicrosoftAdvertisement(data).map(Beacon.microsoft)
        case GoveeThermometer.Company.classic, GoveeThermometer.Company.shared, GoveeThermometer.Company.h5179:
            GoveeThermometer(data).map(Beacon.govee)
        default: nil
        }
    }

    private static func beacon(in data: ADServiceData) -> Beacon? {
        switch data.uuid {
        case Eddystone.service: Eddystone.frame(data.data)
        case BTHome.service: BTHome(data).map(Beacon.btHome)
        case ATCThermometer.service: ATCThermometer(data).map(Beacon.atc)
        case MiBeacon.service: MiBeacon(data).map(Beacon.miBeacon)
        case FastPair.service: FastPair(data).map(Beacon.fastPair)
        case ExposureNotification.service: ExposureNotification(data).map(Beacon.exposureNotification)
        default: nil
        }
    }

    /// The content as a value of the protocol that all formats share.
    public var content: any AdvertisedFormat {
        switch self {
        case .iBeacon(let content): content
        case .altBeacon(let content): content
        case .eddystoneUID(let content): content
        case .eddystoneURL(let content): content
        case .eddystoneTLM(let content): content
        case .eddystoneEncryptedTLM(let content): content
        case .eddystoneEID(let content): content
        case .ruuvi(let content): content
        case .ruuviAir(let content): content
        case .btHome(let content): content
        case .atc(let content): content
        case .miBeacon(let content): content
        case .govee(let content): content
        case .apple(let content): content
        case .microsoft(let content): content
        case .fastPair(let content): content
        case .exposureNotification(let content): content
        }
    }

    /// The format in one word: `ibeacon`, `altbeacon`, `eddystone-uid`, `ruuvi`, …
    public var kind: String { content.kind }

    /// The elements of an advertisement of the beacon, without the flags.
    public var elements: [ADElement] { content.elements }

    /// Whether both have the same format. It compares no texts, because it is done for each report of a beacon.
    func isSameKind(as other: Beacon) -> Bool { number == other.number }

    /// A number for each format.
    private var number: Int {
        switch self {
        case .iBeacon: 0
        case .altBeacon: 1
        case .eddystoneUID: 2
        case .eddystoneURL: 3
        case .eddystoneTLM: 4
        case .eddystoneEncryptedTLM: 5
        case .eddystoneEID: 6
        case .ruuvi: 7
        case .btHome: 8
        case .atc: 9
        case .miBeacon: 10
        case .govee: 11
        case .apple: 12
        case .microsoft: 13
        case .fastPair: 14
        case .exposureNotification: 15
        case .ruuviAir: 16
        }
    }
}

extension Beacon: CustomStringConvertible {
    /// The beacon on one line. Must be escaped before a terminal sees it, because a device chose the text.
    public var description: String { content.text }
}

extension AdvertisingData {
    /// The first beacon in the data; `nil` if there is none.
    public var beacon: Beacon? {
        for element in elements {
            if let beacon = Beacon(element) { return beacon }
        }
        return nil
    }
}
