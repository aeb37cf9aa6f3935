// SPDX-License-Identifier: MIT

/// The number of primary services of each UUID, from the first one on, whose characteristics are all known, so that the
/// next question can skip them. The number follows from the rest of the database, and one that is too low only costs
/// time: therefore two databases never differ by it.
struct SearchedServices: Hashable, Sendable {
    private var counts: [BluetoothUUID: Int] = [:]

    subscript(uuid: BluetoothUUID) -> Int {
        get { counts[uuid] ?? 0 }
        set { counts[uuid] = newValue == 0 ? nil : newValue }
    }

    static func == (left: Self, right: Self) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
