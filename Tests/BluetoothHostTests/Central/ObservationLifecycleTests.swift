// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Testing

@testable import BluetoothDevices
@testable import BluetoothHost

@Suite("ObservationLifecycle")
struct ObservationLifecycleTests {
    private final class Link: Sendable {}
    private typealias Machine = ObservationLifecycle<Link>
    private typealias Place = SubscriptionTable.Place
    private typealias Route = Machine.Route

    private static let ourselves = SubscriptionTable.ourselves
    private static let level = CharacteristicSelector.uuid(0x2A19, index: 0, service: nil)
    private static let byHandle = CharacteristicSelector.handle(8)
    private static let rate = CharacteristicSelector.uuid(0x2A37, index: 0, service: nil)
    private static let eight = Place(value: 8, configuration: 9, kind: .notification)
    private static let twelve = Place(value: 12, configuration: 13, kind: .indication)

    /// A machine with a link.
    private static func connected() -> (machine: Machine, link: Link) {
        var machine = Machine()
        let link = Link()
        machine.linkBegan(link)
        return (machine, link)
    }

    /// Carries out a pass on a device that refuses nothing, and returns its steps.
    private static func run(
        _ pass: Machine.Pass,
        _ machine: inout Machine,
        on link: Link,
        places: [CharacteristicSelector: Place] = [level: eight, byHandle: eight, rate: twelve]
    ) -> [Machine.Step] {
        var steps: [Machine.Step] = []
        while let step = machine.nextStep(of: pass) {
            steps.append(step)
            guard steps.count < 100 else {
                Issue.record("the pass does not end: \(steps.suffix(4))")
                break
            }
            switch step {
            case .find(let selector):
                if let place = places[selector] {
                    machine.found(selector, at: place, on: link)
                } else {
                    machine.observersEnded(machine.observers(of: selector))
                }
            case .endRoute: break
            case .beginRoute(let route): _ = machine.routeBegan(route, number: number(route), on: link)
            case .switchOn(let place, _):
                if let configuration = place.configuration { machine.writing(configuration) }
                machine.switchedOn(place, on: link)
            case .switchOff(let configuration):
                machine.writing(configuration)
                machine.switchedOff(configuration, on: link)
            }
        }
        return steps
    }

    /// A number by which a route is recognised.
    private static func number(_ route: Route) -> Int { route.observer * 100 + Int(route.handle.rawValue) }

    /// Subscribes an observer, without an error.
    @discardableResult
    private static func subscribe(
        _ observer: Int,
        _ selector: CharacteristicSelector,
        _ machine: inout Machine,
        on link: Link
    ) -> [Machine.Step] {
        let isNew = machine.wanted(selector, by: observer)
        guard isNew else { return [] }
        let steps = run(.subscription(observer, selector), &machine, on: link)
        let outcome = machine.subscribed(observer, to: selector)
        #expect(outcome == .established)
        return steps
    }

    // MARK: - Subscribing

    @Test("a first subscription is found, routed, and then switched on")
    func first() {
        var (machine, link) = Self.connected()
        let observer = machine.observerAdded()
        #expect(machine.isIdle)
        #expect(
            Self.subscribe(observer, Self.level, &machine, on: link) == [
                .find(Self.level), .beginRoute(Route(observer: 1, handle: 8, selector: Self.level)),
                .switchOn(Self.eight, isLast: true),
            ]
        )
        #expect(machine.subscribedObservers == [1] && !machine.isIdle)
        #expect(Self.subscribe(observer, Self.level, &machine, on: link) == [], "it has it already")
    }

    @Test("a subscription that is on is not written again for another observer or another name")
    func shares() {
        var (machine, link) = Self.connected()
        let (first, second) = (machine.observerAdded(), machine.observerAdded())
        Self.subscribe(first, Self.level, &machine, on: link)
        #expect(
            Self.subscribe(second, Self.level, &machine, on: link) == [
                .find(Self.level), .beginRoute(Route(observer: 2, handle: 8, selector: Self.level)),
            ]
        )
        #expect(Self.subscribe(first, Self.byHandle, &machine, on: link) == [.find(Self.byHandle)])
    }

    @Test("a subscription does not touch other pending work")
    func minds() {
        var (machine, link) = Self.connected()
        let (first, second) = (machine.observerAdded(), machine.observerAdded())
        Self.subscribe(first, Self.level, &machine, on: link)
        machine.databaseChanged(in: .all)
        #expect(
            Self.subscribe(second, Self.rate, &machine, on: link) == [
                .find(Self.rate), .beginRoute(Route(observer: 2, handle: 12, selector: Self.rate)),
                .switchOn(Self.twelve, isLast: true),
            ]
        )
    }

    @Test("a subscription of the client itself has no route, and counts as no observation")
    func ourselves() {
        var (machine, link) = Self.connected()
        #expect(
            Self.subscribe(Self.ourselves, Self.rate, &machine, on: link) == [
                .find(Self.rate), .switchOn(Self.twelve, isLast: true),
            ]
        )
        #expect(machine.isIdle && machine.subscribedObservers == [])
    }

    @Test("a failed subscription is withdrawn: the route ends, and the descriptor is cleared if it may be set")
    func fails() {
        var (machine, link) = Self.connected()
        let observer = machine.observerAdded()
        _ = machine.wanted(Self.level, by: observer)
        machine.found(Self.level, at: Self.eight, on: link)
        _ = machine.routeBegan(Route(observer: 1, handle: 8, selector: Self.level), number: 108, on: link)
        // The write has no answer yet when the caller is cancelled.
        machine.writing(9)
        machine.subscriptionFailed(observer, to: Self.level)
        #expect(Self.run(.routes, &machine, on: link) == [.endRoute(108)])
        #expect(Self.run(.withdrawal, &machine, on: link) == [.switchOff(9)])
        #expect(Self.run(.withdrawal, &machine, on: link) == [])
    }

    @Test("a subscription that the device refuses needs no clearing")
    func refused() {
        var (machine, link) = Self.connected()
        let observer = machine.observerAdded()
        _ = machine.wanted(Self.level, by: observer)
        machine.found(Self.level, at: Self.eight, on: link)
        machine.writing(9)
        machine.switchOnRefused(Self.eight, on: link)
        machine.subscriptionFailed(observer, to: Self.level)
        #expect(Self.run(.withdrawal, &machine, on: link) == [])
    }

    @Test("a failed subscription of the client itself is left as it is")
    func ourselvesFail() {
        var (machine, link) = Self.connected()
        _ = machine.wanted(Self.rate, by: Self.ourselves)
        machine.found(Self.rate, at: Self.twelve, on: link)
        machine.writing(13)
        machine.subscriptionFailed(Self.ourselves, to: Self.rate)
        #expect(Self.run(.withdrawal, &machine, on: link) == [])
    }

    // MARK: - Observers that end

    @Test("the last observer of a characteristic clears the subscription")
    func ends() {
        var (machine, link) = Self.connected()
        let (first, second) = (machine.observerAdded(), machine.observerAdded())
        Self.subscribe(first, Self.level, &machine, on: link)
        Self.subscribe(second, Self.byHandle, &machine, on: link)
        machine.observersEnded([first])
        #expect(!machine.isIdle)
        #expect(Self.run(.withdrawal, &machine, on: link) == [.endRoute(108)])
        machine.observersEnded([second])
        #expect(machine.isIdle)
        #expect(Self.run(.withdrawal, &machine, on: link) == [.endRoute(208), .switchOff(9)])
    }

    @Test("an observer that ends while it subscribes is not subscribed, at whatever step", arguments: 0...3)
    func endsMeanwhile(after steps: Int) {
        var (machine, link) = Self.connected()
        let observer = machine.observerAdded()
        _ = machine.wanted(Self.level, by: observer)
        let pass = Machine.Pass.subscription(observer, Self.level)
        for _ in 0..<steps {
            switch machine.nextStep(of: pass) {
            case .find: machine.found(Self.level, at: Self.eight, on: link)
            case .beginRoute(let route):
                let isWanted = machine.routeBegan(route, number: 108, on: link)
                #expect(isWanted)
            case .switchOn(let place, _):
                machine.writing(9)
                machine.switchedOn(place, on: link)
            default: Issue.record("an unexpected step")
            }
        }
        machine.observersEnded([observer])
        let rest = Self.run(pass, &machine, on: link)
        #expect(rest == (steps < 2 ? [] : [.endRoute(108)]))
        let outcome = machine.subscribed(observer, to: Self.level)
        #expect(outcome == .observerEnded)
        #expect(Self.run(.withdrawal, &machine, on: link) == (steps < 3 ? [] : [.switchOff(9)]))
    }

    @Test("a route that begins for an ended observer or on an ended link is dropped")
    func lateRoute() {
        var (machine, link) = Self.connected()
        let observer = machine.observerAdded()
        let route = Route(observer: observer, handle: 8, selector: Self.level)
        let onAnother = machine.routeBegan(route, number: 1, on: Link())
        machine.observersEnded([observer])
        let afterEnd = machine.routeBegan(route, number: 1, on: link)
        #expect(!onAnother && !afterEnd)
        #expect(Self.run(.withdrawal, &machine, on: link) == [])
    }

    // MARK: - Links that end

    @Test("the end of a link names the observers that lost something; the next link finds everything again")
    func linkEnds() {
        var (machine, link) = Self.connected()
        let (first, second, idle) = (machine.observerAdded(), machine.observerAdded(), machine.observerAdded())
        Self.subscribe(first, Self.level, &machine, on: link)
        Self.subscribe(second, Self.rate, &machine, on: link)
        #expect(machine.isPresent(idle))
        #expect(machine.linkEnded(Link()) == nil, "of another link")
        #expect(machine.linkEnded(link) == [first, second])
        #expect(machine.linkEnded(link) == nil, "once")
        #expect(machine.link == nil)
        let next = Link()
        machine.linkBegan(next)
        #expect(
            Self.run(.everything, &machine, on: next) == [
                .find(Self.level), .find(Self.rate),
                .beginRoute(Route(observer: 1, handle: 8, selector: Self.level)),
                .beginRoute(Route(observer: 2, handle: 12, selector: Self.rate)),
                .switchOn(Self.eight, isLast: false), .switchOn(Self.twelve, isLast: true),
            ]
        )
        #expect(Self.run(.withdrawal, &machine, on: next) == [])
    }

    @Test("results of an ended link change nothing on the next one")
    func lateResults() {
        var (machine, link) = Self.connected()
        let observer = machine.observerAdded()
        Self.subscribe(observer, Self.level, &machine, on: link)
        _ = machine.linkEnded(link)
        let next = Link()
        machine.linkBegan(next)
        machine.found(Self.level, at: Self.twelve, on: link)
        machine.switchedOn(Self.twelve, on: link)
        let isWanted = machine.routeBegan(
            Route(observer: observer, handle: 12, selector: Self.level),
            number: 112,
            on: link
        )
        #expect(!isWanted)
        #expect(
            Self.run(.everything, &machine, on: next) == [
                .find(Self.level), .beginRoute(Route(observer: 1, handle: 8, selector: Self.level)),
                .switchOn(Self.eight, isLast: true),
            ]
        )
        machine.switchOnRefused(Self.eight, on: link)
        machine.switchedOff(9, on: link)
        #expect(Self.run(.everything, &machine, on: next) == [])
    }

    @Test("a subscription is incomplete if the link ends before the device has accepted it")
    func linkEndsWhileSubscribing() {
        var (machine, link) = Self.connected()
        let observer = machine.observerAdded()
        _ = machine.wanted(Self.level, by: observer)
        machine.found(Self.level, at: Self.eight, on: link)
        #expect(machine.linkEnded(link) == [])
        machine.subscriptionFailed(observer, to: Self.level)
        machine.linkBegan(link)
        #expect(Self.run(.everything, &machine, on: link) == [])
    }

    @Test("an accepted subscription is complete even if the link has ended since, and is made again")
    func linkEndsBehindTheAnswer() {
        var (machine, link) = Self.connected()
        let observer = machine.observerAdded()
        _ = machine.wanted(Self.level, by: observer)
        machine.found(Self.level, at: Self.eight, on: link)
        machine.writing(9)
        #expect(machine.linkEnded(link) == [])
        machine.switchedOn(Self.eight, on: link)
        let outcome = machine.subscribed(observer, to: Self.level)
        #expect(outcome == .linkEnded)
        #expect(machine.subscribedObservers == [observer])
        let next = Link()
        machine.linkBegan(next)
        #expect(Self.run(.everything, &machine, on: next).last == .switchOn(Self.eight, isLast: true))
    }

    @Test("subscriptions of the client itself end with the link")
    func ourselvesLinkEnds() {
        var (machine, link) = Self.connected()
        _ = machine.wanted(Self.rate, by: Self.ourselves)
        _ = machine.linkEnded(link)
        let outcome = machine.subscribed(Self.ourselves, to: Self.rate)
        #expect(outcome == .observerEnded)
        machine.linkBegan(link)
        #expect(Self.run(.everything, &machine, on: link) == [])
    }

    // MARK: - What changes

    @Test("routes follow moved characteristics: old ones stay until everything is found, and end before new ones begin")
    func swapped() {
        var (machine, link) = Self.connected()
        let observer = machine.observerAdded()
        Self.subscribe(observer, Self.level, &machine, on: link)
        Self.subscribe(observer, Self.rate, &machine, on: link)
        machine.databaseChanged(in: .all)
        let (atTwelve, atEight) = (
            Place(value: 12, configuration: 13, kind: .notification),
            Place(value: 8, configuration: 9, kind: .indication)
        )
        #expect(
            Self.run(.everything, &machine, on: link, places: [Self.level: atTwelve, Self.rate: atEight]) == [
                .find(Self.level), .find(Self.rate), .endRoute(108), .endRoute(112),
                .beginRoute(Route(observer: 1, handle: 8, selector: Self.rate)),
                .beginRoute(Route(observer: 1, handle: 12, selector: Self.level)),
                .switchOn(atTwelve, isLast: false), .switchOn(atEight, isLast: true),
            ]
        )
    }

    @Test("a change elsewhere only looks up the characteristic again")
    func elsewhere() {
        var (machine, link) = Self.connected()
        let observer = machine.observerAdded()
        Self.subscribe(observer, Self.level, &machine, on: link)
        machine.databaseChanged(in: HandleRange(20, 30))
        #expect(Self.run(.everything, &machine, on: link) == [.find(Self.level)])
    }

    @Test("a characteristic that has disappeared ends its observers, and the others go on")
    func gone() {
        var (machine, link) = Self.connected()
        let (first, second) = (machine.observerAdded(), machine.observerAdded())
        Self.subscribe(first, Self.level, &machine, on: link)
        Self.subscribe(second, Self.rate, &machine, on: link)
        machine.databaseChanged(in: .all)
        #expect(
            Self.run(.everything, &machine, on: link, places: [Self.rate: Self.twelve]) == [
                .find(Self.level), .find(Self.rate), .endRoute(108), .switchOn(Self.twelve, isLast: true),
            ]
        )
        #expect(!machine.isPresent(first) && machine.subscribedObservers == [second])
        #expect(machine.observers(at: Self.twelve) == [second])
    }

    // MARK: - News of the database

    @Test("the device is asked to indicate changes once for each link, and only during an observation")
    func asks() {
        var (machine, link) = Self.connected()
        let observer = machine.observerAdded()
        #expect(machine.claimChangesRequest() == nil)
        Self.subscribe(observer, Self.level, &machine, on: link)
        #expect(machine.claimChangesRequest() === link)
        #expect(machine.claimChangesRequest() == nil)
        machine.abandonChanges()
        #expect(machine.claimChangesRequest() === link)
        _ = machine.linkEnded(link)
        #expect(machine.claimChangesRequest() == nil, "there is no link")
        let next = Link()
        machine.linkBegan(next)
        #expect(machine.claimChangesRequest() === next)
    }

    @Test("an indication is Service Changed by its known handle, or if nothing else is subscribed to")
    func indications() {
        var (machine, link) = Self.connected()
        #expect(machine.isServiceChanged(3, isKnown: false) == true)
        let observer = machine.observerAdded()
        _ = machine.wanted(Self.level, by: observer)
        #expect(machine.isServiceChanged(3, isKnown: false) == true, "that is not on yet")
        machine.found(Self.level, at: Self.eight, on: link)
        #expect(machine.isServiceChanged(8, isKnown: false) == false)
        #expect(machine.isServiceChanged(8, isKnown: true) == true)
        #expect(machine.isServiceChanged(3, isKnown: false) == nil, "the device has to be asked")
        _ = machine.subscribed(observer, to: Self.level)
        _ = machine.linkEnded(link)
        #expect(machine.isServiceChanged(3, isKnown: false) == nil, "a bonded device may send what is not found yet")
    }

    // MARK: - Everything together

    @Test("after any order of events a pass ends with the wanted subscriptions and matching routes")
    func model() {
        let places = [Self.level: Self.eight, Self.byHandle: Self.eight, Self.rate: Self.twelve]
        let selectors = [Self.level, Self.byHandle, Self.rate]
        for seed in 1...300 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var (machine, link) = Self.connected()
            var wishes: [Int: Set<CharacteristicSelector>] = [:]
            var routes: Set<Int> = []
            for _ in 0..<40 {
                switch random.next() % 6 {
                case 0...1:
                    let observer = machine.observerAdded()
                    let selector = selectors[Int(random.next() % 3)]
                    // The pass may be given up after any step.
                    let isNew = machine.wanted(selector, by: observer)
                    #expect(isNew)
                    if random.happens(0.3) {
                        if case .find = machine.nextStep(of: .subscription(observer, selector)), random.happens(0.5) {
                            machine.found(selector, at: places[selector] ?? Self.eight, on: link)
                            machine.writing(9)
                        }
                        machine.subscriptionFailed(observer, to: selector)
                    } else {
                        let steps = Self.run(.subscription(observer, selector), &machine, on: link)
                        Self.apply(steps, to: &routes)
                        let outcome = machine.subscribed(observer, to: selector)
                        #expect(outcome == .established, "seed \(seed)")
                        wishes[observer] = [selector]
                    }
                case 2:
                    guard let observer = wishes.keys.min() else { continue }
                    machine.observersEnded([observer])
                    wishes[observer] = nil
                case 3:
                    machine.databaseChanged(in: random.happens(0.5) ? .all : HandleRange(8, 10))
                case 4:
                    _ = machine.linkEnded(link)
                    link = Link()
                    routes = []
                    machine.linkBegan(link)
                default:
                    for pass in [Machine.Pass.everything, .withdrawal] {
                        Self.apply(Self.run(pass, &machine, on: link), to: &routes)
                    }
                    let wanted = Set(wishes.values.joined())
                    #expect(machine.table.missing == [] && machine.table.unwanted == [], "seed \(seed)")
                    #expect(machine.table.isOn(Self.twelve) == wanted.contains(Self.rate), "seed \(seed)")
                    #expect(machine.table.isOn(Self.eight) == !wanted.isDisjoint(with: [Self.level, Self.byHandle]))
                    let expected = wishes.flatMap { observer, selectors in
                        selectors.map { observer * 100 + ($0 == Self.rate ? 12 : 8) }
                    }
                    #expect(routes == Set(expected), "seed \(seed)")
                }
            }
        }
    }

    private static func apply(_ steps: [Machine.Step], to routes: inout Set<Int>) {
        for step in steps {
            switch step {
            case .beginRoute(let route): routes.insert(number(route))
            case .endRoute(let number): routes.remove(number)
            default: break
            }
        }
    }
}
