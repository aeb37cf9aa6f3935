// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

/// When and why a value is computed.
struct ValueMoment: Hashable, Sendable {
    /// The present moment.
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
}

/// Computes a value once.
struct ValueMaker {
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
        case .number(.generated(let generator), let format): return format.octets(ofGenerated: sample(generator))
        case .sequence(let values):
            var all: [UInt8] = []
            for value in values {
                guard let part = octets(of: value) else { return nil }
                all += part
            }
            return all
        case .fields(let uuid, let template): return try? CharacteristicFormat.of(uuid)?.encode(content(of: template))
        case .replay(let replay): return replay.value(at: moment.streaming)
        case .program(let reference):
            return programs.value(of: reference, isSent: moment.isSent, now: moment.now, &random)
        }
    }

    private mutating func sample(_ generator: NumberGenerator) -> Double {
        // A value contains its generators in the same order each time, so that a position identifies a state.
        if position == samplers.count { samplers.append(NumberSampler()) }
        defer { position += 1 }
        return samplers[position].next(generator, at: moment.uptime, advances: moment.advances, &random)
    }

    private mutating func content(of template: FieldTemplate) -> DecodedValue.Content {
        switch template {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(.constant(let number)): .number(number)
        case .number(.generated(let generator)): .number(DecimalNumber(sample(generator)) ?? .zero)
        case .string(let text): .string(text)
        case .array(let elements): .array(contents(of: elements))
        case .object(let members): .object(self.members(of: members))
        }
    }

    private mutating func contents(of elements: [FieldTemplate]) -> [DecodedValue.Content] {
        var contents: [DecodedValue.Content] = []
        for element in elements { contents.append(content(of: element)) }
        return contents
    }

    private mutating func members(of members: [FieldTemplate.Member]) -> [DecodedValue.Member] {
        var result: [DecodedValue.Member] = []
        for member in members { result.append(.init(member.key, content(of: member.value))) }
        return result
    }
}

extension DeviceValue {
    /// The octets of a value that never changes; `nil` if its format cannot hold it, or it changes.
    var constantOctets: [UInt8]? {
        guard isConstant else { return nil }
        let moment = ValueMoment(now: .zero, uptime: .zero, isSent: false, advances: false)
        var maker = ValueMaker(moment: moment, random: SeededGenerator(seed: 0))
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
