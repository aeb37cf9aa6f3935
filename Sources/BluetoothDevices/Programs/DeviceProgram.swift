// SPDX-License-Identifier: MIT

public import Bluetooth

/// Behaviour in Swift that rules cannot express. A device file refers to it by name.
///
/// A program is a value that gets time and random numbers as parameters, so that a simulation is reproducible.
public protocol DeviceProgram: Sendable {
    /// The names of its values: `["measurement"]`.
    static var values: [String] { get }
    /// The names of its commands: `["reset-energy"]`.
    static var commands: [String] { get }

    /// The octets of one of its values, which a client reads or which is sent.
    mutating func value(
        _ name: String,
        isSent: Bool,
        now: Instant,
        _ random: inout SeededGenerator
    ) -> [UInt8]

    /// Carries out one of its commands with the written value, and returns the actions for the device.
    mutating func run(_ command: String, _ written: [UInt8], now: Instant) -> [DeviceAction]
}

extension DeviceProgram {
    /// None.
    public static var commands: [String] { [] }

    /// Does nothing.
    public mutating func run(_ command: String, _ written: [UInt8], now: Instant) -> [DeviceAction] { [] }
}

/// The programs that a device file can refer to, by name.
public struct DevicePrograms: Sendable {
    /// A program: the names of its members, and a new one.
    struct Entry: Sendable {
        let values: [String]
        let commands: [String]
        let make: @Sendable () -> any DeviceProgram
    }

    private(set) var entries: [String: Entry] = [:]

    /// The programs of the built-in devices.
    public static let builtIn: DevicePrograms = {
        var programs = DevicePrograms()
        programs.add("bicycle") { BicycleProgram() }
        programs.add("clock") { ClockProgram() }
        programs.add("heart") { HeartProgram() }
        programs.add("loose-contact") { LooseContactProgram() }
        programs.add("records") { RecordsProgram() }
        programs.add("shapeshifter") { ShapeshifterProgram() }
        return programs
    }()

    /// No programs.
    public init() {}

    /// Adds a program under a name, and replaces one that has it.
    public mutating func add<Program: DeviceProgram>(_ name: String, _ make: @escaping @Sendable () -> Program) {
        entries[name] = Entry(values: Program.values, commands: Program.commands, make: make)
    }

    /// The references to all values: `["heart.measurement"]`.
    public var values: [String] { names(\.values) }

    /// The references to all commands: `["heart.reset-energy"]`.
    public var commands: [String] { names(\.commands) }

    /// The references to the members of all programs, sorted so that messages list them in the same order.
    private func names(_ members: KeyPath<Entry, [String]>) -> [String] {
        entries.flatMap { name, entry in entry[keyPath: members].map { "\(name).\($0)" } }.sorted()
    }
}

struct ProgramRunner: Sendable {
    private let available: DevicePrograms
    /// The programs that a value or a command has started.
    private var running: [String: any DeviceProgram] = [:]

    static let empty = ProgramRunner(DevicePrograms())

    /// Starts nothing. A program is made when it is first used.
    init(_ available: DevicePrograms) { self.available = available }

    /// The value of a program. Starts the program if it does not run. `nil` if there is no such value.
    mutating func value(
        of reference: ProgramReference,
        isSent: Bool,
        now: Instant,
        _ random: inout SeededGenerator
    ) -> [UInt8]? {
        guard let entry = available.entries[reference.program], entry.values.contains(reference.member) else {
            return nil
        }
        // It is moved out and back, so that nothing is copied.
        var program = running.removeValue(forKey: reference.program) ?? entry.make()
        let value = program.value(reference.member, isSent: isSent, now: now, &random)
        running[reference.program] = program
        return value
    }

    /// Carries out a command of a program. Starts the program if it does not run. Empty if there is no such command.
    mutating func run(_ reference: ProgramReference, _ written: [UInt8], now: Instant) -> [DeviceAction] {
        guard let entry = available.entries[reference.program], entry.commands.contains(reference.member) else {
            return []
        }
        var program = running.removeValue(forKey: reference.program) ?? entry.make()
        let actions = program.run(reference.member, written, now: now)
        running[reference.program] = program
        return actions
    }

    mutating func restart() { running = [:] }
}
