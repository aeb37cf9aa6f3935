// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation

/// How long the processors that this process may use were idle and in use since the start of the machine, in clock ticks.
struct ProcessorTimes {
    private var idle: UInt64 = 0
    private var all: UInt64 = 0
    private var count = 0

    /// Measures. `nil` if the kernel does not tell.
    init?() {
        guard let allowed = Self.allowedProcessors, let lines = try? Self.lines(of: "/proc/stat") else { return nil }
        for line in lines {
            // "cpu1 user nice system idle iowait irq softirq steal guest guest_nice"
            let fields = line.split(separator: " ")
            guard let name = fields.first, name.hasPrefix("cpu"), let number = Int(name.dropFirst(3)) else { continue }
            let ticks = fields.dropFirst().prefix(8).compactMap { UInt64($0) }
            guard allowed.contains(number), ticks.count == 8 else { continue }
            count += 1
            idle += ticks[3] + ticks[4]
            all += ticks.reduce(0, +)
        }
        if count == 0 { return nil }
    }

    /// The number of processors that had nothing to do, on average, since an earlier measurement.
    func idleProcessors(since earlier: ProcessorTimes) -> Double {
        guard all > earlier.all, idle >= earlier.idle else { return 0 }
        return Double(count) * Double(idle - earlier.idle) / Double(all - earlier.all)
    }

    /// Those of 'taskset'.
    private static let allowedProcessors: Set<Int>? = {
        // "Cpus_allowed_list:	0-1,4"
        let key = "Cpus_allowed_list:"
        guard let line = try? lines(of: "/proc/self/status").first(where: { $0.hasPrefix(key) }) else { return nil }
        var numbers: Set<Int> = []
        for range in line.dropFirst(key.count).split(separator: ",") {
            let bounds = range.split(separator: "-").compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }
            guard let first = bounds.first, let last = bounds.last, first <= last else { return nil }
            numbers.formUnion(first...last)
        }
        return numbers
    }()

    private static func lines(of path: String) throws -> [Substring] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    }
}
