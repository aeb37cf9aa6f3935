// SPDX-License-Identifier: MIT

import Bluetooth

/// The changing values of a device: those stored by clients and actions, and those made by generators and programs.
struct DeviceValues: Sendable {
    /// The owner of a generator's state.
    private enum Owner: Hashable {
        case characteristic(DeviceLayout.Identity)
        /// An action with that value. Actions with the same value share it.
        case action(DeviceValue)
    }

    /// The values that writes and actions have stored. They survive a change of the database.
    private var stored: [DeviceLayout.Identity: [UInt8]] = [:]
    /// The states of generators: a value may have several, in the order in which they occur in it.
    private var samplers: [Owner: [NumberSampler]] = [:]
    private var programs: ProgramRunner

    /// Nothing is stored, and nothing runs.
    init(_ programs: DevicePrograms) { self.programs = ProgramRunner(programs) }

    /// The value that a write or an action has stored in a characteristic; `nil` if the characteristic still has its
    /// own.
    subscript(stored identity: DeviceLayout.Identity) -> [UInt8]? {
        get { stored[identity] }
        set { stored[identity] = newValue }
    }

    /// Forgets the stored values, and restarts all generators and programs.
    mutating func restart() {
        stored = [:]
        samplers = [:]
        programs.restart()
    }

    /// The present value of a characteristic, unless the server holds it; `nil` if it cannot be made.
    mutating func value(
        of entry: DeviceLayout.Entry,
        at moment: ValueMoment,
        _ random: inout SeededGenerator
    ) -> [UInt8]? {
        // A stored value takes the place of the generator. Only a restart brings the generator back.
        if let stored = stored[entry.identity] { return stored }
        // Empty and not `nil`, because the firmware refuses the read of a value that cannot be made.
        guard let value = entry.characteristic.value else { return [] }
        return make(value, for: .characteristic(entry.identity), at: moment, &random)
    }

    /// The octets of an action's value; `nil` if it cannot be made.
    mutating func octets(
        of value: DeviceValue,
        at moment: ValueMoment,
        _ random: inout SeededGenerator
    ) -> [UInt8]? {
        if case .octets(let octets) = value { return octets }
        return make(value, for: .action(value), at: moment, &random)
    }

    /// Passes the written value to the command of a program, and returns the actions for the device.
    mutating func run(_ reference: ProgramReference, _ written: [UInt8], now: Instant) -> [DeviceAction] {
        programs.run(reference, written, now: now)
    }

    /// Makes a value, and keeps the states of its generators for the next one.
    private mutating func make(
        _ value: DeviceValue,
        for owner: Owner,
        at moment: ValueMoment,
        _ random: inout SeededGenerator
    ) -> [UInt8]? {
        // The states are moved into the maker and back, so that nothing is copied.
        var maker = ValueGenerator(
            moment: moment,
            random: random,
            samplers: samplers.removeValue(forKey: owner) ?? [],
            programs: programs
        )
        programs = .empty
        let octets = maker.octets(of: value)
        random = maker.random
        programs = maker.programs
        if !maker.samplers.isEmpty { samplers[owner] = maker.samplers }
        return octets
    }
}
