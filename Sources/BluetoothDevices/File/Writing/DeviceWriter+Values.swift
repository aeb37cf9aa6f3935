// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceWriter {
    /// A value as JSON: constant octets if it is constant, and otherwise its generator.
    func value(_ value: DeviceValue, of uuid: BluetoothUUID?) -> JSONNode {
        if let octets = FieldEncoding.octets(of: value) { return self.octets(octets, of: uuid) }
        switch value {
        case .octets(let octets): return self.octets(octets, of: uuid)
        case .number(.constant(let number), let format):
            return .object(["number": .number(number), "as": .string(format.description)])
        case .number(.generated(let generator), let format):
            return JSONNode(.object(self.generator(generator) + [.init(key: "as", value: .string("\(format)"))]))
        // The parts of a sequence have no format of their own.
        case .sequence(let values): return .array(values.map { self.value($0, of: nil) })
        case .fields(let uuid, let template): return field(template.without(model, uuid))
        case .replay(let replay):
            return .object([
                "replay": .array(
                    replay.samples.map { .array([Self.time($0.at), octets($0.value, of: uuid)]) }
                ),
                "period": replay.period.map(Self.time),
            ])
        case .program(let reference): return .object(["program": .string(reference.description)])
        }
    }

    /// Constant octets: the text or the fields of the characteristic if these are exactly the octets, otherwise hex
    /// digits.
    func octets(_ octets: [UInt8], of uuid: BluetoothUUID?) -> JSONNode {
        guard let uuid, let format = FieldEncoding.format(of: uuid)?.on(model) else {
            return .string(Hex.string(octets))
        }
        if format.isText {
            // A text that begins with a mark, as 'hex:' is, would be read as octets.
            guard let text = String(validating: octets, as: UTF8.self), !TypedValue.isMarked(text) else {
                return marked(octets, in: format)
            }
            return .string(text)
        }
        // Nothing is claimed of a value whose format depends on a model that the services do not tell.
        guard CharacteristicValue.isKnown(uuid), !format.needsModel, let decoded = try? format.decode(octets),
            decoded.surplus.isEmpty
        else { return marked(octets, in: format) }
        let content = decoded.content.withoutNulls
        // Octets that the fields would encode otherwise, such as reserved bits, stay digits.
        guard (try? format.encode(content)) == octets else { return marked(octets, in: format) }
        return node(content, isWhole: format.fields.count == 1)
    }

    /// Octets with a mark, because a string without one is the value in the known format.
    private func marked(_ octets: [UInt8], in format: CharacteristicFormat) -> JSONNode {
        let isValue = !octets.isEmpty && !format.isText && (try? TypedValue.check(octets, in: format)) != nil
        return .string((isValue ? "0x" : "hex:") + Hex.string(octets))
    }

    /// Decoded content as JSON. A single number or boolean is written in place of the object with it.
    private func node(_ content: DecodedValue.Content, isWhole: Bool) -> JSONNode {
        switch content {
        case .null: return JSONNode(.null)
        case .bool(let value): return .bool(value)
        case .number(let number): return .number(number)
        case .string(let text): return .string(text)
        case .array(let elements): return .array(elements.map { node($0, isWhole: false) })
        case .object(let members):
            // The reader takes a number or a truth value for the only field. A string could begin with a mark.
            if isWhole, let only = members.first, members.count == 1 {
                switch only.value {
                case .number, .bool: return node(only.value, isWhole: false)
                case .null, .string, .array, .object: break
                }
            }
            return JSONNode(.object(members.map { .init(key: $0.key, value: node($0.value, isWhole: false)) }))
        }
    }

    private func field(_ template: FieldTemplate) -> JSONNode {
        switch template {
        case .null: JSONNode(.null)
        case .bool(let value): .bool(value)
        case .number(.constant(let number)): .number(number)
        case .number(.generated(let generator)): JSONNode(.object(self.generator(generator)))
        case .string(let text): .string(text)
        case .array(let elements): .array(elements.map(field))
        case .object(let members): JSONNode(.object(members.map { .init(key: $0.key, value: field($0.value)) }))
        }
    }

    /// The members of a generator. Those with their default are left out.
    private func generator(_ generator: NumberGenerator) -> [JSONNode.Member] {
        let node: JSONNode =
            switch generator {
            case .ramp(let from, let to, let over, let repeats):
                .object([
                    "ramp": .array([.number(from), .number(to)]), "over": Self.time(over),
                    "repeat": repeats ? .bool(true) : nil,
                ])
            case .sine(let low, let high, let period):
                .object(["sine": .array([.number(low), .number(high)]), "period": Self.time(period)])
            case .walk(let low, let high, let step, let start):
                .object([
                    "walk": .array([.number(low), .number(high)]), "step": .number(step),
                    "start": start.map { .number($0) },
                ])
            case .random(let low, let high): .object(["random": .array([.number(low), .number(high)])])
            case .steps(let numbers, let every):
                .object(["steps": .array(numbers.map { .number($0) }), "every": every.map(Self.time)])
            case .timetable(let entries, let repeats):
                .object([
                    "timetable": .array(entries.map { .array([Self.time($0.at), .number($0.number)]) }),
                    "repeat": repeats ? .bool(true) : nil,
                ])
            case .counter(let from, let step, let limit):
                .object([
                    "counter": .number(from), "step": Self.unless(DecimalNumber(1), step) { .number($0) },
                    "limit": limit.map { .number($0) },
                ])
            case .clock(let unit): .object(["clock": Self.time(unit)])
            case .follower(let follower):
                .object([
                    "follows": reference(follower.source), "field": follower.field.map { .string($0) },
                    "from": follower.format.map { .string($0.description) },
                    "factor": Self.unless(DecimalNumber(1), follower.factor) { .number($0) },
                    "offset": Self.unless(.zero, follower.offset) { .number($0) },
                    "rate": follower.rate.map { .number($0) }, "start": follower.start.map { .number($0) },
                ])
            }
        guard case .object(let members) = node.content else { return [] }
        return members
    }
}

extension DecodedValue.Content {
    /// The content without the members that are not there.
    fileprivate var withoutNulls: DecodedValue.Content {
        switch self {
        case .null, .bool, .number, .string: self
        case .array(let elements): .array(elements.map(\.withoutNulls))
        case .object(let members):
            .object(members.filter { $0.value != .null }.map { .init($0.key, $0.value.withoutNulls) })
        }
    }
}
