// SPDX-License-Identifier: GPL-2.0-or-later

/// Where those of each UUID stand: a hostile device may have as many of one UUID as there are handles, and the one with a
/// given index is not to be looked for among all of them each time.
struct HandlesByUUID: Hashable, Sendable {
    /// Rising, and never empty: what is equal looks equal.
    private var handles: [BluetoothUUID: [Handle]] = [:]

    /// The handles of a UUID, in their order.
    subscript(uuid: BluetoothUUID) -> [Handle] { handles[uuid] ?? [] }

    /// Adds a handle, unless it is there already.
    mutating func insert(_ handle: Handle, _ uuid: BluetoothUUID) {
        handles[uuid, default: []].insertInOrder(handle)
    }

    /// Takes a handle out.
    mutating func remove(_ handle: Handle, _ uuid: BluetoothUUID) {
        remove(HandleRange(handle, handle), uuid)
    }

    /// Takes all handles of a range out.
    mutating func remove(_ range: HandleRange) {
        for uuid in Array(handles.keys) { remove(range, uuid) }
    }

    private mutating func remove(_ range: HandleRange, _ uuid: BluetoothUUID) {
        handles[uuid]?.remove(range)
        if handles[uuid]?.isEmpty == true { handles[uuid] = nil }
    }
}

extension [Handle] {
    fileprivate mutating func insertInOrder(_ handle: Handle) {
        let index = partitioningIndex { $0 >= handle }
        if index == count || self[index] != handle { insert(handle, at: index) }
    }

    fileprivate mutating func remove(_ range: HandleRange) {
        let low = partitioningIndex { $0 >= range.start }
        let high = partitioningIndex { $0 > range.end }
        removeSubrange(low..<Swift.max(low, high))
    }
}
