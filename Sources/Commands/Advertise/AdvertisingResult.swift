// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Records
import Terminal
import Toolkit

/// An advertisement is on the air.
///
/// It describes what was handed to the controller, not what a scanner has received.
struct AdvertisingResult: RecordedResult {
    let advertisement: DeviceAdvertising
    /// Its number among those of the command, from 1.
    let number: Int
    /// The name of the adapter, such as `hci0`.
    let adapter: String
    /// The address that advertisements carry: that of the adapter, or a random static one.
    let address: DeviceAddress
    /// The HCI commands that are used: those of Bluetooth 4, or the extended ones of Bluetooth 5.
    let mode: AdvertisingMode
    let timestamp: Timestamp

    /// The advertising data at the start. Generated data may change later.
    private var data: [UInt8] { advertisement.data(.start) }

    /// Whether advertising PDUs of Bluetooth 4 are sent, which every scanner can receive.
    private var isLegacy: Bool {
        if case .extended = advertisement.kind { false } else { true }
    }

    /// Whether a scan request is answered. Directed advertising takes none, and extended advertising is either
    /// connectable or scannable.
    private var isScannable: Bool {
        switch advertisement.kind {
        case .connectable: advertisement.target == nil
        case .scannable: true
        case .nonConnectable: false
        case .extended(_, let isConnectable, _, _): !isConnectable && advertisement.scanResponse != nil
        }
    }

    /// The interval is in microseconds, because the unit of the controller is 625 µs.
    static let record = RecordKind<Self>("advertising", "an advertisement is sent from now on") {
        RecordField("set", .integer, "its number on the command line, from 1") { $0.number }
        RecordField("adapter", .string, "adapter, such as `hci0`") { $0.adapter }
        RecordField("address", .string, "address that receivers see") { $0.address.address.description }
        RecordField("address_type", .string, "`public` or `random`") { $0.address.type.connectionType.description }
        RecordField("commands", .string, "commands that advertise it: `extended` or `legacy`") { $0.mode.rawValue }
        RecordField("interval_us", .integer("us"), "time between two advertisements") {
            $0.advertisement.interval.clampedNanoseconds / 1_000
        }
        RecordField("connectable", .boolean, "whether it accepts a connection") { $0.advertisement.isConnectable }
        RecordField("scannable", .boolean, "whether scan requests are answered") { $0.isScannable }
        RecordField("legacy", .boolean, "whether it is in the format before Bluetooth 5") { $0.isLegacy }
        RecordField("advertising_sid", orNull: .integer, "its number in extended PDUs") { $0.extended?.sid }
        RecordField("primary_phy", .string, "PHY of the primary channel") {
            ($0.extended?.primary ?? .le1M).description
        }
        RecordField("secondary_phy", orNull: .string, "PHY of the secondary channel") {
            $0.extended?.secondary.description
        }
        RecordField("target", orNull: .string, "only device that it is for") {
            $0.advertisement.target?.address.description
        }
        RecordField("name", orNull: .string, "name in it") { $0.advertisement.name }
        RecordField("beacon", orNull: .beacon, "its content, if it is a beacon") { $0.advertisement.beacons.first }
        RecordField(
            "beacons",
            .array(of: .beacon),
            "all such contents, also of data sent in turn and of the scan response"
        ) { $0.advertisement.beacons }
        RecordField("data", .hex, "its data at the start") { $0.data }
        RecordField("scan_response", orNull: .hex, "data of the scan response; null if there is none") {
            $0.advertisement.scanResponse?.encoded(at: .start)
        }
    }

    /// The parameters of extended advertising; `nil` for another kind.
    private var extended: (sid: UInt8, primary: LEPHY, secondary: LEPHY)? {
        guard case .extended(let sid, _, let primary, let secondary) = advertisement.kind else { return nil }
        return (sid, primary, secondary)
    }

    /// Describes the advertisement: a beacon in its own terms, other data element by element. Flags are left out,
    /// because they are the same for nearly all devices.
    func text(_ style: TextStyle) -> String? {
        var parts: [String] = []
        let elements = AdvertisingData(parsing: data).elements
        let beacons = elements.compactMap { Beacon($0) }
        if !beacons.isEmpty {
            parts += beacons.map { BeaconPresentation($0).text }
        } else {
            parts += elements.filter { $0.type != .flags }.map(\.description)
        }
        let response = advertisement.scanResponse?.encoded(at: .start)
        // Data that are no elements, such as zeros, are on the air all the same, and so are flags alone.
        if parts.isEmpty, !data.isEmpty, elements.isEmpty || response?.isEmpty ?? true {
            parts.append("octets \(Hex.string(data))")
        }
        // It is described even if it is empty: a scan request is answered with it.
        if let response {
            let elements = AdvertisingData(parsing: response).elements
            let described = elements.map { Beacon($0)?.description ?? $0.description }.joined(separator: ", ")
            let content = response.isEmpty ? "without data" : "(\(elements.isEmpty ? Hex.string(response) : described))"
            parts.append("scan response \(content)")
        }
        if let target = advertisement.target { parts.append("to \(target)") }
        let what = TerminalText.escaped(parts.joined(separator: ", "))
        let how = [
            isLegacy ? nil : "extended", advertisement.isConnectable ? "connectable" : nil,
            "every \(advertisement.interval.text)",
        ].compactMap(\.self)
        return "advertising \(style.paint(what.isEmpty ? "no data" : what, .bold)) on \(TerminalText.escaped(adapter))"
            + " as \(address.address), \(how.joined(separator: ", "))"
    }
}

extension DeviceAdvertising {
    private var contents: [AdvertisingData] {
        [AdvertisingData(parsing: data(.start)), AdvertisingData(parsing: response(.start))]
    }

    /// The name in its data or scan response; `nil` if there is none.
    var name: String? { contents.lazy.compactMap { $0.name?.text }.first }

    /// The beacons in its data, which may be sent in turn, and in its scan response.
    fileprivate var beacons: [Beacon] {
        let frames = frames.map { AdvertisingData(parsing: $0.encoded(at: .start)) }
        var beacons: [Beacon] = []
        for beacon in (frames + [AdvertisingData(parsing: response(.start))]).flatMap(\.beacons) {
            if !beacons.contains(beacon) { beacons.append(beacon) }
        }
        return beacons
    }
}
