// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceWriter {
    /// The frame as an object if that is read as the same frame, otherwise its octets.
    static func frame(_ frame: AdvertisingFrame, isData: Bool) -> JSONNode {
        // Beacons are easier to read than their data, so that they are tried first.
        for prefersBeacons in [true, false] {
            var writer = FrameWriter(prefersBeacons: prefersBeacons)
            // A frame that is octets only becomes the digits below.
            guard frame.fields.count != 1 || !frame.fields[0].isOctets, writer.add(frame.fields) else { continue }
            let node = writer.node(isData: isData)
            // The reader itself is asked whether it understands the same, so that its rules are not repeated
            // here.
            var builder = DeviceBuilder(
                faults: FaultCollector(file: ""),
                names: FileNames(JSONCursor(node: JSONNode(.null), path: .root), DevicePrograms())
            ) { _ in throw DeviceFile.NoFile() }
            let again = builder.frame(JSONCursor(node: node, path: .root), isData: isData, .max)
            if builder.faults.isEmpty, again == frame, again.encoded(at: .start) == frame.encoded(at: .start) {
                return node
            }
        }
        return hex(frame.encoded(at: .start))
    }
}

extension AdvertisingFrame.Field {
    fileprivate var isOctets: Bool { if case .octets = self { true } else { false } }
}

/// Collects the parts of a frame under the keys of the schema.
private struct FrameWriter {
    /// Whether beacons are written as such instead of as their data.
    let prefersBeacons: Bool
    private var members: [(key: String, value: JSONNode)] = []
    private var hasFlags = false
    private var hasServices = false
    private var isEddystone = false

    init(prefersBeacons: Bool) { self.prefersBeacons = prefersBeacons }

    /// Whether the frame has a form as an object, as far as its parts can tell.
    mutating func add(_ fields: [AdvertisingFrame.Field]) -> Bool {
        for field in fields {
            switch field {
            case .octets(let octets): members.append(("raw", DeviceWriter.hex(octets)))
            case .eddystoneTelemetry(let millivolts, let temperature):
                isEddystone = true
                let voltage = DecimalNumber(millivolts, exponent: -3)
                members.append(
                    (
                        "eddystone_tlm",
                        .object([
                            "voltage": .number(voltage), "temperature": .number(DecimalNumber(temperature) ?? .zero),
                        ])
                    )
                )
            case .element(let element):
                guard let (key, value) = member(of: element) else { return false }
                append(key, value)
            }
        }
        return true
    }

    /// The frame as an object, without the members that the reader adds.
    func node(isData: Bool) -> JSONNode {
        var all = members
        // Without the member, the reader would add the usual flags.
        if isData, !hasFlags { all.insert(("flags", .array([])), at: 0) }
        // Without the member, the reader would add the service of Eddystone.
        if isEddystone, !hasServices {
            let index = all.firstIndex { $0.key != "flags" } ?? all.count
            all.insert(("services", .array([])), at: index)
        }
        // The reader adds the usual flags, so they are not written.
        let usual = JSONNode.strings(["le-general-discoverable", "br-edr-not-supported"])
        all.removeAll { isData && $0.key == "flags" && $0.value == usual }
        let eddystone = JSONNode.array([DeviceWriter.uuid(Eddystone.service, .service)])
        all.removeAll { isEddystone && $0.key == "services" && $0.value == eddystone }
        return JSONNode(.object(all.map { .init(key: $0.key, value: $0.value) }))
    }

    /// Adds to the list of a key, or adds a member.
    private mutating func append(_ key: String, _ value: JSONNode) {
        if key == "flags" { hasFlags = true }
        if key == "services" { hasServices = true }
        if key.hasPrefix("eddystone") { isEddystone = true }
        let isList = key == "services" || key.hasSuffix("_services") || key == "service_data" || key == "manufacturer"
        // Only a neighbour can be joined: with a part in between, the order would change.
        if isList, let last = members.last, last.key == key, case .array(let before) = last.value.content,
            case .array(let more) = value.content
        {
            members[members.count - 1].value = .array(before + more)
        } else {
            members.append((key, value))
        }
    }

    private func member(of element: ADElement) -> (String, JSONNode)? {
        if prefersBeacons, let beacon = Beacon(element), let member = member(of: beacon) { return member }
        switch element {
        case .flags(let flags): return ("flags", .strings(flags.names))
        case .services(let list):
            let key =
                switch list.kind {
                case .complete: "services"
                case .incomplete: "incomplete_services"
                case .solicited: "solicited_services"
                }
            return (key, .array(list.uuids.map { DeviceWriter.uuid($0, .service) }))
        case .appearance(let number): return ("appearance", DeviceWriter.appearance(number))
        case .localName(let name): return (name.isComplete ? "name" : "short_name", .string(name.text))
        case .txPower(let power): return ("tx_power", .number(power))
        case .uri(let uri): return uri.text.map { ("uri", .string($0)) }
        case .serviceData(let data):
            let entry: JSONNode = .object([
                "uuid": DeviceWriter.uuid(data.uuid, .service), "data": DeviceWriter.hex(data.data),
            ])
            return ("service_data", .array([entry]))
        case .manufacturerData(let data):
            let entry: JSONNode = .object(["company": Self.company(data.company), "data": DeviceWriter.hex(data.data)])
            return ("manufacturer", .array([entry]))
        // Octets keep an element for which the schema has no member.
        default: return ("raw", DeviceWriter.hex(element.structure.encoded()))
        }
    }

    private static func company(_ number: UInt16) -> JSONNode {
        .string("0x" + Hex.string(number, minimumDigits: 4).lowercased())
    }

    private func member(of beacon: Beacon) -> (String, JSONNode)? {
        switch beacon.content {
        case let beacon as IBeacon:
            (
                "ibeacon",
                .object([
                    "uuid": .string(beacon.uuid.fullText), "major": .number(beacon.major),
                    "minor": .number(beacon.minor), "power": .number(beacon.measuredPower),
                ])
            )
        case let beacon as AltBeacon:
            (
                "altbeacon",
                .object([
                    "company": Self.company(beacon.company), "id": DeviceWriter.hex(beacon.identifier),
                    "power": .number(beacon.referenceRSSI),
                    "reserved": beacon.reserved == 0 ? nil : .number(beacon.reserved),
                ])
            )
        case let frame as EddystoneURL:
            ("eddystone_url", .object(["url": .string(frame.url), "power": .number(frame.txPower)]))
        case let frame as EddystoneUID:
            (
                "eddystone_uid",
                .object([
                    "namespace": DeviceWriter.hex(frame.namespace), "instance": DeviceWriter.hex(frame.instance),
                    "power": .number(frame.rangingData),
                ])
            )
        // The schema has no members for the others. They are written as the data of a service or of a manufacturer.
        default: nil
        }
    }
}
