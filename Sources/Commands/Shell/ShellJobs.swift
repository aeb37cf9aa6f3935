// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

/// The commands that run in the background, as numbers and lines.
struct ShellJobs: Equatable {
    static let limit = 32

    /// A job that has ended, and whose status nobody has asked for yet.
    private struct Ended: Equatable {
        /// `nil` if a later job has the number.
        var number: Int?
        let status: ExitStatus
    }

    /// The running ones, in the order of their numbers.
    private(set) var running: [ShellJob] = []
    /// In the order of their ends.
    private var ended: [Ended] = []

    /// Adds a job, and returns its number; `nil` if there are too many.
    mutating func add(_ line: String) -> Int? {
        guard running.count < Self.limit else { return nil }
        let number = (running.last?.number ?? 0) + 1
        for index in ended.indices where ended[index].number == number { ended[index].number = nil }
        running.append(ShellJob(number: number, line: line))
        return number
    }

    /// Removes a job that has ended, and returns it; `nil` if there is none of that number. Its status is kept until it
    /// is taken.
    mutating func end(_ number: Int, _ status: ExitStatus) -> ShellJob? {
        guard let index = running.firstIndex(where: { $0.number == number }) else { return nil }
        ended.append(Ended(number: number, status: status))
        // A shell that never waits must not keep all of them. The first failure stays, because a later `wait` reports
        // it.
        if ended.count > Self.limit {
            let failure = ended.firstIndex { $0.status != .success }
            ended.remove(at: failure == 0 ? 1 : 0)
        }
        return running.remove(at: index)
    }

    /// Whether a job with that number runs, or has ended without a wait for it.
    func isKnown(_ number: Int) -> Bool {
        running.contains { $0.number == number } || ended.contains { $0.number == number }
    }

    /// Takes the status of the job with that number, or the first failure of all jobs that have ended since it was
    /// taken last.
    mutating func takeStatus(of number: Int? = nil) -> ExitStatus {
        guard let number else {
            defer { ended = [] }
            return ended.first { $0.status != .success }?.status ?? .success
        }
        return ended.firstIndex { $0.number == number }.map { ended.remove(at: $0).status } ?? .success
    }
}
