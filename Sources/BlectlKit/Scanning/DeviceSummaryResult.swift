// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// One device as a whole scan has heard it: `scan --summary`.
struct DeviceSummaryResult: RecordedResult {
    let history: DeviceHistory
    let timestamp: Timestamp
    /// The names of private services, beside the assigned ones.
    var formats = FormatCatalogue.assigned

    var record: Record {
        let info = history.info
        return Record(
            "device",
            at: timestamp,
            [
                "adapter": .optional(history.adapters.best),
                "address": .optional(info.address.type == .anonymous ? nil : info.address.address.description),
                "address_kind": .string(info.address.kind.rawValue),
                "address_type": .string(info.address.type.description),
                "appearance": .optional(info.appearance),
                "beacon": info.beacon.map { BeaconPresentation($0).json } ?? .null,
                "beacons": .array(info.beacons.map { BeaconPresentation($0).json }),
                "connectable": .bool(info.isConnectable),
                "count": .integer(Int64(history.reportCount)),
                "first_seen": .string(history.first.wall.description),
                "flags": .array((info.flags?.names ?? []).map { .string($0) }),
                "forgotten": .integer(Int64(info.forgottenCount)),
                "interval_ms": .optional(history.interval),
                "last_seen": .string(history.last.wall.description),
                "manufacturer": .array(info.manufacturerData.map(\.json)),
                "name": .optional(info.name?.text),
                "name_raw": .optional(info.name.map { Hex.string($0.bytes) }),
                "rssi_max_dbm": .optional(history.rssiRange?.upperBound),
                "rssi_mean_dbm": .optional(history.meanRSSI),
                "rssi_min_dbm": .optional(history.rssiRange?.lowerBound),
                "scannable": .bool(info.isScannable),
                "service_data": .array(info.serviceData.map { $0.json(formats) }),
                "service_names": .array(info.services.map { .optional(formats.name(ofService: $0)) }),
                "services": .array(info.services.map { .string($0.description) }),
                "tx_power_dbm": .optional(info.txPower),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? {
        let columns = DeviceColumns(history.info, formats)
        let strength =
            history.rssiRange.map { range in
                "\(range.lowerBound)/\(history.meanRSSI ?? 0)/\(range.upperBound) dBm"
            } ?? "? dBm"
        let interval = history.interval.map { "every \($0) ms" } ?? ""
        let name = columns.name.isEmpty ? style.paint("(no name)", .faint) : style.paint(columns.name, .cyan)
        let cells = [
            columns.address, TerminalText.padded(columns.kind, columns: 14), TerminalText.padded(strength, columns: 15),
            TerminalText.padded("\(count: history.reportCount, "report")", columns: 12),
            TerminalText.padded(interval, columns: 14),
        ]
        let heard = history.adapters.best.map { [TerminalText.escaped($0)] } ?? []
        return (cells + heard + [name] + (columns.what.isEmpty ? [] : [columns.what])).joined(separator: "  ")
    }
}

extension ADManufacturerData {
    fileprivate var json: JSONValue {
        .object([
            "company_id": .integer(Int64(company)),
            "company_name": .optional(AssignedNumbers.companyName(company)),
            "data": .string(Hex.string(data)),
        ])
    }
}

extension ADServiceData {
    fileprivate func json(_ formats: FormatCatalogue) -> JSONValue {
        .object([
            "data": .string(Hex.string(data)),
            "name": .optional(formats.name(ofService: uuid)),
            "uuid": .string(uuid.description),
        ])
    }
}
