// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The common part of records that are rendered from one template.
enum RecordTemplateKey: Hashable, Sendable {
    /// Reports of one advertiser with the same content.
    case advertisement(AdvertisementContent)
    case notification(AttributeReference)
    case indication(AttributeReference)
    /// Values of one attribute as a profile has them.
    case measurement(AttributeReference, profile: String)
}

/// The position of a varying member in a record.
struct VaryingValue: Sendable {
    /// The raw value of the member.
    let member: Int
    let range: Range<Int>
}

/// A rendered record. The next one of its kind differs in a few values only, and the rest is copied.
///
/// A device sends the same advertisement ten times a second, and thousands of values of one characteristic.
struct RecordTemplate: Sendable {
    private let octets: [UInt8]
    private let varyingValues: [VaryingValue]

    /// Keeps the record that `json` holds.
    init(_ json: JSONWriter) {
        octets = json.bytes
        varyingValues = json.varyingValues
    }

    /// How many octets are kept.
    var count: Int { octets.count }

    /// Writes the record of a result that has the key of this template.
    func write<Result: CommandResult>(_ result: Result, to json: inout JSONWriter) {
        var position = 0
        for value in varyingValues {
            guard let member = Result.VaryingMember(rawValue: value.member) else { continue }
            json.copy(octets[position..<value.range.lowerBound])
            result.write(member, to: &json)
            position = value.range.upperBound
        }
        json.copy(octets[position...])
    }
}

/// The templates of recently written records.
///
/// There are two generations. When the young one is full, it becomes the old one; a template of the old one that is
/// used moves back to the young one. So templates in use are kept, each step takes constant time, and devices that keep
/// sending different data cannot fill the memory.
struct RecordTemplates: Sendable {
    /// How many octets of records one generation holds, and one record more.
    static let limit = 1 << 20

    private var young: [RecordTemplateKey: RecordTemplate] = [:]
    private var old: [RecordTemplateKey: RecordTemplate] = [:]
    /// How many octets the young generation holds.
    private var size = 0

    /// How many templates are kept.
    var count: Int { young.count + old.count }

    /// The template for a key, if there is one.
    mutating func template(for key: RecordTemplateKey) -> RecordTemplate? {
        if let template = young[key] { return template }
        guard let template = old[key] else { return nil }
        insert(template, for: key)
        return template
    }

    /// Keeps a template.
    mutating func insert(_ template: RecordTemplate, for key: RecordTemplateKey) {
        if size >= Self.limit {
            (old, young, size) = (young, [:], 0)
        }
        young[key] = template
        size += template.count
    }
}
