// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles
import Records
import Terminal
import Toolkit

/// A difference between two devices.
///
/// "First" and "second" are the devices in the order of the command line. A service that only the second has is
/// added.
struct DifferenceResult: RecordedResult {
    let difference: DeviceDifference
    let timestamp: Timestamp
    /// The names and formats of private attributes, beside the assigned ones.
    var formats = FormatCatalogue.assigned

    /// Names the attribute by its path and by the UUIDs on it, so that a script need not parse the path.
    static let record = RecordKind<Self>("difference", "a difference between two devices") {
        RecordField("change", .string, "`added`, `removed` or `changed`, from the first device to the second") {
            $0.difference.change.rawValue
        }
        RecordField(
            "aspect",
            .string,
            "what is different: `service`, `characteristic`, `properties`, `handle`, `value`, `interval` and others"
        ) { $0.difference.aspect.rawValue }
        RecordField("path", .string, "where, by names: `heart-rate/heart-rate-measurement`") {
            $0.difference.path.text(in: $0.formats)
        }
        RecordField("service", orNull: .uuid, "service; null for advertising") { $0.difference.path.service }
        RecordField("characteristic", orNull: .uuid, "characteristic, if it is one, or under one") {
            $0.difference.path.characteristic
        }
        RecordField("descriptor", orNull: .uuid, "descriptor, if it is one") { $0.difference.path.descriptor }
        RecordField("first", orNull: .string, "first side in words; null if none") {
            $0.words($0.difference.first)
        }
        RecordField("second", orNull: .string, "second side in words; null if none") {
            $0.words($0.difference.second)
        }
        RecordField("first_value", orNull: .hex, "bytes of the first side, if any") {
            $0.difference.first?.octets
        }
        RecordField("second_value", orNull: .hex, "bytes of the second side, if any") {
            $0.difference.second?.octets
        }
    }

    /// The line of a single difference, with columns as wide as its words.
    func text(_ style: TextStyle) -> String? { Self.table(of: [self], style).first }

    /// One line for each difference, with columns.
    static func table(of results: [DifferenceResult], _ style: TextStyle) -> [String] {
        let paths = results.map { TerminalText.escaped($0.difference.path.text(in: $0.formats)) }
        let aspects = results.map(\.difference.aspect.rawValue)
        let widths = [paths, aspects].map { $0.map { TerminalText.width(of: $0) }.max() ?? 0 }
        return results.indices.map { index in
            let result = results[index]
            let sign = style.paint(result.sign, result.color)
            let path = TerminalText.padded(paths[index], columns: widths[0])
            let aspect = TerminalText.padded(aspects[index], columns: widths[1])
            return "\(sign) \(path)  \(style.paint(aspect, .faint))  \(result.sides(style))"
        }
    }

    /// The sign in front, as in the output of the `diff` program.
    private var sign: String {
        switch difference.change {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        }
    }

    /// The colour of the sign. It repeats the sign, so that nothing is lost without colours.
    private var color: TextStyle.Attribute {
        switch difference.change {
        case .added: .green
        case .removed: .red
        case .changed: .yellow
        }
    }

    /// The values of the sides: both with an arrow between them, or the only one.
    private func sides(_ style: TextStyle) -> String {
        let sides = [difference.first, difference.second].map { words($0).map { TerminalText.escaped($0) } }
        switch (sides[0], sides[1]) {
        case (let first?, let second?) where first == second: return "\(first), in another way"
        case (let first?, let second?): return "\(first) \(style.usesUnicode ? "→" : "->") \(second)"
        case (let only?, nil), (nil, let only?): return only
        case (nil, nil): return ""
        }
    }

    /// One side in words; `nil` if that side lacks it.
    private func words(_ detail: DeviceDifference.Detail?) -> String? {
        guard let detail else { return nil }
        if case .content(.octets(let octets)) = detail { return presentation(octets) }
        return detail.words
    }

    /// A value in words, as far as its attribute has a known format.
    private func presentation(_ octets: [UInt8]) -> String {
        // No characteristic has this UUID: the octets are shown in hex if no step of the path names a type.
        var presentation = ValuePresentation(octets, ofCharacteristic: 0x0000)
        var characteristic: BluetoothUUID?
        for step in difference.path.steps {
            switch step {
            case .characteristic(let uuid, _):
                characteristic = uuid
                presentation = ValuePresentation(octets, ofCharacteristic: uuid, formats: formats)
            case .descriptor(let uuid, _):
                presentation = ValuePresentation(octets, ofDescriptor: uuid, under: characteristic)
            case .service, .include, .advertising: break
            }
        }
        return presentation.text
    }
}

struct ComparisonResult: RecordedResult {
    /// The differences, and the parts that could not be compared.
    let comparison: DeviceComparison
    /// The two devices in words.
    let first: String
    let second: String
    let timestamp: Timestamp
    /// The names of private attributes, beside the assigned ones.
    var formats = FormatCatalogue.assigned

    /// Has the paths of the values that were not compared, which for people are shown with `-v` only.
    static let record = RecordKind<Self>("comparison", "the outcome of a comparison") {
        RecordField("first", .string, "first device in words") { $0.first }
        RecordField("second", .string, "second device in words") { $0.second }
        RecordField("differences", .integer, "number of differences") { $0.comparison.differences.count }
        RecordField("unknown_values", .array(of: .string), "paths of values that one side does not state") {
            result in
            result.comparison.unknownValues.map { $0.text(in: result.formats) }
        }
        RecordField("generated_values", .array(of: .string), "paths of values that one side generates") { result in
            result.comparison.generatedValues.map { $0.text(in: result.formats) }
        }
        RecordField("advertising_compared", .boolean, "whether advertising was compared") {
            $0.comparison.isAdvertisingCompared
        }
    }

    /// `nil`: `notes` go to standard error, so that standard output has only the differences.
    func text(_ style: TextStyle) -> String? { nil }

    /// The parts that were not compared, and the number of differences.
    var notes: [String] {
        var notes: [String] = []
        if !comparison.unknownValues.isEmpty {
            let values = Self.count(comparison.unknownValues)
            let them = comparison.unknownValues.count == 1 ? "it" : "them"
            notes.append("\(values) not compared, because one side does not state \(them)")
        }
        if !comparison.generatedValues.isEmpty {
            let values = Self.count(comparison.generatedValues)
            let them = comparison.generatedValues.count == 1 ? "it" : "them"
            notes.append("\(values) not compared, because one side generates \(them)")
        }
        if comparison.lacksAdvertising { notes.append("advertising not compared, because one side has none") }
        let count = comparison.differences.count
        notes.append(count == 0 ? "no differences" : "\(count: count, "difference")")
        return notes
    }

    /// The values that were not compared.
    var details: [String] {
        comparison.unknownValues.map { "not stated: \($0.text(in: formats))" }
            + comparison.generatedValues.map { "generated: \($0.text(in: formats))" }
    }

    private static func count(_ paths: [DevicePath]) -> String { "\(count: paths.count, "value")" }
}

extension DevicePath {
    fileprivate var service: BluetoothUUID? {
        steps.lazy.compactMap { if case .service(let uuid, _) = $0 { uuid } else { nil } }.first
    }

    fileprivate var characteristic: BluetoothUUID? {
        steps.lazy.compactMap { if case .characteristic(let uuid, _) = $0 { uuid } else { nil } }.first
    }

    fileprivate var descriptor: BluetoothUUID? {
        steps.lazy.compactMap { if case .descriptor(let uuid, _) = $0 { uuid } else { nil } }.first
    }

    /// The place by names: `heart-rate/heart-rate-measurement`. A number counts those of the same name, from 2.
    func text(in formats: FormatCatalogue) -> String { steps.map { $0.text(in: formats) }.joined(separator: "/") }
}

extension DevicePath.Step {
    /// A step as text: the name or the UUID, and the number if there are several.
    fileprivate func text(in formats: FormatCatalogue) -> String {
        switch self {
        case .service(let uuid, let number): Self.text(formats.name(ofService: uuid), uuid, number)
        case .include(let uuid, let number):
            "include " + Self.text(formats.name(ofService: uuid), uuid, number)
        case .characteristic(let uuid, let number):
            Self.text(formats.name(ofCharacteristic: uuid), uuid, number)
        case .descriptor(let uuid, let number): Self.text(AssignedNumbers.name(ofDescriptor: uuid), uuid, number)
        case .advertising(let number): "advertising" + (number == 0 ? "" : "[\(number + 1)]")
        }
    }

    /// A name with its number. Numbers begin with 2 in the text, because the first needs none.
    private static func text(_ name: String?, _ uuid: BluetoothUUID, _ number: Int) -> String {
        (name.map { AssignedNumber.slug($0) } ?? uuid.description) + (number == 0 ? "" : "[\(number + 1)]")
    }
}

extension DeviceDifference.Detail {
    fileprivate var octets: [UInt8]? {
        switch self {
        case .content(.octets(let octets)): octets
        case .structure(let structure): structure.data
        case .frames(let frames): frames.count == 1 ? frames[0] : nil
        default: nil
        }
    }

    fileprivate var words: String {
        switch self {
        case .handle(let handle): handle.description
        case .properties(let properties): properties.isEmpty ? "no properties" : properties.description
        case .primary(let isPrimary): isPrimary ? "primary" : "secondary"
        case .content(let content): content.words
        case .requirement(let requirement): requirement.words
        case .stream(let stream): stream.words
        case .kind(let kind): kind.words
        case .duration(let duration): duration.text
        case .frames(let frames):
            frames.isEmpty
                ? "none"
                : frames.map { frame in
                    AdvertisingData(parsing: frame).elements.map(\.description).joined(separator: ", ")
                }.joined(separator: " | ")
        case .structure(let structure): structure.element.description
        case .power(let power): "\(power) dBm"
        case .address(let address): address.address.description
        }
    }
}

extension AttributeContent {
    /// The content of a value in words; octets in hexadecimal.
    fileprivate var words: String {
        switch self {
        case .unknown: "not stated"
        case .server: "made by the server"
        case .octets(let octets): ValuePresentation.text(ofOctets: octets)
        case .generated(.replay(let replay)): "a recording of \(count: replay.samples.count, "value")"
        case .generated(.program(let program)): "generated by \(program)"
        case .generated: "generated"
        case .refused(let code): "refused: \(code)"
        case .silent: "no answer"
        case .protected(let requirement, _): requirement.words
        }
    }
}

extension AccessRequirement {
    /// The requirement in words. Authentication implies encryption, and 7 octets is the smallest key, which
    /// restricts nothing.
    fileprivate var words: String {
        var words: [String] = []
        if authentication {
            words.append("authenticated")
        } else if encryption || minimumKeySize > 7 {
            words.append("encrypted")
        }
        if minimumKeySize > 7 { words.append("key of \(minimumKeySize) octets") }
        if authorization { words.append("authorized") }
        return words.isEmpty ? "open" : words.joined(separator: ", ")
    }
}

extension DeviceStream {
    fileprivate var words: String {
        switch period {
        case .fixed(let duration): "every \(duration.text)"
        case .value: "at the interval in another characteristic"
        case nil: "recorded"
        }
    }
}

extension DeviceAdvertising.Kind {
    /// The kind of advertising in words, with its PHYs if it is extended.
    fileprivate var words: String {
        switch self {
        case .connectable: "connectable"
        case .scannable: "scannable"
        case .nonConnectable: "non-connectable"
        case .extended(let sid, let isConnectable, let primary, let secondary):
            "extended, set \(sid), \(isConnectable ? "connectable" : "non-connectable"), PHY \(primary)/\(secondary)"
        }
    }
}
