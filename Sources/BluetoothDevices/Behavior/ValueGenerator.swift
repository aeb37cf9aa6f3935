// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

/// When and why a value is computed.
struct ValueMoment: Hashable, Sendable {
    var now: Instant
    /// The time since the start of the device.
    var uptime: Duration
    /// The time since the start of the value's stream.
    var streaming = Duration.zero
    /// Whether the value is sent; otherwise a client reads it.
    var isSent: Bool
    /// Whether generators go on to their next numbers.
    ///
    /// A read of a streamed characteristic does not advance them: it returns the value that was sent last.
    var advances: Bool
    /// The numbers that the value's followers follow.
    var followed: [NumberFollower: Double] = [:]
}

/// Computes a value once.
struct ValueGenerator {
    let moment: ValueMoment
    private(set) var random: SeededGenerator
    /// The states of the generators, in the order in which the value contains them.
    private(set) var samplers: [NumberSampler]
    private(set) var programs: ProgramRunner
    private var position = 0

    init(
        moment: ValueMoment,
        random: SeededGenerator,
        samplers: [NumberSampler] = [],
        programs: ProgramRunner = .empty
    ) {
        self.moment = moment
        self.random = random
        self.samplers = samplers
        self.programs = programs
    }

    /// The octets of a value; `nil` if its format cannot hold it.
    mutating func octets(of value: DeviceValue) -> [UInt8]? {
        switch value {
        case .octets(let octets): return octets
        case .number(.constant(let number), let format): return format.octets(of: number)
        case .number(.generated(let generator), let format):
            return format.octets(ofGenerated: sample(generator, within: format.limits))
        case .sequence(let values):
            var all: [UInt8] = []
            for value in values {
                guard let part = octets(of: value) else { return nil }
                all += part
            }
            return all
        case .fields(let uuid, let template):
            guard let format = CharacteristicFormat.of(uuid) else { return nil }
            // Their limits are looked up only for generators that need them.
            let fields = template.isEndless ? format.fields : []
            // The only field may be given without its name.
            let only = fields.count == 1 ? fields.first : nil
            let members = only.flatMap { $0.key.isEmpty ? $0.members : nil } ?? fields
            return try? format.encode(content(of: template, only, among: members))
        case .replay(let replay): return replay.value(at: moment.streaming)
        case .program(let reference):
            return programs.value(of: reference, isSent: moment.isSent, now: moment.now, &random)
        }
    }

    private mutating func sample(_ generator: NumberGenerator, within limits: NumberLimits?) -> Double {
        // A value contains its generators in the same order each time, so that a position identifies a state.
        if position == samplers.count { samplers.append(NumberSampler()) }
        defer { position += 1 }
        var followed: Double?
        if case .follower(let follower) = generator { followed = moment.followed[follower] }
        return samplers[position]
            .next(
                generator,
                at: moment.uptime,
                advances: moment.advances,
                following: followed,
                within: limits,
                &random
            )
    }

    /// - Parameters:
    ///   - field: The field that the template is; `nil` if it is not known.
    ///   - fields: The fields that its members are.
    private mutating func content(
        of template: FieldTemplate,
        _ field: FieldDescription?,
        among fields: [FieldDescription]
    ) -> DecodedValue.Content {
        switch template {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .number(.constant(let number)): return .number(number)
        case .number(.generated(let generator)):
            return .number(DecimalNumber(sample(generator, within: field?.limits)) ?? .zero)
        case .string(let text): return .string(text)
        case .array(let elements):
            // One description stands for all elements: without a key if they are not objects.
            let element = fields.first.flatMap { fields.count == 1 && $0.key.isEmpty ? $0 : nil }
            let members = element?.members ?? fields
            var contents: [DecodedValue.Content] = []
            for template in elements { contents.append(content(of: template, element, among: members)) }
            return .array(contents)
        case .object(let members):
            var result: [DecodedValue.Member] = []
            for member in members {
                let field = fields.first { $0.key == member.key }
                result.append(.init(member.key, content(of: member.value, field, among: field?.members ?? [])))
            }
            return .object(result)
        }
    }
}

extension DeviceValue {
    /// The octets of a value that never changes; `nil` if its format cannot hold it, or it changes.
    var constantOctets: [UInt8]? {
        guard isConstant else { return nil }
        let moment = ValueMoment(now: .zero, uptime: .zero, isSent: false, advances: false)
        var maker = ValueGenerator(moment: moment, random: SeededGenerator(seed: 0))
        return maker.octets(of: self)
    }
}

extension ValueReplay {
    /// The sample whose turn it is; empty without any.
    func value(at time: Duration) -> [UInt8] {
        var offset = time
        if let period, period > .zero {
            offset = .nanoseconds(time.clampedNanoseconds % max(1, period.clampedNanoseconds))
        }
        return (samples.last(atOrBefore: offset, \.at) ?? samples.first)?.value ?? []
    }
}

extension Array {
    /// The last of elements in ascending order whose time is not after the given one; `nil` if all are.
    func last(atOrBefore time: Duration, _ timeOf: (Element) -> Duration) -> Element? {
        var low = 0
        var high = count
        // A binary search, because a recording may have a million samples.
        while low < high {
            let middle = (low + high) / 2
            if timeOf(self[middle]) <= time { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? self[low - 1] : nil
    }
}
