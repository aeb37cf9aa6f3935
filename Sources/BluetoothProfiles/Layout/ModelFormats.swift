// SPDX-License-Identifier: MIT

import Bluetooth

/// The formats of a characteristic whose UUID several models of devices use, each with another format.
///
/// A value of a device whose model is known has the format of that model, see `CharacteristicFormat.on`. Of another
/// value nothing is claimed: it has a member for each model that it may come from. Characteristics of the Bluetooth SIG
/// have a usual format, which is that of all devices but those of the models.
struct ModelFormats: Hashable, Sendable {
    struct Alternative: Hashable, Sendable {
        let model: DeviceModel
        let format: CharacteristicFormat
    }

    let alternatives: [Alternative]
    /// The format of the devices of all other models; `nil` if there is none.
    let usual: CharacteristicFormat?

    subscript(_ model: DeviceModel) -> CharacteristicFormat? { alternatives.first { $0.model == model }?.format }

    /// Decodes the octets in the usual format, or else as each model would mean them. A model to which they do not fit
    /// is left out if they fit to another one.
    func read(_ reader: inout ByteReader) -> DecodedValue {
        if let usual { return usual.read(&reader) }
        var readings = alternatives.map { alternative in
            // Copies, because each model begins at the same octet.
            var rest = reader
            let value = alternative.format.read(&rest)
            return (model: alternative.model, value: value, rest: rest)
        }
        let whole = readings.filter { $0.value.fault?.isEnd != true }
        let exact = whole.filter { $0.rest.isAtEnd }
        if !exact.isEmpty { readings = exact } else if !whole.isEmpty { readings = whole }
        if let nearest = readings.min(by: { $0.rest.remaining < $1.rest.remaining }) { reader = nearest.rest }
        let members = alternatives.map { alternative in
            let reading = readings.first { $0.model == alternative.model }
            return DecodedValue.Member(alternative.model.rawValue, reading?.value.content ?? .null)
        }
        let first = readings.first { $0.value.fault != nil }
        return DecodedValue(
            text: readings.map { "\($0.value.text) (if it is a \($0.model.name))" }.joined(separator: ", or "),
            content: .object(members),
            fault: first.flatMap { $0.value.fault?.under(.member($0.model.rawValue)) }
        )
    }

    /// Encodes the usual form, or what one model is to send: `{"cc2650": {…}}`. The members of several models have to
    /// mean the same octets.
    func encode(_ content: DecodedValue.Content) throws(FieldError) -> [UInt8] {
        if let usual, !names(content) { return try usual.encode(content) }
        let members = try Members(content, objects)
        var found: (key: String, octets: [UInt8])?
        for alternative in alternatives {
            let key = alternative.model.rawValue
            guard let content = members[key] else { continue }
            let octets: [UInt8]
            do throws(FieldError) {
                octets = try alternative.format.encode(content)
            } catch {
                throw FieldError([.member(key)] + error.path, error.value, error.reason)
            }
            if let found, found.octets != octets { throw FieldError([.member(key)], nil, .conflict(with: found.key)) }
            found = (key, octets)
        }
        if let found { return found.octets }
        let keys = alternatives.map(\.model.rawValue).joined(separator: " or ")
        throw FieldError([], content.quoted, .notAllowed("an object with \(keys), the model that is to send it"))
    }

    private func names(_ content: DecodedValue.Content) -> Bool {
        guard case .object(let members) = content, !members.isEmpty else { return false }
        return members.allSatisfy { member in alternatives.contains { $0.model.rawValue == member.key } }
    }

    var fields: [FieldDescription] { usual?.fields ?? objects }

    /// A member for each model.
    private var objects: [FieldDescription] {
        alternatives.map { FieldDescription(key: $0.model.rawValue, $0.model.name, members: $0.format.fields) }
    }

    var maximumLength: Int? {
        if let usual { return usual.maximumLength }
        var longest = 0
        for alternative in alternatives {
            guard let length = alternative.format.maximumLength else { return nil }
            longest = max(longest, length)
        }
        return longest
    }
}

extension CharacteristicFormat {
    /// The formats of a characteristic that several models send, each in its own way.
    ///
    /// - Parameter usual: The format of all other devices; `nil` if there is none.
    static func byModel(_ formats: [(DeviceModel, CharacteristicFormat)], usual: CharacteristicFormat? = nil) -> Self {
        let alternatives = formats.map { ModelFormats.Alternative(model: $0.0, format: $0.1) }
        return Self(.models(ModelFormats(alternatives: alternatives, usual: usual)))
    }

    private var byModel: ModelFormats? {
        if case .models(let formats) = layout { formats } else { nil }
    }

    /// The models that send values in formats of their own; none if the format does not depend on the model.
    public var models: [DeviceModel] { byModel?.alternatives.map(\.model) ?? [] }

    /// Whether nothing is known of a value without the model of its device.
    public var needsModel: Bool { byModel.map { $0.usual == nil } ?? false }

    /// The format of the values of a model; this format if it does not depend on the model.
    public func on(_ model: DeviceModel?) -> CharacteristicFormat {
        guard let byModel, let model else { return self }
        return byModel[model] ?? byModel.usual ?? self
    }

    /// The members that decoded values can have, on whatever device.
    package var possibleFields: [FieldDescription] {
        fields + (byModel?.alternatives.flatMap(\.format.fields) ?? [])
    }
}
