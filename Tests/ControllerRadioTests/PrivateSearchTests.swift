// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import ControllerRadio

@Suite("Devices with private addresses")
struct PrivateSearchTests {
    private static let identity = DeviceIdentity(address: strap, key: SecurityKey(0xEC02_34A3))
    private static let (first, second) = (identity.privateAddress(random: 1), identity.privateAddress(random: 2))
    private static let id = AttemptID(rawValue: 4)

    private func heard(_ address: DeviceAddress, _ search: inout PrivateSearch, at milliseconds: Int64)
        -> [PrivateSearch.Action]
    {
        search.heard(address, knowing: [Self.identity], now: .at(milliseconds))
    }

    @Test func `a device that nobody has heard is listened for, and then connected to`() {
        var search = PrivateSearch()
        #expect(search.isPrivate(strap, among: [Self.identity]) && !search.isPrivate(lamp, among: [Self.identity]))
        #expect(search.connect(Self.id, to: strap, now: .zero) == [.listen(true)])
        let others = heard(lamp, &search, at: 10)
        #expect(others == [])
        let found = heard(Self.first, &search, at: 20)
        #expect(found == [.listen(false), .connect(Self.id, Self.first)])
        let again = heard(Self.first, &search, at: 30)
        #expect(again == [])
        #expect(search.ended(Self.id) == [])
        #expect(search.nextDeadline == nil)
    }

    @Test func `a device that was heard a moment ago is connected to at once`() {
        var search = PrivateSearch()
        _ = heard(Self.first, &search, at: 0)
        #expect(search.connect(Self.id, to: strap, now: .at(1_000)) == [.connect(Self.id, Self.first)])
        #expect(search.ended(Self.id) == [])
        #expect(search.connect(Self.id, to: strap, now: .at(31_000)) == [.listen(true)])
        #expect(search.ended(Self.id) == [.listen(false)])
    }

    @Test func `another address takes the place of the first, also when the device was silent`() {
        var search = PrivateSearch()
        _ = heard(Self.first, &search, at: 0)
        _ = search.connect(Self.id, to: strap, now: .zero)
        let changed = heard(Self.second, &search, at: 100)
        #expect(changed == [.abandon(Self.id), .connect(Self.id, Self.second)])
        #expect(search.timerFired(now: .at(3_099)) == [])
        #expect(search.timerFired(now: .at(3_100)) == [.abandon(Self.id), .listen(true)])
        // A program that has listened as well may have stopped.
        #expect(search.timerFired(now: .at(6_100)) == [.listen(true)])
        let found = heard(strap, &search, at: 6_200)
        #expect(found == [.listen(false), .connect(Self.id, strap)])
    }

    @Test func `a bond that is forgotten resolves nothing any more`() {
        var search = PrivateSearch()
        _ = heard(Self.first, &search, at: 0)
        #expect(search.heard(Self.second, knowing: [], now: .at(1)) == [])
        #expect(search.connect(Self.id, to: strap, now: .at(2)) == [.listen(true)])
    }
}
