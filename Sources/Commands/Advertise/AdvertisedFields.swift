// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothProfiles
import CommandLineInterface
import Terminal
import Toolkit

/// The fields of an advertisement or of a scan response, as options give them.
struct AdvertisedFields {
    private let arguments: ParsedArguments
    private var services: [BluetoothUUID]
    private var elements: [ADElement] = []
    private var last: [AdvertisingFrame.Field] = []

    /// Reads the options of one section of the command line.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        self.arguments = arguments
        services = try arguments.services(AdvertiseCommand.service)
        if let text = arguments[AdvertiseCommand.appearance] { elements.append(.appearance(try appearance(text))) }
        if let name = arguments[AdvertiseCommand.name] { elements.append(.localName(ADLocalName(name))) }
        if let name = arguments[AdvertiseCommand.shortName] {
            elements.append(.localName(ADLocalName(name, isComplete: false)))
        }
        if let power = arguments[AdvertiseCommand.txPower] { elements.append(.txPower(power)) }
        if let uri = arguments[AdvertiseCommand.uri] { elements.append(.uri(ADURI(uri))) }
        for text in arguments[AdvertiseCommand.serviceData] { elements.append(.serviceData(try serviceData(text))) }
        for text in arguments[AdvertiseCommand.manufacturer] {
            elements.append(.manufacturerData(try manufacturerData(text)))
        }
        for text in arguments[AdvertiseCommand.data] {
            last.append(.octets(try octets(text, of: text, AdvertiseCommand.data)))
        }
        for element in elements {
            let length = element.structure.data.count
            // The length octet of a field also counts its type: Core 5.4, Vol 3, Part C, 11.
            guard length <= 254 else {
                throw arguments.impossible("\(element.name) has \(length) octets, and a field has room for 254")
            }
        }
    }

    /// The fields in the order in which they are sent.
    func frame() -> AdvertisingFrame {
        let widths: [BluetoothUUID.Width] = [.bits16, .bits32, .bits128]
        // Each width has an AD type of its own, and one list only: Core Specification Supplement, Part A, 1.1.
        let lists = widths.compactMap { width -> ADElement? in
            let uuids = services.filter { $0.advertisedWidth == width }
            return uuids.isEmpty ? nil : .services(ADServiceList(.complete, width, uuids))
        }
        return AdvertisingFrame((lists + elements).map { .element($0) } + last)
    }

    // MARK: - Beacons

    mutating func add(_ form: AdvertisedForm, _ values: [String]) throws(UsageError) {
        switch form {
        case .raw: last.insert(.octets(try octets(values[0], of: values[0], AdvertiseCommand.what)), at: 0)
        case .iBeacon: add(try iBeacon(values[0]))
        case .altBeacon: add(try altBeacon(values[0]))
        case .eddystoneUID:
            let namespace = try identifier(values[0], length: 10)
            let instance = try identifier(values[1], length: 6)
            // `identifier` has checked both lengths, so that this does not fail.
            guard let frame = EddystoneUID(rangingData: rangingData, namespace: namespace, instance: instance) else {
                break
            }
            add(frame)
        case .eddystoneURL: add(try eddystoneURL(values[0]))
        case .eddystoneEID:
            let identifier = try identifier(values[0], length: 8)
            if let frame = EddystoneEID(rangingData: rangingData, identifier: identifier) { add(frame) }
        case .eddystoneTLM:
            services.insert(Eddystone.service, at: 0)
            let field = AdvertisingFrame.Field.eddystoneTelemetry(
                millivolts: arguments[AdvertiseCommand.battery] ?? 0,
                // The format has this value for "not supported".
                temperature: arguments[AdvertiseCommand.temperature] ?? -128
            )
            last.insert(field, at: 0)
        }
    }

    private mutating func add(_ beacon: some AdvertisedFormat) {
        for element in beacon.elements {
            if case .services(let list) = element {
                // The services of a beacon join those of the options, because there is one list of each width.
                services.insert(contentsOf: list.uuids, at: 0)
            } else {
                elements.append(element)
            }
        }
    }

    private func iBeacon(_ text: String) throws(UsageError) -> IBeacon {
        guard let uuid = BluetoothUUID(text) else {
            throw arguments.invalid(
                AdvertiseCommand.what,
                text,
                "expected a UUID such as e2c56db5-dffb-48d2-b060-d0f5a71096e0"
            )
        }
        return IBeacon(
            uuid: uuid,
            major: arguments[AdvertiseCommand.major] ?? 0,
            minor: arguments[AdvertiseCommand.minor] ?? 0,
            measuredPower: arguments[AdvertiseCommand.power] ?? -59
        )
    }

    private func altBeacon(_ text: String) throws(UsageError) -> AltBeacon {
        let problem = arguments.invalid(
            AdvertiseCommand.what,
            text,
            "expected 20 octets in hex, or a UUID, to which --major and --minor belong"
        )
        var identifier = Hex.bytes(text) ?? Hex.bytes(text.filter { $0 != "-" }) ?? []
        if identifier.count == 16 {
            for number in [arguments[AdvertiseCommand.major] ?? 0, arguments[AdvertiseCommand.minor] ?? 0] {
                identifier += [UInt8(number >> 8), UInt8(number & 0xFF)]
            }
        } else if arguments.isGiven(AdvertiseCommand.major) || arguments.isGiven(AdvertiseCommand.minor) {
            throw problem
        }
        // Radius Networks, which has defined the format.
        var company: UInt16 = 0x0118
        if let text = arguments[AdvertiseCommand.company] {
            company = try self.company(text, of: AdvertiseCommand.company)
        }
        let power = arguments[AdvertiseCommand.power] ?? -59
        guard let beacon = AltBeacon(company: company, identifier: identifier, referenceRSSI: power) else {
            throw problem
        }
        return beacon
    }

    private func eddystoneURL(_ text: String) throws(UsageError) -> EddystoneURL {
        guard let frame = EddystoneURL(txPower: rangingData, url: text) else {
            throw arguments.invalid(
                AdvertiseCommand.what,
                text,
                "expected http:// or https:// and an address in ASCII"
            )
        }
        let length = frame.encoded().count - 2
        guard length <= EddystoneURL.maximumLength else {
            throw arguments.invalid(
                AdvertiseCommand.what,
                text,
                "it takes \(length) octets after the scheme, and Eddystone has room for \(EddystoneURL.maximumLength)"
            )
        }
        return frame
    }

    // Eddystone states the strength at 0 m, which is 41 dB more than at 1 m: -59 dBm there.
    private var rangingData: Int8 { arguments[AdvertiseCommand.power] ?? -18 }

    private func identifier(_ text: String, length: Int) throws(UsageError) -> [UInt8] {
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
        guard let octets = Hex.bytes(digits), octets.count == length else {
            throw arguments.invalid(AdvertiseCommand.what, text, "expected \(length) octets in hex")
        }
        return octets
    }

    // MARK: - Fields

    private func appearance(_ text: String) throws(UsageError) -> UInt16 {
        if let number = UInt16(numeral: text) ?? AssignedNumbers.appearance(named: text) { return number }
        throw arguments.invalid(
            AdvertiseCommand.appearance,
            text,
            ValueProblem(
                expectation: "expected an assigned name such as heart-rate-belt, or a number from 0 to 0xFFFF",
                suggestion: Suggestion.closest(to: text.lowercased(), among: AssignedNumbers.appearanceSlugs)
            )
        )
    }

    private func serviceData(_ text: String) throws(UsageError) -> ADServiceData {
        let (name, value) = try parts(of: text, AdvertiseCommand.serviceData)
        let uuid = try arguments.service(name, in: text, of: AdvertiseCommand.serviceData)
        return ADServiceData(uuid, try octets(value, of: text, AdvertiseCommand.serviceData))
    }

    private func manufacturerData(_ text: String) throws(UsageError) -> ADManufacturerData {
        let (name, value) = try parts(of: text, AdvertiseCommand.manufacturer)
        return ADManufacturerData(
            company: try company(name, of: AdvertiseCommand.manufacturer),
            try octets(value, of: text, AdvertiseCommand.manufacturer)
        )
    }

    private func parts(of text: String, _ option: Option<[String]>) throws(UsageError) -> (String, String) {
        guard let colon = text.firstIndex(of: ":") else {
            throw arguments.invalid(option, text, "expected a colon and data after it, such as \(text):0x01")
        }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    private func company<Value>(_ text: String, of option: Option<Value>) throws(UsageError) -> UInt16 {
        let found = CompanyText(text)
        if let company = found.only { return company }
        let names = found.identifiers.prefix(3).map { identifier in
            "\(AssignedNumbers.companyName(identifier) ?? "") (0x\(Hex.string(identifier, minimumDigits: 4)))"
        }
        throw arguments.invalid(
            option,
            text,
            names.isEmpty
                ? "expected a company identifier such as 0x004C, or a part of a company's name"
                : "several companies have such a name, such as \(Prose.list(names, "and"))"
        )
    }

    private func octets(_ value: String, of text: String, _ option: Option<[String]>) throws(UsageError) -> [UInt8] {
        do throws(ValueFormatError) {
            return try ValueFormat.encode(value)
        } catch {
            throw arguments.invalid(option, text, "\(error)")
        }
    }

    private func octets(
        _ value: String,
        of text: String,
        _ argument: Argument<[String]>
    ) throws(UsageError) -> [UInt8] {
        do throws(ValueFormatError) {
            return try ValueFormat.encode(value)
        } catch {
            throw arguments.invalid(argument, text, "\(error)")
        }
    }
}

extension BluetoothUUID {
    /// The width in which an advertisement carries it: the shortest.
    fileprivate var advertisedWidth: Width { short16 != nil ? .bits16 : short32 != nil ? .bits32 : .bits128 }
}

/// A company as an option names it: by its identifier, or by a part of its name.
struct CompanyText {
    let identifiers: [UInt16]
    private let text: String

    init(_ text: String) {
        self.text = text
        let lower = text.lowercased()
        if lower.hasPrefix("0x") {
            identifiers = UInt16(numeral: lower).map { [$0] } ?? []
        } else if let number = UInt16(numeral: lower) {
            identifiers = [number]
        } else {
            identifiers = AssignedNumbers.companies(named: text).map(\.identifier)
        }
    }

    /// The number that the words mean: the only one, or the only one whose name begins with them; `nil` if several fit.
    var only: UInt16? {
        if identifiers.count == 1 { return identifiers.first }
        let slug = AssignedNumber.slug(text)
        let beginning = identifiers.filter { identifier in
            let name = AssignedNumber.slug(AssignedNumbers.companyName(identifier) ?? "")
            return name == slug || name.hasPrefix("\(slug)-")
        }
        return beginning.count == 1 ? beginning.first : nil
    }
}
