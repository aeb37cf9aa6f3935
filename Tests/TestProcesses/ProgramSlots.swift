// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation

/// Limits the number of tests that run programs at the same time, because the testing library starts all tests at once
/// on any machine.
///
/// A number of slots that follows the number of processors is there at any time. More are opened while processors are idle,
/// because most programs wait for each other and not for a processor, and closed again while all are in use, by these or by
/// other processes.
package actor ProgramSlots {
    /// For tests whose programs compute: two slots for each core, because a program also waits, to be started and to be read.
    package static let busy = ProgramSlots(perProcessor: 2)
    /// For tests whose programs mostly wait for an answer that does not come.
    package static let waiting = ProgramSlots(perProcessor: 4)

    /// The programs of the current task's slot. A test that starts several programs uses one slot for all: if two tests
    /// waited for a second slot each, both would wait without end.
    @TaskLocal static var programs: RunningPrograms?

    /// The least and the largest number of slots.
    private let least, most: Int
    /// The number of slots at this time, and of those in use.
    private var open: Int
    private var used = 0
    /// Those that wait, in the order of their calls: long ones, which come first, and the others.
    private var long: [CheckedContinuation<Void, Never>] = []
    private var short: [CheckedContinuation<Void, Never>] = []
    private var isWatching = false

    private init(perProcessor: Int) {
        least = perProcessor * max(2, ProcessInfo.processInfo.activeProcessorCount)
        most = 8 * least
        open = least
    }

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
        guard used >= open else {
            used += 1
            return
        }
        if !isWatching {
            isWatching = true
            Task { await self.followProcessors() }
        }
        await withCheckedContinuation { waiter in
            if isLong { long.append(waiter) } else { short.append(waiter) }
        }
    }

    private func give() {
        used -= 1
        grant()
    }

    /// Gives the slots that are free to the first that wait.
    private func grant() {
        while used < open, !long.isEmpty || !short.isEmpty {
            used += 1
            (long.isEmpty ? short.removeFirst() : long.removeFirst()).resume()
        }
    }

    /// Opens a slot for each idle processor, or closes one if none is idle, again and again while somebody waits. What was just
    /// started counts in the next measurement.
    private func followProcessors() async {
        while !long.isEmpty || !short.isEmpty {
            let before = ProcessorTimes()
            try? await Task.sleep(for: .milliseconds(100))
            guard let before, let idle = ProcessorTimes()?.idleProcessors(since: before) else { break }
            let change = idle < 0.1 ? -1 : Int(idle.rounded())
            open = min(max(open + change, least), most)
            grant()
        }
        isWatching = false
    }
}
