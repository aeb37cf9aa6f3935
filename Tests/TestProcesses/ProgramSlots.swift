// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation

/// Limits the number of tests that run programs at the same time, because the testing library starts all tests at once
/// on any machine.
package actor ProgramSlots {
    /// For tests whose programs compute: two slots for each core, because a program also waits, to be started and to be read.
    package static let busy = ProgramSlots(count: 2 * max(2, ProcessInfo.processInfo.activeProcessorCount))
    /// For tests whose programs mostly wait for an answer that does not come.
    package static let waiting = ProgramSlots(count: 4 * max(2, ProcessInfo.processInfo.activeProcessorCount))

    /// The programs of the current task's slot. A test that starts several programs uses one slot for all: if two tests
    /// waited for a second slot each, both would wait without end.
    @TaskLocal static var programs: RunningPrograms?

    private var free: Int
    /// Those that wait, in the order of their calls: long ones, which come first, and the others.
    private var long: [CheckedContinuation<Void, Never>] = []
    private var short: [CheckedContinuation<Void, Never>] = []

    private init(count: Int) { free = count }

    /// Runs `body` when a slot is free, in the order of the calls.
    ///
    /// - Parameters:
    ///   - slots: The slots.
    ///   - isLong: Whether it takes long. It then goes before others, because a long one that begins last has the machine
    ///     to itself at the end.
    ///   - body: What to run.
    package static func use<Result>(
        _ slots: ProgramSlots = .busy,
        isLong: Bool = false,
        _ body: (RunningPrograms) async throws -> Result
    ) async rethrows -> Result {
        if let programs { return try await body(programs) }
        await slots.take(isLong: isLong)
        do {
            let programs = RunningPrograms()
            let result = try await $programs.withValue(programs) { try await body(programs) }
            await slots.give()
            return result
        } catch {
            await slots.give()
            throw error
        }
    }

    /// Runs `body` for each element, at most `width` at a time.
    package static func concurrently<Elements: Sequence>(
        _ elements: Elements,
        width: Int,
        _ body: @escaping @Sendable (Elements.Element) async throws -> Void
    ) async throws where Elements.Element: Sendable {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, element) in elements.enumerated() {
                if number >= width { try await group.next() }
                group.addTask { try await body(element) }
            }
            try await group.waitForAll()
        }
    }

    private func take(isLong: Bool) async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiter in
            if isLong { long.append(waiter) } else { short.append(waiter) }
        }
    }

    private func give() {
        if !long.isEmpty {
            long.removeFirst().resume()
        } else if !short.isEmpty {
            short.removeFirst().resume()
        } else {
            free += 1
        }
    }
}
