// SPDX-License-Identifier: MIT

public import BluetoothProfiles

/// A number that follows the one that is stored in another characteristic of the device, as a temperature follows its
/// target.
public struct NumberFollower: Hashable, Sendable {
    /// The characteristic that it follows. Its value is one that clients, rules or people change, and no generated one.
    public var source: CharacteristicReference
    /// The field of that characteristic, `energy.kwh` for a field in a field; `nil` if the value is one number.
    public var field: String?
    /// The format of the number there, if the characteristic is not assigned; `nil` for an unsigned number,
    /// little-endian, as for the period of a stream.
    public var format: ValueFormat?
    /// What the number is multiplied with.
    public var factor: DecimalNumber
    /// What is added afterwards.
    public var offset: DecimalNumber
    /// By how much it changes in a second, at most; `nil` if it changes at once.
    public var rate: DecimalNumber?
    /// The number at the start of a device if there is a rate; `nil` for the one that it follows.
    public var start: DecimalNumber?

    /// Creates a follower.
    public init(
        _ source: CharacteristicReference,
        field: String? = nil,
        format: ValueFormat? = nil,
        factor: DecimalNumber = DecimalNumber(1),
        offset: DecimalNumber = .zero,
        rate: DecimalNumber? = nil,
        start: DecimalNumber? = nil
    ) {
        self.source = source
        self.field = field
        self.format = format
        self.factor = factor
        self.offset = offset
        self.rate = rate
        self.start = start
    }
}

extension DeviceValue {
    var generators: [NumberGenerator] {
        switch self {
        case .number(.generated(let generator), _): [generator]
        case .sequence(let values): values.flatMap(\.generators)
        case .fields(_, let template): template.generators
        case .octets, .number(.constant, _), .replay, .program: []
        }
    }

    var followers: [NumberFollower] {
        generators.compactMap { generator in
            guard case .follower(let follower) = generator else { return nil }
            return follower
        }
    }
}

extension FieldTemplate {
    var generators: [NumberGenerator] {
        switch self {
        case .number(.generated(let generator)): [generator]
        case .null, .bool, .number(.constant), .string: []
        case .array(let elements): elements.flatMap(\.generators)
        case .object(let members): members.flatMap(\.value.generators)
        }
    }
}
