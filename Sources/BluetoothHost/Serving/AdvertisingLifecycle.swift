// SPDX-License-Identifier: MIT

import Bluetooth

/// Tracks which advertising sets are on the air, and which must be restarted: a controller stops a connectable set when
/// a central connects, and a device may leave for a while, or accept no connections.
///
/// A pure machine: events go in, and the sets to restart come out.
struct AdvertisingLifecycle: Sendable {
    enum Commands: Hashable, Sendable {
        /// The extended commands: each set has a number, and the controller names the set that has ended.
        case extended
        /// The legacy commands: one set, which ends with a connection.
        case legacy
    }

    /// The commands, which determine what a connection ends.
    private let commands: Commands
    /// The sets that accept connections, as long as the device does.
    private let isConnectable: [Bool]
    /// The number of connections at which connectable sets stay off the air.
    private let maximumConnections: Int
    /// The sets that are not on the air.
    private var stopped: Set<Int> = []
    private var isAway = false
    private(set) var acceptsConnections = true
    /// The connections, which legacy and extended commands report alike.
    private var connections: Set<ConnectionHandle> = []

    /// Assumes that all sets are on the air.
    init(_ commands: Commands, isConnectable: [Bool], maximumConnections: Int) {
        self.commands = commands
        self.isConnectable = isConnectable
        self.maximumConnections = maximumConnections
    }

    mutating func connected(_ connection: ConnectionHandle) -> [Int] {
        connections.insert(connection)
        if commands == .legacy { stopped.formUnion(isConnectable.indices.filter { accepts($0) }) }
        return takeStartable()
    }

    mutating func terminated(_ set: Int) -> [Int] {
        guard isConnectable.indices.contains(set) else { return [] }
        stopped.insert(set)
        return takeStartable()
    }

    mutating func disconnected(_ connection: ConnectionHandle) -> [Int] {
        guard connections.remove(connection) != nil else { return [] }
        return takeStartable()
    }

    /// The controller refused to start a set because it has no room for another connection. It is tried again when a
    /// connection ends, or else with `retried`.
    mutating func refused(_ set: Int) { stopped.insert(set) }

    /// Whether a connection will end. Without one, something else is in the way of a set that was refused.
    var hasConnections: Bool { !connections.isEmpty }

    /// Another program has stopped sets. Returns whether one of them was running, so that `retried` has to follow.
    mutating func stoppedByOthers(_ sets: some Sequence<Int>) -> Bool { !takeRunning(sets).isEmpty }

    /// The sets that were refused or stopped may be tried again.
    mutating func retried() -> [Int] { takeStartable() }

    /// The device leaves. Returns the sets to stop.
    mutating func left() -> [Int] {
        guard !isAway else { return [] }
        isAway = true
        return takeRunning(isConnectable.indices)
    }

    mutating func returned() -> [Int] {
        isAway = false
        return takeStartable()
    }

    /// The device accepts connections from now on, or no more of them. Returns the sets to stop before they are
    /// changed, and all that have to be changed; `changed` follows.
    mutating func setAccepting(_ isAccepting: Bool) -> (stopped: [Int], changed: [Int]) {
        guard isAccepting != acceptsConnections else { return ([], []) }
        acceptsConnections = isAccepting
        let changed = isConnectable.indices.filter { isConnectable[$0] }
        return (takeRunning(changed), changed)
    }

    /// The sets that were changed can be started.
    mutating func changed() -> [Int] { takeStartable() }

    /// All sets are to be changed. Returns the sets to stop before; `resumed` follows.
    mutating func paused() -> [Int] { takeRunning(isConnectable.indices) }

    /// The sets that were changed can be started.
    mutating func resumed() -> [Int] { takeStartable() }

    /// Whether a central may connect through the set now.
    private func accepts(_ set: Int) -> Bool { isConnectable[set] && acceptsConnections }

    /// Marks sets as stopped, and returns those that were running.
    private mutating func takeRunning(_ sets: some Sequence<Int>) -> [Int] {
        let running = sets.filter { !stopped.contains($0) }
        stopped.formUnion(running)
        return running
    }

    /// The sets that can be on the air again. They count as running from now on.
    private mutating func takeStartable() -> [Int] {
        guard !isAway else { return [] }
        // A set that accepts no connection needs no room for one.
        let startable = stopped.filter { !accepts($0) || connections.count < maximumConnections }
        stopped.subtract(startable)
        return startable.sorted()
    }
}

/// The commands with which a controller advertises for a device.
public enum AdvertisingMode: String, Sendable, Hashable {
    /// The extended commands, with legacy PDUs for the advertisements that use them.
    case extended
    /// The legacy commands: the controller has no others, or refuses them after a legacy command.
    case legacy
}
