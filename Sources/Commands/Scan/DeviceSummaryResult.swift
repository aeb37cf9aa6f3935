// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Records
import Terminal
import Toolkit

/// One device as a whole scan has heard it: `scan --summary`.
struct DeviceSummaryResult: RecordedResult {
    let history: DeviceHistory
    let timestamp: Timestamp
    /// The names of private services, beside the assigned ones.
    var formats = FormatCatalogue.assigned

    static let record = RecordKind<Self>(
        "device",
        "a device as the whole scan has heard it, for `--summary`"
    ) {
        RecordField("adapter", orNull: .string, "adapter that hears it best, if several listen") {
            $0.history.adapters.best
        }
        RecordField("address", orNull: .string, "its address; null if it is anonymous") {
            $0.history.info.address.textUnlessAnonymous
        }
        DeviceAddress.kinds.of { $0.history.info.address }
        RecordField("name", orNull: .string, "its name") { $0.history.info.name?.text }
        RecordField("name_raw", orNull: .hex, "bytes of that name") { $0.history.info.name?.bytes }
        RecordField("count", .integer, "number of its reports") { $0.history.reportCount }
        RecordField("first_seen", .time, "time of the first one") { $0.history.first.wall }
        RecordField("last_seen", .time, "time of the last one") { $0.history.last.wall }
        RecordField(
            "interval_ms",
            orNull: .integer("ms"),
            "its advertising interval, estimated in spite of missed reports; null below two reports"
        ) { $0.history.interval }
        RecordField("rssi_min_dbm", orNull: .integer("dBm"), "weakest signal") {
            $0.history.rssiRange?.lowerBound
        }
        RecordField("rssi_mean_dbm", orNull: .integer("dBm"), "mean of the signals") { $0.history.meanRSSI }
        RecordField("rssi_max_dbm", orNull: .integer("dBm"), "strongest signal") {
            $0.history.rssiRange?.upperBound
        }
        RecordField("tx_power_dbm", orNull: .integer("dBm"), "power that it was sent with") {
            $0.history.info.txPower
        }
        RecordField("connectable", .boolean, "whether it accepts a connection") { $0.history.info.isConnectable }
        RecordField("scannable", .boolean, "whether it answers scan requests") { $0.history.info.isScannable }
        NamedServices.record.of { NamedServices(services: $0.history.info.services, formats: $0.formats) }
        RecordField(
            "manufacturer",
            .array(of: .object(ADManufacturerData.record)),
            "manufacturer data: the last of each that it sends, also in turn or in its scan response"
        ) { $0.history.info.manufacturerData }
        RecordField("service_data", .array(of: .object(NamedServiceData.record)), "service data, in the same way") {
            result in
            result.history.info.serviceData.map { NamedServiceData(data: $0, formats: result.formats) }
        }
        RecordField("appearance", orNull: .integer, "its appearance") { $0.history.info.appearance }
        RecordField(
            "beacon",
            orNull: .beacon,
            "content of its last known beacon, sensor, tracker or vendor message"
        ) { $0.history.info.beacon }
        RecordField(
            "beacons",
            .array(of: .beacon),
            "last content of each, in the order of the first, at most 8"
        ) { $0.history.info.beacons }
        RecordField("flags", .array(of: .string), "names of the flags that were set last") {
            $0.history.info.flags?.names ?? []
        }
        RecordField(
            "forgotten",
            .integer,
            """
            the number of older beacons and data that made room for new ones: 8 beacons, 8 manufacturer data and 16 \
            service data are kept
            """
        ) { $0.history.info.forgottenCount }
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
