// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Testing

@testable import BluetoothHost

@Suite("Reconnection")
struct ReconnectionTests {
    private typealias Device = ObservedDevice

    /// What an observer sees whose link is lost after a second, and what became of the attempts to make it again.
    private func lose(
        _ attempts: [ScriptedRadio.Attempt],
        cause: RadioError.Cause = .linkLost(nil),
        reconnection: RetryPolicy = .unlimited(),
        for duration: Duration = .seconds(60)
    ) throws -> (seen: [String], attempts: [String]) {
        try inVirtualTime { time, scope in
            let device = Device(
                [.connects(Device.subscribing)] + attempts,
                time,
                scope,
                reconnection: reconnection,
                retries: 2
            )
            let witness = try await device.subscribedWitness()
            try await device.sleep(.seconds(1))
            try device.channel(0).end(cause)
            try await device.sleep(duration)
            #expect(device.isPlayed)
            return (witness.seen, Array(device.radio.events.dropFirst(2)))
        }
    }

    /// On the new link all is found again, for nothing says that it is the same; soon enough we ask again for changes.
    private static let again = Device.subscribing + Device.serviceChanged

    @Test("a lost link is made again at once, with all its subscriptions")
    func again() throws {
        let (seen, attempts) = try lose([.connects(Self.again, after: .milliseconds(300))])
        #expect(seen == ["lost: linkLost(nil) at 1000", "restored after 0.3 seconds, attempt 1 at 1300"])
        #expect(attempts == ["begins at 1000 ms", "connected at 1300 ms"])
    }

    @Test("the pauses double up to the longest, whatever fails, and each attempt is one")
    func pauses() throws {
        let failures: [ScriptedRadio.Attempt] = [
            .fails(.connectFailed(nil)), .fails(.adapterDown), .fails(.adapterDown), .fails(.adapterRemoved),
            .fails(.noAdapter), .fails(.linkLost(nil)), .fails(.adapterBusy),
        ]
        let (seen, attempts) = try lose(failures + [.connects(Self.again)], cause: .adapterDown)
        #expect(
            attempts.filter { $0.hasPrefix("begins") }
                == [1_000, 1_500, 2_500, 4_500, 8_500, 13_500, 18_500, 23_500].map { "begins at \($0) ms" }
        )
        #expect(
            seen == [
                "lost: adapterDown at 1000", "failed 1: connect: connectFailed(nil) after 1, 0.5 seconds at 1000",
                "failed 2: connect: adapterDown after 1, 1.0 seconds at 1500",
                "failed 3: connect: adapterDown after 1, 2.0 seconds at 2500",
                "failed 4: connect: adapterRemoved after 1, 4.0 seconds at 4500",
                "failed 5: connect: noAdapter after 1, 5.0 seconds at 8500",
                "failed 6: connect: linkLost(nil) after 1, 5.0 seconds at 13500",
                "failed 7: connect: adapterBusy after 1, 5.0 seconds at 18500",
                "restored after 22.5 seconds, attempt 8 at 23500",
            ]
        )
    }

    @Test("a device that is away for an hour is found when it is back")
    func attemptsEnd() throws {
        let (seen, _) = try lose(
            Array(repeating: .isSilent, count: 240) + [.connects(Self.again)],
            for: .seconds(3_700)
        )
        #expect(seen.count == 242)
        #expect(seen.last?.hasPrefix("restored after ") == true)
    }

    @Test(
        "a permanent failure ends it",
        arguments: [RadioError.Cause.permissionDenied(capability: "CAP_NET_RAW"), .noKernelSupport]
    )
    func hopeless(cause: RadioError.Cause) throws {
        let (seen, attempts) = try lose([.fails(.adapterDown), .fails(cause)])
        #expect(seen.last == "connect: \(cause) after 1 at 1500")
        #expect(attempts.count == 4)
    }

    // Packet 0 is the exchange of the MTU, for which `MTUExchangeStateTests` have the rules.
    @Test("a link lost at any packet of the new subscriptions is another failed attempt", arguments: 1..<4)
    func lostAgain(packet: Int) throws {
        let (seen, attempts) = try lose([
            .connects(Device.subscribing.ending(at: packet, .closedByPeer(nil))), .connects(Self.again),
        ])
        #expect(
            seen == [
                "lost: linkLost(nil) at 1000", "failed 1: radio: closedByPeer(nil), 0.5 seconds at 1000",
                "restored after 0.5 seconds, attempt 2 at 1500",
            ]
        )
        #expect(attempts.count == 4)
    }

    @Test(
        "a device that does not answer the new subscription is given up in time, and the link closed",
        arguments: 1..<4
    )
    func silentAgain(packet: Int) throws {
        let (seen, _) = try lose([.connects(Device.subscribing.stalling(at: packet)), .connects(Self.again)])
        #expect(
            seen == [
                "lost: linkLost(nil) at 1000", "failed 1: late: subscription, 0.5 seconds at 11000",
                "restored after 10.5 seconds, attempt 2 at 11500",
            ]
        )
    }

    @Test("a characteristic that has disappeared, or refuses permanently, ends its observers")
    func gone() throws {
        let gone: Script = [Device.mtu, turn("08 0100 ffff 0328", "01 08 0100 0a")]
        let (missing, _) = try lose([.connects(gone)])
        #expect(missing.count == 2 && missing[1].contains("2A19") && missing[1].hasSuffix("at 1000"), "\(missing)")
        let refusing = Script(Device.subscribing.turns.dropLast() + [turn("12 0900 0100", "01 12 0900 05")])
        let (refused, _) = try lose([.connects(refusing)])
        #expect(refused.count == 2 && refused[1].hasPrefix("gatt: "), "\(refused)")
    }

    @Test("a device that is busy is asked again")
    func busy() throws {
        let busy = Script(Device.subscribing.turns.dropLast() + [turn("12 0900 0100", "01 12 0900 11")])
        let (seen, _) = try lose([.connects(busy), .connects(Self.again)])
        #expect(seen.last == "restored after 0.5 seconds, attempt 2 at 1500")
    }

    @Test("a link that is lost at once is not made again without a pause")
    func flapping() throws {
        let flap = Script(
            Device.subscribing.turns.dropLast() + [
                turn("12 0900 0100", reactions: [.packet("13"), .end(.linkLost(nil), after: .milliseconds(100))])
            ]
        )
        let (seen, attempts) = try lose([.connects(flap), .connects(flap), .connects(flap), .connects(Self.again)])
        #expect(
            attempts.filter { $0.hasPrefix("begins") } == [1_000, 1_600, 2_700, 4_800].map { "begins at \($0) ms" }
        )
        #expect(seen.count == 8)
    }

    @Test("repeated losses are repaired each time; a link that lasts makes the pauses short again")
    func repeatedly() throws {
        let (seen, begins) = try inVirtualTime { time, scope in
            let links = Array(repeating: ScriptedRadio.Attempt.connects(Self.again), count: 4)
            let device = Device(links, time, scope, reconnection: .unlimited())
            let witness = try await device.subscribedWitness()
            for index in 0..<3 {
                try await device.sleep(.seconds(10))
                try device.channel(index).push("1b 0800 0\(index)")
                try device.channel(index).end(.linkLost(nil))
            }
            try await device.sleep(.seconds(10))
            return (witness.seen, device.radio.events.filter { $0.hasPrefix("begins") })
        }
        #expect(begins == [0, 10_000, 20_000, 30_000].map { "begins at \($0) ms" })
        #expect(seen.count == 9)
        #expect(seen.last == "restored after 0.0 seconds, attempt 1 at 30000")
    }

    @Test("a link that is lost while subscribing for the first time is a failed attempt", arguments: 1..<4)
    func first(packet: Int) throws {
        let (outcome, seen) = try inVirtualTime { time, scope in
            let lost = ScriptedRadio.Attempt.connects(Device.subscribing.ending(at: packet, .closedByPeer(nil)))
            let device = Device(
                [lost, .connects(Device.subscribing)],
                time,
                scope,
                reconnection: .unlimited(),
                retries: 2
            )
            let witness = await device.witness()
            let subscribing = Running(scope, time) { try await witness.observation.subscribe(to: device.level) }
            try await device.sleep(.seconds(1))
            try device.channel(1).push("1b 0800 01")
            try await device.sleep(.seconds(1))
            return (subscribing.outcome?.description, witness.seen)
        }
        #expect(outcome == "() at 200 ms")
        #expect(seen == ["0x2A19 01 at 1000"])
    }

    @Test(
        "values before a loss right after the answer are delivered, and the loss counts",
        arguments: [true, false]
    )
    func behindTheAnswer(isMadeAgain: Bool) throws {
        let (outcome, seen) = try inVirtualTime { time, scope in
            let on = turn(
                "12 0900 0100",
                reactions: [.packet("13"), .packet("1b 0800 01"), .end(.closedByPeer(nil))]
            )
            let first = Script(Device.subscribing.turns.dropLast() + [on])
            let links: [ScriptedRadio.Attempt] = [.connects(first), .connects(Device.subscribing)]
            let device = Device(links, time, scope, reconnection: isMadeAgain ? .unlimited() : nil)
            let witness = await device.witness()
            let subscribing = Running(scope, time) { try await witness.observation.subscribe(to: device.level) }
            try await device.sleep(.seconds(1))
            return (subscribing.outcome?.description, witness.seen)
        }
        #expect(outcome == "() at 0 ms")
        let gap = ["lost: closedByPeer(nil) at 0", "restored after 0.0 seconds, attempt 1 at 0"]
        #expect(seen == ["0x2A19 01 at 0"] + (isMadeAgain ? gap : ["radio: closedByPeer(nil) at 0"]))
    }

    @Test("values of the new link come after the event of its restoration, even if they came before the answer")
    func order() throws {
        let on = turn(
            "12 0900 0100",
            reactions: [
                .packet("1b 0800 01"), .packet("13", after: .milliseconds(100)),
                .packet("1b 0800 02", after: .milliseconds(100)), .packet("1b 0800 03", after: .milliseconds(200)),
            ]
        )
        let again = Script(Device.subscribing.turns.dropLast() + [on]) + Device.serviceChanged
        let (seen, _) = try lose([.connects(again)])
        #expect(
            seen == [
                // At the time at which the link was made, so that no value is older than this event.
                "lost: linkLost(nil) at 1000", "restored after 0.1 seconds, attempt 1 at 1000", "0x2A19 01 at 1000",
                "0x2A19 02 at 1100", "0x2A19 03 at 1200",
            ]
        )
    }

    @Test("a device that sends all its values after the subscription and disconnects is heard")
    func brief() throws {
        let brief = turn("12 0900 0100", reactions: [.packet("13"), .packet("1b 0800 01"), .end(.closedByPeer(nil))])
        let (seen, _) = try lose([
            .connects(Script(Device.subscribing.turns.dropLast() + [brief])), .connects(Self.again),
        ])
        #expect(
            seen == [
                "lost: linkLost(nil) at 1000", "restored after 0.0 seconds, attempt 1 at 1000", "0x2A19 01 at 1000",
                "lost: closedByPeer(nil) at 1000", "restored after 0.5 seconds, attempt 1 at 1500",
            ]
        )
    }

    @Test("values of a link that was not restored belong to the gap")
    func neverStood() throws {
        let refused = turn("12 0900 0100", reactions: [.packet("1b 0800 01"), .end(.closedByPeer(nil))])
        let (seen, _) = try lose([
            .connects(Script(Device.subscribing.turns.dropLast() + [refused])), .connects(Self.again),
        ])
        #expect(
            seen == [
                "lost: linkLost(nil) at 1000", "failed 1: radio: closedByPeer(nil), 0.5 seconds at 1000",
                "restored after 0.5 seconds, attempt 2 at 1500",
            ]
        )
    }

    @Test("a second subscription goes on after a loss, and the first observer sees one gap")
    func second() throws {
        let (outcome, seen) = try inVirtualTime { time, scope in
            let both: Script = [
                Device.mtu, turn("08 0100 ffff 0328", "09 07 0700 12 0800 192a 0a00 12 0b00 372a"),
                turn("04 0900 0900", "05 01 0900 0229"), Device.on,
            ]
            let rate: Script = [turn("04 0c00 ffff", "05 01 0c00 0229"), turn("12 0c00 0100", "13")]
            let device = Device(
                [.connects(both + rate.ending(at: 1, .linkLost(nil))), .connects(both + rate)],
                time,
                scope,
                reconnection: .unlimited(),
                retries: 2
            )
            let witness = try await device.subscribedWitness()
            let other = await device.witness()
            let subscribing = Running(scope, time) {
                try await other.observation.subscribe(to: device.peripheral.characteristic(0x2A37))
            }
            try await device.sleep(.seconds(1))
            try device.channel(1).push("1b 0800 01")
            try device.channel(1).push("1b 0b00 02")
            try await device.sleep(.seconds(1))
            #expect(device.isPlayed)
            return (subscribing.outcome?.description, [witness.seen, other.seen])
        }
        #expect(outcome == "() at 200 ms")
        #expect(
            seen.first == [
                "lost: linkLost(nil) at 0", "restored after 0.0 seconds, attempt 1 at 0", "0x2A19 01 at 1000",
            ]
        )
        #expect(seen.last == ["0x2A37 02 at 1000"])
    }

    @Test(
        "disconnecting ends it at once: on the air, in a pause, or while subscribing again",
        arguments: [500, 1_250, 3_000]
    )
    func disconnects(moment: Int) throws {
        let (seen, events, isConnected) = try inVirtualTime { time, scope in
            let attempts: [ScriptedRadio.Attempt] = [
                .connects(Device.subscribing), .fails(.connectFailed(nil), after: .seconds(1)),
                .connects(Device.subscribing.stalling(at: 2), after: .seconds(1)),
            ]
            let device = Device(attempts, time, scope, reconnection: .unlimited())
            let witness = try await device.subscribedWitness()
            try device.channel(0).end(.linkLost(nil))
            try await device.sleep(.milliseconds(moment))
            await device.peripheral.disconnect()
            try await device.sleep(.seconds(60))
            return (
                witness.seen, device.radio.events.dropFirst(2).filter { $0.hasPrefix("begins") },
                await device.peripheral.isConnected
            )
        }
        #expect(seen.last == "radio: closedLocally at \(moment)")
        #expect(events == (moment > 1_500 ? ["begins at 0 ms", "begins at 1500 ms"] : ["begins at 0 ms"]))
        #expect(!isConnected)
    }

    @Test(
        "it ends with the last observer, in any state; the next observer has its own recovery",
        arguments: [500, 1_250, 3_000]
    )
    func lastObserver(moment: Int) throws {
        let (seen, begins) = try inVirtualTime { time, scope in
            var attempts: [ScriptedRadio.Attempt] = [
                .connects(Device.subscribing), .fails(.connectFailed(nil), after: .seconds(1)),
            ]
            // A link that was made meanwhile answers the present question late.
            if moment > 1_500 { attempts.append(.connects(Device.subscribing.stalling(at: 2), after: .seconds(1))) }
            let device = Device(
                attempts + [.connects(Device.subscribing), .connects(Self.again)],
                time,
                scope,
                reconnection: .unlimited()
            )
            let witnesses = [try await device.subscribedWitness(), try await device.subscribedWitness()]
            try device.channel(0).end(.linkLost(nil))
            try await device.sleep(.milliseconds(moment))
            for witness in witnesses { await witness.observation.end() }
            try await device.sleep(.seconds(60))
            let begun = device.radio.events.filter { $0.hasPrefix("begins") }.count
            // Where a link has come meanwhile, it is there still; it has not deserved that.
            await device.peripheral.disconnect()
            let next = try await device.subscribedWitness()
            try #require(device.radio.channels.last).end(.linkLost(nil))
            try await device.sleep(.seconds(20))
            return (next.seen, begun)
        }
        #expect(begins == (moment > 1_500 ? 3 : 2))
        #expect(seen.first?.hasPrefix("lost: linkLost(nil)") == true)
        #expect(seen.last?.hasPrefix("restored after 0.0 seconds, attempt 1") == true)
    }

    /// Both characteristics, and what it takes to find their descriptors.
    private static let bothFound: [Script.Turn] = [
        Device.mtu, turn("08 0100 ffff 0328", "09 07 0700 12 0800 192a 0a00 12 0b00 372a"),
        turn("04 0900 0900", "05 01 0900 0229"), turn("04 0c00 ffff", "05 01 0c00 0229"),
    ]
    private static let rateOn = turn("12 0c00 0100", "13")
    private static let bothSubscribed = Script(bothFound[..<3] + [Device.on, bothFound[3], rateOn])

    /// A device that is subscribed to by two, each for one characteristic, and has lost its link; the next one plays a script.
    private static func bothLost(
        then script: Script,
        _ time: VirtualTime,
        _ scope: TaskScope
    ) async throws -> (device: Device, level: Witness, rate: Witness) {
        let device = Device(
            [.connects(bothSubscribed), .connects(script, after: .seconds(1))],
            time,
            scope,
            reconnection: .unlimited()
        )
        let level = try await device.subscribedWitness()
        let rate = await device.witness()
        try await rate.observation.subscribe(to: device.peripheral.characteristic(0x2A37))
        try device.channel(0).end(.linkLost(nil))
        return (device, level, rate)
    }

    @Test("an observer that ends during a gap is not subscribed again, and the other one is")
    func oneEnds() throws {
        let (seen, isPlayed) = try inVirtualTime { time, scope in
            let script = Script(Self.bothFound[..<2] + [Self.bothFound[3], Self.rateOn])
            let (device, level, rate) = try await Self.bothLost(then: script, time, scope)
            try await device.sleep(.milliseconds(500))
            await level.observation.end()
            try await device.sleep(.seconds(2))
            return ([level.seen, rate.seen], device.isPlayed)
        }
        #expect(
            seen == [
                ["lost: linkLost(nil) at 0", "radio: closedLocally at 500"],
                ["lost: linkLost(nil) at 0", "restored after 1.0 seconds, attempt 1 at 1000"],
            ]
        )
        #expect(isPlayed)
    }

    @Test(
        "the end of one characteristic does not end the observers of another",
        arguments: [
            // It is not there any more.
            [
                Device.mtu, turn("08 0100 ffff 0328", "09 07 0a00 12 0b00 372a"),
                turn("08 0c00 ffff 0328", "01 08 0c00 0a"), turn("04 0c00 ffff", "05 01 0c00 0229"), rateOn,
            ],
            // It cannot be subscribed to any more.
            bothFound + [turn("12 0900 0100", "01 12 0900 05"), rateOn],
        ]
    )
    func oneIsGone(turns: [Script.Turn]) throws {
        let (level, other, isPlayed) = try inVirtualTime { time, scope in
            let (device, level, rate) = try await Self.bothLost(then: Script(turns), time, scope)
            try await device.sleep(.seconds(4))
            return (level.seen, rate.seen, device.isPlayed)
        }
        #expect(level.count == 2 && level[1].hasSuffix(" at 1000"), "\(level)")
        #expect(other == ["lost: linkLost(nil) at 0", "restored after 1.0 seconds, attempt 1 at 1000"])
        #expect(isPlayed)
    }

    @Test("the end of the scope ends the recovery, and leaves no task waiting")
    func scopeEnds() throws {
        let seen = try inVirtualTime { time, outer in
            let witness = try await withTaskScope { scope in
                let device = Device(
                    [.connects(Device.subscribing), .isSilent],
                    time,
                    scope,
                    reconnection: .unlimited()
                )
                let witness = await Witness(device.peripheral, outer, time)
                try await witness.observation.subscribe(to: device.level)
                try device.channel(0).end(.linkLost(nil))
                try await device.sleep(.seconds(1))
                return witness
            }
            try await time.sleep(for: .seconds(60))
            return witness.seen
        }
        #expect(seen.count == 2)
        #expect(seen.last?.hasSuffix("at 1000") == true, "\(seen)")
    }

    @Test("the policy: pauses and what is hopeless")
    func policy() {
        let policy = RetryPolicy.unlimited(firstPause: .seconds(1), longestPause: .seconds(3))
        #expect(
            (0...4).map(policy.pause(afterFailures:)) == [.zero, .seconds(1), .seconds(2), .seconds(3), .seconds(3)]
        )
        for cause in [
            RadioError.Cause.adapterDown, .adapterRemoved, .radioBlocked(byHardware: true), .connectTimedOut,
            .linkLost(nil),
        ] {
            let error = RadioError(cause, during: "test")
            #expect(!error.isLasting)
            #expect(!ConnectFailure(error: error, attempts: 1).isLasting)
        }
        #expect(MissingAttribute.service(0x180D).isLasting)
        #expect(ConnectFailure(error: RadioError(.noKernelSupport, during: "test"), attempts: 1).isLasting)
        #expect(!DeadlineExceeded("subscription").isLasting)
    }
}
