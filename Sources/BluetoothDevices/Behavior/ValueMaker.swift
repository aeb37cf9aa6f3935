// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

/// The state of a characteristic's value: what was written last, and the numbers of its generators.
struct ValueState: Sendable {
    /// The octets that a client or an action has put in the place of the definition's value.
    var replacement: [UInt8]?
    /// The states of the generators, in the order in which the definition contains them.
    fileprivate var samplers: [NumberSampler] = []
}

/// Computes a value once.
struct ValueMaker {
    let now: Instant
    /// Whether counters advance.
    let advances: Bool
    let look: Look
    /// The time since the stream of the value was started, for replays.
    let streaming: Duration
    var random: SeededGenerator
    private(set) var state: ValueState
    private var position = 0
    private var programs: ProgramRunner

    init(
        now: Instant,
        advances: Bool,
        look: Look,
        streaming: Duration,
        random: SeededGenerator,
        state: ValueState,
        programs: ProgramRunner
    ) {
        self.now = now
        self.advances = advances
        self.look = look
        self.streaming = streaming
        self.random = random
        self.state = state
        self.programs = programs
    }

    /// The programs with their new states.
    var changedPrograms: ProgramRunner { programs }

    /// The octets of a value; `nil` if it cannot be encoded, which `DeviceDefinition.image` prevents for constant ones.
    mutating func octets(of value: DeviceValue) -> [UInt8]? {
        switch value {
        case .octets(let octets): return octets
        case .number(let source, let format):
            return format.octets(of: number(source))
        case .sequence(let values):
            var all: [UInt8] = []
            for value in values {
                guard let part = octets(of: value) else { return nil }
                all += part
            }
            return all
        case .fields(let uuid, let template):
            let content = content(of: template)
            return Self.encoded(content, as: uuid)
        case .replay(let replay):
            return replay.value(at: streaming)
        case .program(let reference):
            return programs.value(of: reference, look, now: now, &random)
        }
    }

    private static func encoded(_ content: DecodedValue.Content, as uuid: BluetoothUUID) -> [UInt8]? { nil }

    private mutating func number(_ source: NumberSource) -> DecimalNumber {
        switch source {
        case .constant(let number): return number
        case .generated(let generator):
            if position == state.samplers.count { state.samplers.append(NumberSampler()) }
            defer { position += 1 }
            let number = state.samplers[position].next(generator, now: now, advances: advances, &random)
            return DecimalNumber(number) ?? .zero
        }
    }

    private mutating func content(of template: FieldTemplate) -> DecodedValue.Content {
        switch template {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let source): .number(number(source))
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

extension ValueReplay {
    /// The sample whose turn it is; empty without any.
    func value(at time: Duration) -> [UInt8] {
        (samples.last { $0.at <= offset(time) } ?? samples.first)?.value ?? []
    }

    /// The time from a moment to the next sample; `nil` if there is none any more.
    func untilNext(after time: Duration) -> Duration? {
        let offset = offset(time)
        if let next = samples.first(where: { $0.at > offset }) { return next.at - offset }
        guard let period, period > .zero, let first = samples.first else { return nil }
        return period - offset + first.at
    }

    private func offset(_ time: Duration) -> Duration {
        guard let period, period > .zero else { return time }
        return .nanoseconds(time.clampedNanoseconds % max(1, period.clampedNanoseconds))
    }
}
