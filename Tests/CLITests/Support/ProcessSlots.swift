// SPDX-License-Identifier: GPL-2.0-or-later

/// Lets a few processes run at a time, so that all tests at once do not starve each other.
actor ProcessSlots {
    /// For most runs.
    static let busy = ProcessSlots(count: 4)
    /// For runs that do little but wait for an answer that does not come.
    static let waiting = ProcessSlots(count: 8)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    private init(count: Int) { free = count }

    /// Runs `body`, in its caller's place, as soon as there is a slot.
    static func use<Result>(
        _ slots: ProcessSlots = .busy,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        await slots.take()
        do {
            let result = try await body()
            await slots.give()
            return result
        } catch {
            await slots.give()
            throw error
        }
    }

    private func take() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func give() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
