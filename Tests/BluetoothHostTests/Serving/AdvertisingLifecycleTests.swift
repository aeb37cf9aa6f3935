// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost

@Suite("When to advertise again")
struct AdvertisingLifecycleTests {
    private static let first = ConnectionHandle(rawValue: 0x0040)
    private static let second = ConnectionHandle(rawValue: 0x0041)

    @Test func `extended: a set that ended is started again while there is room`() {
        var lifecycle = AdvertisingLifecycle(.extended, isConnectable: [true, false], maximumConnections: 2)
        #expect(lifecycle.connected(Self.first) == [])
        #expect(lifecycle.terminated(0) == [0])
        #expect(lifecycle.connected(Self.second) == [])
        #expect(lifecycle.terminated(0) == [])
        #expect(lifecycle.disconnected(Self.first) == [0])
        #expect(lifecycle.disconnected(Self.second) == [])
    }

    @Test func `the end of a set may be reported before the connection`() {
        var lifecycle = AdvertisingLifecycle(.extended, isConnectable: [true], maximumConnections: 1)
        #expect(lifecycle.terminated(0) == [0])
        #expect(lifecycle.connected(Self.first) == [])
        // The controller accepted the connection before the set was started again.
        #expect(lifecycle.terminated(0) == [])
        #expect(lifecycle.disconnected(Self.first) == [0])
    }

    @Test func `a set that accepts no connection is started again for any number of connections`() {
        var lifecycle = AdvertisingLifecycle(.extended, isConnectable: [true, false], maximumConnections: 1)
        #expect(lifecycle.connected(Self.first) == [])
        #expect(lifecycle.terminated(1) == [1])
    }

    @Test func `legacy: a connection ends advertising`() {
        var lifecycle = AdvertisingLifecycle(.legacy, isConnectable: [true], maximumConnections: 2)
        #expect(lifecycle.connected(Self.first) == [0])
        #expect(lifecycle.connected(Self.second) == [])
        #expect(lifecycle.disconnected(Self.second) == [0])
    }

    @Test func `legacy: a beacon is not stopped by connections`() {
        var lifecycle = AdvertisingLifecycle(.legacy, isConnectable: [false], maximumConnections: 2)
        #expect(lifecycle.connected(Self.first) == [])
    }

    @Test func `a set that the controller refused is tried again only at the end of a connection`() {
        var lifecycle = AdvertisingLifecycle(.legacy, isConnectable: [true], maximumConnections: 8)
        #expect(lifecycle.connected(Self.first) == [0])
        lifecycle.refused(0)
        #expect(lifecycle.disconnected(Self.second) == [])
        #expect(lifecycle.disconnected(Self.first) == [0])
    }

    @Test func `unknown sets are ignored`() {
        var lifecycle = AdvertisingLifecycle(.extended, isConnectable: [true], maximumConnections: 8)
        #expect(lifecycle.terminated(7) == [])
    }

    @Test func `a device that leaves is off the air until it returns, whatever happens meanwhile`() {
        var lifecycle = AdvertisingLifecycle(.extended, isConnectable: [true, false], maximumConnections: 2)
        #expect(lifecycle.left() == [0, 1])
        #expect(lifecycle.left() == [], "once more")
        #expect(lifecycle.connected(Self.first) == [])
        #expect(lifecycle.terminated(0) == [])
        #expect(lifecycle.disconnected(Self.first) == [])
        #expect(lifecycle.returned() == [0, 1])
        #expect(lifecycle.returned() == [])
    }

    @Test func `a device that accepts no connections changes its connectable sets`() {
        var lifecycle = AdvertisingLifecycle(.extended, isConnectable: [true, false], maximumConnections: 1)
        #expect(lifecycle.connected(Self.first) == [])
        #expect(lifecycle.terminated(0) == [])
        var sets = lifecycle.setAccepting(false)
        #expect(sets.stopped == [] && sets.changed == [0], "it is off the air already")
        #expect(lifecycle.changed() == [0], "the limit of connections does not matter to it now")
        sets = lifecycle.setAccepting(false)
        #expect(sets.stopped == [] && sets.changed == [])
        sets = lifecycle.setAccepting(true)
        #expect(sets.stopped == [0] && sets.changed == [0])
        #expect(lifecycle.changed() == [])
        #expect(lifecycle.disconnected(Self.first) == [0])
    }
}
