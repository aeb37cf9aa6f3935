// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// A beacon as a record and as text.
struct BeaconPresentation {
    let beacon: Beacon

    init(_ beacon: Beacon) { self.beacon = beacon }

    /// The beacon on one line. Must be escaped before it is printed.
    var text: String { beacon.description }

    /// The beacon as an object. It always has `kind`, which decides the other keys.
    var json: JSONValue {
        var members: [String: JSONValue] = ["kind": .string(beacon.kind)]
        switch beacon {
        case .iBeacon(let beacon):
            members["uuid"] = .string(beacon.uuid.fullText)
            members["major"] = .integer(Int64(beacon.major))
            members["minor"] = .integer(Int64(beacon.minor))
            members["measured_power_dbm"] = .integer(Int64(beacon.measuredPower))
        case .altBeacon(let beacon):
            members["company_id"] = .integer(Int64(beacon.company))
            members["identifier"] = .string(Hex.string(beacon.identifier))
            members["reference_rssi_dbm"] = .integer(Int64(beacon.referenceRSSI))
        case .eddystoneUID(let frame):
            members["namespace"] = .string(Hex.string(frame.namespace))
            members["instance"] = .string(Hex.string(frame.instance))
            members["ranging_data_dbm"] = .integer(Int64(frame.rangingData))
        case .eddystoneURL(let frame):
            members["url"] = .string(frame.url)
            members["tx_power_dbm"] = .integer(Int64(frame.txPower))
        case .eddystoneTLM(let frame):
            members["battery_mv"] = .optional(frame.batteryMillivolts)
            members["temperature_c"] = frame.temperature.map { .number($0) } ?? .null
            members["advertisement_count"] = .integer(Int64(frame.advertisementCount))
            members["uptime_s"] = .number(Double(frame.uptimeTenths) / 10)
        case .eddystoneEncryptedTLM:
            break
        case .eddystoneEID(let frame):
            members["identifier"] = .string(Hex.string(frame.identifier))
            members["ranging_data_dbm"] = .integer(Int64(frame.rangingData))
        }
        return .object(members)
    }
}
