// SPDX-License-Identifier: GPL-2.0-or-later

/// A beacon: an advertisement that identifies a place or a thing, in one of the common formats.
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

    /// The beacon in an element; `nil` if it contains none.
    public init?(_ element: ADElement) {
        switch element {
        case .manufacturerData(let data):
            if let beacon = IBeacon(data) {
                self = .iBeacon(beacon)
            } else if let beacon = AltBeacon(data) {
                self = .altBeacon(beacon)
            } else {
                return nil
            }
        case .serviceData(let data) where data.uuid == Eddystone.service:
            guard let beacon = Eddystone.frame(data.data) else { return nil }
            self = beacon
        default:
            return nil
        }
    }

    /// The format in one word: `ibeacon`, `altbeacon`, `eddystone-uid`, …
    public var kind: String {
        switch self {
        case .iBeacon: "ibeacon"
        case .altBeacon: "altbeacon"
        case .eddystoneUID: "eddystone-uid"
        case .eddystoneURL: "eddystone-url"
        case .eddystoneTLM: "eddystone-tlm"
        case .eddystoneEncryptedTLM: "eddystone-etlm"
        case .eddystoneEID: "eddystone-eid"
        }
    }

    /// Whether both have the same format. It compares no texts, because it is done for each report of a beacon.
    func isSameKind(as other: Beacon) -> Bool {
        switch (self, other) {
        case (.iBeacon, .iBeacon), (.altBeacon, .altBeacon), (.eddystoneUID, .eddystoneUID),
            (.eddystoneURL, .eddystoneURL), (.eddystoneTLM, .eddystoneTLM),
            (.eddystoneEncryptedTLM, .eddystoneEncryptedTLM), (.eddystoneEID, .eddystoneEID):
            true
        case (.iBeacon, _), (.altBeacon, _), (.eddystoneUID, _), (.eddystoneURL, _), (.eddystoneTLM, _),
            (.eddystoneEncryptedTLM, _), (.eddystoneEID, _):
            false
        }
    }

    /// The elements of an advertisement of the beacon, without the flags.
    public var elements: [ADElement] {
        switch self {
        case .iBeacon(let beacon): [.manufacturerData(beacon.manufacturerData)]
        case .altBeacon(let beacon): [.manufacturerData(beacon.manufacturerData)]
        case .eddystoneUID(let frame): Eddystone.elements(.uid, frame)
        case .eddystoneURL(let frame): Eddystone.elements(.url, frame)
        case .eddystoneTLM(let frame): Eddystone.elements(.tlm, frame)
        case .eddystoneEncryptedTLM(let frame): Eddystone.elements(.tlm, frame)
        case .eddystoneEID(let frame): Eddystone.elements(.eid, frame)
        }
    }
}

extension Beacon: CustomStringConvertible {
    /// The beacon on one line. Must be escaped before a terminal sees it, because a device chose the text.
    public var description: String {
        switch self {
        case .iBeacon(let beacon):
            "iBeacon \(beacon.uuid.fullText) major \(beacon.major) minor \(beacon.minor) at \(beacon.measuredPower) dBm"
        case .altBeacon(let beacon): "AltBeacon \(Hex.string(beacon.identifier)) at \(beacon.referenceRSSI) dBm"
        case .eddystoneUID(let frame):
            "Eddystone UID \(Hex.string(frame.namespace)) \(Hex.string(frame.instance))"
        case .eddystoneURL(let frame): "Eddystone URL \(frame.url)"
        case .eddystoneTLM(let frame): "Eddystone TLM \(frame.text)"
        case .eddystoneEncryptedTLM: "Eddystone TLM, encrypted"
        case .eddystoneEID(let frame): "Eddystone EID \(Hex.string(frame.identifier))"
        }
    }
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
