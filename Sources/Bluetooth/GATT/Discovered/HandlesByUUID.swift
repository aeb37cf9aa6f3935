// SPDX-License-Identifier: MIT

/// The handles of the services or characteristics of each UUID. The index exists because a hostile device may have as
/// many of one UUID as there are handles, and a search among all of them for each question would take quadratic time.
struct HandlesByUUID: Hashable, Sendable {
    /// Rising handles, and no empty lists, so that equal contents compare equal.
    private var handles: [BluetoothUUID: [Handle]] = [:]

    /// The handles of a UUID in rising order.
    subscript(uuid: BluetoothUUID) -> [Handle] { handles[uuid] ?? [] }

    /// Adds a handle unless it is present.
    mutating func insert(_ handle: Handle, _ uuid: BluetoothUUID) {
        handles[uuid, default: []].insertInOrder(handle)
    }

    mutating func remove(_ handle: Handle, _ uuid: BluetoothUUID) {
        remove(HandleRange(handle, handle), uuid)
    }

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
