// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Knows which advertising sets are on the air, and which have to be switched on again: a controller stops a connectable set
/// when a central connects.
///
/// A pure machine: what happened goes in, the sets to be switched on come out.
struct AdvertisingLifecycle: Sendable {
    /// What advertising is done by.
    enum Commands: Hashable, Sendable {
        /// The extended commands: each set has a number, and the controller tells which one has ended.
        case extended
        /// The legacy commands: one set, whose end is the connection.
        case legacy
    }

    private let commands: Commands
    private let isConnectable: [Bool]
    private let maximumConnections: Int
    private var stopped: Set<Int> = []
    private var connections: Set<ConnectionHandle> = []

    /// All sets are on the air.
    init(_ commands: Commands, isConnectable: [Bool], maximumConnections: Int) {
        self.commands = commands
        self.isConnectable = isConnectable
        self.maximumConnections = maximumConnections
    }

    /// A central has connected.
    mutating func connected(_ connection: ConnectionHandle) -> [Int] {
        connections.insert(connection)
        if commands == .legacy { stopped.formUnion(isConnectable.indices.filter { isConnectable[$0] }) }
        return takeStartable()
    }

    /// The controller has ended a set.
    mutating func terminated(_ set: Int) -> [Int] {
        guard isConnectable.indices.contains(set) else { return [] }
        stopped.insert(set)
        return takeStartable()
    }

    /// A central's connection has ended.
    mutating func disconnected(_ connection: ConnectionHandle) -> [Int] {
        guard connections.remove(connection) != nil else { return [] }
        return takeStartable()
    }

    /// The controller would not switch a set on: it has no room for one more connection. The end of one may make room.
    mutating func refused(_ set: Int) { stopped.insert(set) }

    private mutating func takeStartable() -> [Int] {
        let startable = stopped.filter { !isConnectable[$0] || connections.count < maximumConnections }
        stopped.subtract(startable)
        return startable.sorted()
    }
}
