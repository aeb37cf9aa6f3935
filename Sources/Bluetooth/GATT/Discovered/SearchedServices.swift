// SPDX-License-Identifier: GPL-2.0-or-later

/// How many of the first primary services of each UUID were looked through for characteristics: the next question need not
/// look at those again. It follows from the rest of what is known, and where it is too low that costs time only: so two
/// databases do not differ by it.
struct SearchedServices: Hashable, Sendable {
    private var counts: [BluetoothUUID: Int] = [:]

    subscript(uuid: BluetoothUUID) -> Int {
        get { counts[uuid] ?? 0 }
        set { counts[uuid] = newValue == 0 ? nil : newValue }
    }

    static func == (left: Self, right: Self) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
