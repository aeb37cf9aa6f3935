// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Testing

@testable import BluetoothDevices
@testable import BluetoothHost

@Suite("SubscriptionTable")
struct SubscriptionTableTests {
    private typealias Place = SubscriptionTable.Place

    private static let level = CharacteristicSelector.uuid(0x2A19, index: 0, service: nil)
    private static let byHandle = CharacteristicSelector.handle(8)
    private static let rate = CharacteristicSelector.uuid(0x2A37, index: 0, service: nil)
    private static let eight = Place(value: 8, configuration: 9, kind: .notification)
    private static let twelve = Place(value: 12, configuration: 13, kind: .indication)

    /// A table in which observers have something, each switched on.
    private static func table(_ wishes: (observer: Int, selector: CharacteristicSelector, place: Place)...)
        -> SubscriptionTable
    {
        var table = SubscriptionTable()
        for (observer, selector, place) in wishes {
            table.add(observer, selector, at: place)
            table.markOn(place.configuration ?? .invalid, place.kind)
            _ = table.establish(observer, selector)
        }
        return table
    }

    @Test func `a refused characteristic is only listened to by those that may, and nothing is switched off for them`()
    {
        var table = SubscriptionTable()
        table.add(1, Self.level, mayListen: true, at: Self.eight)
        table.add(2, Self.byHandle, at: Self.eight)
        #expect(table.missing == [Self.eight])
        #expect(table.listen(at: Self.eight, only: 2) == false)
        #expect(table.listen(at: Self.eight, only: nil) == true)
        // The other one still has to be switched on, or to fail.
        #expect(table.missing == [Self.eight])
        table.remove(2)
        #expect(table.missing.isEmpty && table.unwanted.isEmpty)
        #expect(table.names(for: 1) == [8: Self.level])
        // On the next link everything is found again, and may be switched on.
        _ = table.establish(1, Self.level)
        table.linkEnded()
        table.found(Self.level, at: Self.eight)
        #expect(table.missing == [Self.eight])
    }

    @Test("the first observer of a characteristic switches it on, the last one off")
    func shared() {
        var table = SubscriptionTable()
        table.add(1, Self.level, at: Self.eight)
        #expect(table.missing == [Self.eight])
        table.markOn(9, .notification)
        #expect(table.missing == [])
        table.add(2, Self.level, at: Self.eight)
        table.add(3, Self.byHandle, at: Self.eight)
        #expect(table.missing == [], "it is on, whatever it is called")
        table.remove(1)
        table.remove(2)
        #expect(table.unwanted == [])
        table.remove(3)
        #expect(table.unwanted == [9])
        table.markOff(9)
        #expect(table.unwanted == [])
    }

    @Test("a write that was abandoned half-way is repeated, or undone")
    func unclear() {
        var table = SubscriptionTable()
        table.add(1, Self.level, at: Self.eight)
        table.markUnclear(9)
        #expect(table.missing == [Self.eight])
        table.remove(1, Self.level)
        #expect(table.unwanted == [9])
    }

    @Test("a subscription of the wrong kind does not count")
    func kind() {
        var table = Self.table((1, Self.level, Self.eight))
        table.found(Self.level, at: Place(value: 8, configuration: 9, kind: .indication))
        #expect(table.missing.map(\.kind) == [.indication])
    }

    @Test("a completed subscription counts, and an incomplete one ends with the link")
    func established() {
        var table = SubscriptionTable()
        table.add(1, Self.level, at: Self.eight)
        #expect(table.observers == [] && !table.isEstablished(1, Self.level))
        let isEstablished = table.establish(1, Self.level)
        #expect(isEstablished && table.observers == [1] && table.isEstablished(1, Self.level))
        table.add(2, Self.rate, at: Self.twelve)
        table.linkEnded()
        #expect(table.entries.map(\.observer) == [1])
        let isThere = table.establish(2, Self.rate)
        #expect(!isThere, "it has gone")
        #expect(table.entries.allSatisfy { $0.place == nil })
        #expect(table.missing == [] && table.unwanted == [])
    }

    @Test("the client's own subscription does not count as an observer, and ends with the link")
    func ourselves() {
        var table = Self.table((SubscriptionTable.ourselves, Self.rate, Self.twelve), (1, Self.level, Self.eight))
        #expect(table.observers == [1])
        table.remove(1)
        #expect(table.observers == [] && table.unwanted == [9])
        table.linkEnded()
        #expect(table.entries.isEmpty)
    }

    @Test("only changed characteristics have to be switched on again")
    func changed() {
        var table = Self.table((1, Self.level, Self.eight), (1, Self.rate, Self.twelve))
        table.changed(in: HandleRange(10, 20))
        #expect(table.missing == [Self.twelve])
        #expect(table.unwanted == [], "nobody knows what is there now")
        table.changed(in: HandleRange(30, 40))
        #expect(table.missing == [Self.twelve])
        let moved = Place(value: 22, configuration: 23, kind: .indication)
        table.found(Self.rate, at: moved)
        #expect(table.missing == [moved])
        #expect(table.unwanted == [])
    }

    @Test("a characteristic keeps its place until it is found again, under all names and for all observers")
    func unfound() {
        var table = SubscriptionTable()
        table.add(1, Self.level)
        table.add(2, Self.level)
        table.add(1, Self.rate, at: Self.twelve)
        #expect(table.unfound.map(\.observer) == [1, 2])
        #expect(table.place(of: Self.level, for: 1) == nil && table.missing == [Self.twelve])
        table.found(Self.level, at: Self.eight)
        #expect(table.unfound == [] && table.place(of: Self.level, for: 2) == Self.eight)
        table.changed(in: HandleRange(30, 40))
        #expect(table.unfound.count == 3 && table.place(of: Self.level, for: 1) == Self.eight)
    }

    @Test("a characteristic that moves under the same handles is switched off at its old place")
    func movedOutside() {
        var table = Self.table((1, Self.level, Self.eight))
        table.found(Self.level, at: Self.twelve)
        #expect(table.missing == [Self.twelve])
        #expect(table.unwanted == [9])
    }

    @Test("an observer gets each value once, under the first of its names")
    func names() {
        let table = Self.table((1, Self.byHandle, Self.eight), (1, Self.level, Self.eight), (2, Self.level, Self.eight))
        #expect(table.names(for: 1) == [8: Self.byHandle])
        #expect(table.names(for: 2) == [8: Self.level])
        #expect(table.names(for: 3) == [:])
        #expect(table.observers(of: Self.level) == [1, 2])
    }

    @Test("after any order of events the work for missing and unwanted subscriptions agrees with the table")
    func model() {
        for seed in 1...200 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var table = SubscriptionTable()
            // What the device has, and what each observer wants, as a set.
            var device: [Handle: ClientConfiguration] = [:]
            var wishes: [Int: [CharacteristicSelector: Place]] = [:]
            let places = (0..<4 as Range<UInt16>).map { number in
                Place(
                    value: Handle(8 + number * 4),
                    configuration: Handle(9 + number * 4),
                    kind: number.isMultiple(of: 2) ? .notification : .indication
                )
            }
            for _ in 0..<60 {
                let observer = Int(random.next() % 3) + 1
                let place = places[Int(random.next() % 4)]
                let selector: CharacteristicSelector =
                    random.happens(0.5)
                    ? .handle(place.value) : .uuid(BluetoothUUID(0x2A00 + place.value.rawValue), index: 0, service: nil)
                switch random.next() % 8 {
                case 0...2:
                    table.add(observer, selector, at: place)
                    _ = table.establish(observer, selector)
                    wishes[observer, default: [:]][selector] = place
                case 3:
                    table.remove(observer)
                    wishes[observer] = nil
                case 4:
                    table.remove(observer, selector)
                    wishes[observer]?[selector] = nil
                case 5:
                    // Given up half-way: it was taken, or not.
                    guard let first = table.missing.first, let configuration = first.configuration else { continue }
                    table.markUnclear(configuration)
                    if random.happens(0.5) { device[configuration] = first.kind }
                case 6:
                    let range = HandleRange(8, Handle(8 + UInt16(random.next() % 16)))
                    table.changed(in: range)
                    device = device.filter { !range.contains($0.key) }
                default:
                    for place in table.missing {
                        guard let configuration = place.configuration else { continue }
                        device[configuration] = place.kind
                        table.markOn(configuration, place.kind)
                    }
                    for handle in table.unwanted {
                        device[handle] = nil
                        table.markOff(handle)
                    }
                    let wanted = wishes.values.flatMap(\.values).compactMap { place in
                        place.configuration.map { ($0, place.kind) }
                    }
                    #expect(device == Dictionary(wanted) { first, _ in first }, "seed \(seed)")
                }
            }
        }
    }
}
