// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

/// The octets of values that are known before the device runs.
enum FieldEncoding {
    /// Why fields cannot be encoded.
    struct Fault {
        /// The way from the value to the field.
        let steps: [JSONPath.Step]
        let message: String
    }

    /// The format of a characteristic or descriptor; `nil` if it is not known.
    static func format(of uuid: BluetoothUUID) -> CharacteristicFormat? {
        CharacteristicFormat.of(uuid) ?? DescriptorValue.format(ofDescriptor: uuid)
    }

    /// The octets of a constant value; `nil` if it is not constant, or cannot be encoded.
    static func octets(of value: DeviceValue) -> [UInt8]? {
        switch value {
        case .octets(let octets): return octets
        case .number(.constant(let number), let format): return format.octets(of: number)
        case .sequence(let values):
            var all: [UInt8] = []
            for value in values {
                guard let part = octets(of: value) else { return nil }
                all += part
            }
            return all
        case .fields(let uuid, let template):
            guard template.isConstant else { return nil }
            // No generator is asked, because the template is constant.
            return try? CharacteristicFormat.of(uuid)?.encode(template.content { _ in .zero })
        case .number(.generated, _), .replay, .program: return nil
        }
    }

    /// Why the fields cannot be encoded, with the least or with the greatest numbers of their generators.
    static func faults(of template: FieldTemplate, as uuid: BluetoothUUID) -> [Fault] {
        guard let format = CharacteristicFormat.of(uuid) else { return [] }
        var isObject = false
        if case .object = template { isObject = true }
        let ends: [(NumberGenerator) -> DecimalNumber] = [
            { $0.bounds.first ?? .zero }, { $0.bounds.last ?? .zero },
        ]
        // The lowest and the highest number of each generator are tried, because the numbers between them fit if these
        // do.
        for end in template.isConstant ? Array(ends.prefix(1)) : ends {
            do {
                _ = try format.encode(template.content(end))
            } catch {
                let steps = error.path.map { step in
                    switch step {
                    case .member(let key): JSONPath.Step.member(key)
                    case .element(let index): JSONPath.Step.element(index)
                    }
                }
                return [Fault(steps: isObject ? steps : [], message: error.message)]
            }
        }
        return []
    }
}

extension FieldTemplate {
    func content(_ number: (NumberGenerator) -> DecimalNumber) -> DecodedValue.Content {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(.constant(let constant)): .number(constant)
        case .number(.generated(let generator)): .number(number(generator))
        case .string(let text): .string(text)
        case .array(let elements): .array(elements.map { $0.content(number) })
        case .object(let members): .object(members.map { .init($0.key, $0.value.content(number)) })
        }
    }
}
