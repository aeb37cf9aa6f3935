// SPDX-License-Identifier: GPL-2.0-or-later

/// The commands that run in the background, as numbers and lines.
struct ShellJobs: Equatable {
    /// The most jobs at a time.
    static let limit = 32

    /// The running ones, in the order of their numbers.
    private(set) var running: [ShellJob] = []

    /// Adds a job, and returns its number; `nil` if there are too many.
    mutating func add(_ line: String) -> Int? {
        guard running.count < Self.limit else { return nil }
        let number = (running.last?.number ?? 0) + 1
        running.append(ShellJob(number: number, line: line))
        return number
    }

    /// Removes a job that has ended, and returns it; `nil` if there is none of that number.
    mutating func end(_ number: Int) -> ShellJob? {
        running.firstIndex { $0.number == number }.map { running.remove(at: $0) }
    }
}
