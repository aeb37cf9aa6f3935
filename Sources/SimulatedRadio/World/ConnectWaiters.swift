// SPDX-License-Identifier: MIT

import Bluetooth

/// The connection attempts that wait until a connectable device advertises at an address.
struct ConnectWaiters: Sendable {
    typealias Waiter = AsyncStream<Never>.Continuation

    private var waiters: [DeviceAddress: [Int: Waiter]] = [:]
    private var last = 0

    var count: Int { waiters.values.reduce(0) { $0 + $1.count } }

    /// Adds an attempt. The stream ends when it is worth another look.
    mutating func add(_ address: DeviceAddress) -> (number: Int, signal: AsyncStream<Never>) {
        let (signal, continuation) = AsyncStream<Never>.makeStream()
        last += 1
        waiters[address, default: [:]][last] = continuation
        return (last, signal)
    }

    mutating func remove(_ number: Int, _ address: DeviceAddress) {
        waiters[address]?[number] = nil
        if waiters[address]?.isEmpty == true { waiters[address] = nil }
    }

    /// Removes all attempts, in the order of their arrival.
    mutating func takeAll() -> [Waiter] {
        let all = waiters.values.joined().sorted { $0.key < $1.key }.map(\.value)
        waiters = [:]
        return all
    }

    /// Removes all attempts to an address, in the order of their arrival, so that the caller can wake them without the
    /// lock.
    mutating func take(_ address: DeviceAddress) -> [Waiter] {
        (waiters.removeValue(forKey: address) ?? [:]).sorted { $0.key < $1.key }.map(\.value)
    }
}
