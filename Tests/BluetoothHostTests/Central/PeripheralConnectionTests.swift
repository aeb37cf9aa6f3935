// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

@Suite("Peripheral: connecting")
struct PeripheralConnectionTests {
    private static func peripheral(
        _ radio: ScriptedRadio,
        _ time: VirtualTime,
        _ scope: TaskScope,
        retries: Int = 2,
        onRetry: @escaping @Sendable (Int, RadioError, Duration) -> Void = { _, _, _ in }
    ) -> Peripheral {
        Peripheral(
            .scripted,
            radio: radio,
            scope: scope,
            time: time,
            configuration: .init(connectTimeout: .seconds(10), retries: RetryPolicy(retries: retries), onRetry: onRetry)
        )
    }

    private static let read = turn("0a 0300", "0b 4869")

    @Test("two reads that need a connection make one")
    func shares() throws {
        let (outcomes, events) = try inVirtualTime { time, scope in
            let radio = ScriptedRadio([.connects([Self.read, Self.read], after: .milliseconds(100))], time, scope)
            let peripheral = Self.peripheral(radio, time, scope)
            let reads = (0..<2).map { _ in Running(scope, time) { try await peripheral.perform(ReadValue(3)).value } }
            try await time.sleep(for: .seconds(1))
            let another = Running(scope, time) { await peripheral.isConnected }
            try await time.sleep(for: .seconds(1))
            return ((reads + [another]).map { $0.outcome?.description }, radio.events)
        }
        #expect(outcomes == ["[72, 105] at 100 ms", "[72, 105] at 100 ms", "true at 1000 ms"])
        #expect(events == ["begins at 0 ms", "connected at 100 ms"])
    }

    @Test("attempts are repeated and reported after transient failures, with growing pauses")
    func retries() throws {
        let told = Mutex<[String]>([])
        let (outcome, attempts, events) = try inVirtualTime { time, scope in
            let radio = ScriptedRadio(
                [
                    .fails(.connectFailed(nil), after: .milliseconds(30)), .fails(.adapterBusy),
                    .connects([], after: .milliseconds(50)),
                ],
                time,
                scope
            )
            let peripheral = Self.peripheral(radio, time, scope) { attempt, error, pause in
                told.withLock { $0.append("\(attempt): \(error.cause), \(pause)") }
            }
            let connecting = Running(scope, time) { try await peripheral.connection().peer == .scripted }
            try await time.sleep(for: .seconds(5))
            return (connecting.outcome?.description, await peripheral.attempts, radio.events)
        }
        #expect(outcome == "true at 680 ms")
        #expect(attempts == 3)
        #expect(
            events == [
                "begins at 0 ms", "connectFailed(nil) at 30 ms", "begins at 230 ms", "adapterBusy at 230 ms",
                "begins at 630 ms", "connected at 680 ms",
            ]
        )
        #expect(told.withLock { $0 } == ["1: connectFailed(nil), 0.2 seconds", "2: adapterBusy, 0.4 seconds"])
    }

    @Test(
        "a busy device or a full controller delays the attempt, with one report; without a wait the attempt fails",
        arguments: [RadioError.Cause.channelBusy(by: nil), .initiatorBusy, .tooManyConnections]
    )
    func busy(_ busy: RadioError.Cause) throws {
        for (waits, expected) in [
            (Duration?.none, "true at 170 ms"), (.zero, "connect: \(busy) after 1 at 0 ms"),
        ] {
            let told = Mutex<[String]>([])
            let outcome = try inVirtualTime { time, scope in
                let radio = ScriptedRadio(
                    [.fails(busy), .fails(busy), .connects([], after: .milliseconds(20))],
                    time,
                    scope
                )
                let peripheral = Peripheral(
                    .scripted,
                    radio: radio,
                    scope: scope,
                    time: time,
                    configuration: .init(
                        waits: waits,
                        onWait: { error in told.withLock { $0.append("\(error.cause)") } }
                    )
                )
                let connecting = Running(scope, time) { try await peripheral.connection().peer == .scripted }
                try await time.sleep(for: .seconds(5))
                return connecting.outcome?.description
            }
            #expect(outcome == expected)
            #expect(told.withLock { $0 } == (waits == nil ? ["\(busy)"] : []))
        }
    }

    @Test("after the last retry every caller gets the last error and the number of attempts")
    func givesUp() throws {
        let (outcomes, events) = try inVirtualTime { time, scope in
            let failure = ScriptedRadio.Attempt.fails(.connectFailed(nil), after: .milliseconds(10))
            let radio = ScriptedRadio([failure, failure, .fails(.linkLost(nil)), .connects([])], time, scope)
            let peripheral = Self.peripheral(radio, time, scope)
            let callers = (0..<3).map { _ in Running(scope, time) { try await peripheral.connection() } }
            try await time.sleep(for: .seconds(5))
            // A new caller is a new beginning.
            let later = Running(scope, time) { try await peripheral.connection().peer == .scripted }
            try await time.sleep(for: .seconds(5))
            return ((callers + [later]).map { $0.outcome?.description }, radio.events.count)
        }
        #expect(
            outcomes == Array(repeating: "connect: linkLost(nil) after 3 at 620 ms", count: 3) + ["true at 5000 ms"]
        )
        #expect(events == 8)
    }

    @Test("a silent device ends the attempt at its deadline, without a retry")
    func silence() throws {
        let outcome = try inVirtualTime { time, scope in
            let radio = ScriptedRadio([.isSilent], time, scope)
            let peripheral = Self.peripheral(radio, time, scope)
            let caller = Running(scope, time) { try await peripheral.connection() }
            try await time.sleep(for: .seconds(60))
            return caller.outcome?.description
        }
        #expect(outcome == "connect: connectTimedOut after 1 at 10000 ms")
    }

    @Test("a cancelled caller leaves the attempt to the others, and later callers join it")
    func oneLeaves() throws {
        let (outcomes, events) = try inVirtualTime { time, scope in
            let radio = ScriptedRadio([.connects([], after: .seconds(3))], time, scope)
            let peripheral = Self.peripheral(radio, time, scope)
            let callers = (0..<3).map { number in
                Running(scope, time) {
                    try await time.sleep(for: .seconds(1) * number)
                    return try await peripheral.connection().peer == .scripted
                }
            }
            try await time.sleep(for: .milliseconds(1_500))
            callers[0].cancel()
            try await time.sleep(for: .seconds(5))
            return (callers.map { $0.outcome?.description }, radio.events)
        }
        #expect(outcomes == ["cancelled at 1500 ms", "true at 3000 ms", "true at 3000 ms"])
        #expect(events == ["begins at 0 ms", "connected at 3000 ms"])
    }

    @Test("the attempt ends with its last caller, on the air or in a pause", arguments: [500, 1_100])
    func allLeave(cancelledAt: Int) throws {
        let (outcomes, events, isConnected) = try inVirtualTime { time, scope in
            let radio = ScriptedRadio(
                [.fails(.connectFailed(nil), after: .seconds(1)), .connects([], after: .seconds(9))],
                time,
                scope
            )
            let peripheral = Self.peripheral(radio, time, scope)
            let callers = (0..<2).map { _ in Running(scope, time) { try await peripheral.connection() } }
            try await time.sleep(for: .milliseconds(cancelledAt))
            for caller in callers { caller.cancel() }
            try await time.sleep(for: .seconds(60))
            return (callers.map { $0.outcome?.milliseconds }, radio.events, await peripheral.isConnected)
        }
        #expect(outcomes == [Int64(cancelledAt), Int64(cancelledAt)])
        #expect(
            events
                == (cancelledAt == 500
                    ? ["begins at 0 ms", "cancelled at 500 ms"] : ["begins at 0 ms", "connectFailed(nil) at 1000 ms"])
        )
        #expect(!isConnected)
    }

    @Test("a cancelled task makes no attempt")
    func cancelledBefore() throws {
        let (outcome, events) = try inVirtualTime { time, scope in
            let radio = ScriptedRadio([], time, scope)
            let peripheral = Self.peripheral(radio, time, scope)
            let caller = Running(scope, time) {
                try? await time.sleep(for: .seconds(60))
                return try await peripheral.connection()
            }
            caller.cancel()
            try await time.sleep(for: .seconds(60))
            return (caller.outcome?.text, radio.events)
        }
        #expect(outcome == "cancelled")
        #expect(events == [])
    }

    @Test("a link that comes up after its callers have left is closed")
    func lateLink() throws {
        let (closedAt, isConnected) = try inVirtualTime { time, scope in
            let radio = ScriptedRadio([.dawdles([])], time, scope)
            let peripheral = Self.peripheral(radio, time, scope)
            let caller = Running(scope, time) { try await peripheral.connection() }
            try await time.sleep(for: .seconds(1))
            caller.cancel()
            try await time.sleep(for: .seconds(1))
            return (radio.channels.first?.closedAt, await peripheral.isConnected)
        }
        #expect(closedAt?.milliseconds == 1_100)
        #expect(!isConnected)
    }

    @Test("a caller that arrives while an attempt is abandoned gets its link, or another attempt's after its end")
    func oneAtATime() throws {
        for succeeds in [true, false] {
            let (outcomes, events) = try inVirtualTime { time, scope in
                let radio = ScriptedRadio([.dawdles(succeeds ? [] : nil), .connects([])], time, scope)
                let peripheral = Self.peripheral(radio, time, scope)
                let first = Running(scope, time) { try await peripheral.connection() }
                try await time.sleep(for: .seconds(1))
                first.cancel()
                try await time.sleep(for: .milliseconds(50))
                let second = Running(scope, time) { try await peripheral.connection().end == nil }
                try await time.sleep(for: .seconds(1))
                return ([first, second].map { $0.outcome?.description }, radio.events)
            }
            #expect(outcomes == ["cancelled at 1000 ms", "true at 1100 ms"])
            #expect(
                events
                    == (succeeds
                        ? ["begins at 0 ms", "connected at 1100 ms"]
                        : ["begins at 0 ms", "cancelled at 1100 ms", "begins at 1100 ms", "connected at 1100 ms"])
            )
        }
    }

    @Test("disconnecting while connecting ends the attempt, and fails its callers")
    func disconnectWhileConnecting() throws {
        let (outcome, events, isConnected) = try inVirtualTime { time, scope in
            let radio = ScriptedRadio([.connects([], after: .seconds(5))], time, scope)
            let peripheral = Self.peripheral(radio, time, scope)
            let caller = Running(scope, time) { try await peripheral.connection() }
            try await time.sleep(for: .seconds(1))
            await peripheral.disconnect()
            try await time.sleep(for: .seconds(60))
            return (caller.outcome?.description, radio.events, await peripheral.isConnected)
        }
        #expect(outcome == "radio: closedLocally at 1000 ms")
        #expect(events == ["begins at 0 ms", "cancelled at 1000 ms"])
        #expect(!isConnected)
    }

    @Test("disconnecting ends what runs on the link; the next operation makes another link")
    func disconnect() throws {
        let (outcomes, closedAt, events) = try inVirtualTime { time, scope in
            let radio = ScriptedRadio([.connects([turn("0a 0300")]), .connects([Self.read])], time, scope)
            let peripheral = Self.peripheral(radio, time, scope)
            let reading = Running(scope, time) { try await peripheral.perform(ReadValue(3)) }
            try await time.sleep(for: .seconds(1))
            await peripheral.disconnect()
            let again = Running(scope, time) { try await peripheral.perform(ReadValue(3)).value }
            try await time.sleep(for: .seconds(1))
            return ([reading, again].map { $0.outcome?.description }, radio.channels.first?.closedAt, radio.events)
        }
        #expect(outcomes == ["radio: closedLocally at 1000 ms", "[72, 105] at 1000 ms"])
        #expect(closedAt == .zero + .seconds(1))
        #expect(events.count == 4)
    }

    @Test("an abandoned link ends before the next one is made, unless another program holds it")
    func abandon() throws {
        for (linger, begins) in [(0, 1_000), (2_000, 3_250), (60_000, 4_000)] {
            let events = try inVirtualTime { time, scope in
                let radio = ScriptedRadio(
                    [.connects([turn("0a 0300")]), .connects([Self.read])],
                    linger: .milliseconds(linger),
                    time,
                    scope
                )
                let peripheral = Self.peripheral(radio, time, scope)
                let silent = Running(scope, time) { try await peripheral.perform(ReadValue(3)) }
                try await time.sleep(for: .seconds(1))
                await peripheral.abandonLink()
                #expect(try await peripheral.perform(ReadValue(3)).value == [72, 105])
                try await time.sleep(for: .seconds(1))
                #expect(silent.outcome?.description == "radio: closedLocally at 1000 ms")
                return radio.events
            }
            #expect(events.dropFirst(2).first == "begins at \(begins) ms")
        }
    }

    @Test("the next operation after a lost link connects again")
    func reconnects() throws {
        let (outcomes, isConnected, events) = try inVirtualTime { time, scope in
            let radio = ScriptedRadio(
                [.connects([turn("0a 0300", reactions: [.end(.closedByPeer(nil))])]), .connects([Self.read])],
                time,
                scope
            )
            let peripheral = Self.peripheral(radio, time, scope)
            let first = Running(scope, time) { try await peripheral.perform(ReadValue(3)) }
            try await time.sleep(for: .seconds(1))
            let isConnected = await peripheral.isConnected
            let second = Running(scope, time) { try await peripheral.perform(ReadValue(3)).value }
            try await time.sleep(for: .seconds(1))
            return ([first, second].map { $0.outcome?.description }, isConnected, radio.events)
        }
        #expect(outcomes == ["radio: closedByPeer(nil) at 0 ms", "[72, 105] at 1000 ms"])
        #expect(!isConnected)
        #expect(events.count == 4)
    }

    /// The result of an operation if the first links break for these causes.
    private func operate(
        breaking causes: [RadioError.Cause],
        _ script: Script = [Self.read],
        at packet: Int = 0,
        _ operation: @escaping @Sendable (Peripheral) async throws -> String = {
            Hex.string(try await $0.attribute(at: 3).read().value)
        }
    ) throws -> (outcome: String?, links: Int, told: [String]) {
        let told = Mutex<[String]>([])
        let (outcome, events) = try inVirtualTime { time, scope in
            let attempts = causes.map { ScriptedRadio.Attempt.connects(script.ending(at: packet, $0)) }
            let radio = ScriptedRadio(attempts + [.connects(script)], time, scope)
            let peripheral = Self.peripheral(radio, time, scope) { attempt, error, pause in
                told.withLock { $0.append("\(attempt): \(error.cause), \(pause)") }
            }
            let running = Running(scope, time) { try await operation(peripheral) }
            try await time.sleep(for: .seconds(10))
            return (running.outcome?.description, radio.events.count / 2)
        }
        return (outcome, events, told.withLock { $0 })
    }

    @Test("a link that breaks before the device's first packet is made again")
    func neverStood() throws {
        let (outcome, links, told) = try operate(breaking: [.linkLost(nil), .connectFailed(nil)])
        #expect(outcome == "4869 at 600 ms")
        #expect(links == 3)
        #expect(told == ["1: linkLost(nil), 0.2 seconds", "2: connectFailed(nil), 0.4 seconds"])

        let hungUp = try operate(breaking: [.closedByPeer(nil)])
        #expect(hungUp.outcome == "4869 at 200 ms")
        #expect(hungUp.told == ["1: closedByPeer(nil), 0.2 seconds"])

        let lost = try operate(breaking: Array(repeating: .linkLost(.connectionFailedToBeEstablished), count: 3))
        let cause = RadioError.Cause.linkLost(.connectionFailedToBeEstablished)
        #expect(lost.outcome == "connect: \(cause) after 3 at 600 ms")
        #expect(lost.links == 3)
    }

    @Test("failed attempts and links without a packet share one counter")
    func countedTogether() throws {
        let told = Mutex<[String]>([])
        let (outcome, events) = try inVirtualTime { time, scope in
            let never = ScriptedRadio.Attempt.connects(Script([Self.read]).ending(at: 0, .linkLost(nil)))
            let radio = ScriptedRadio([.fails(.connectFailed(nil)), never, never, .connects([Self.read])], time, scope)
            let peripheral = Self.peripheral(radio, time, scope) { attempt, error, pause in
                told.withLock { $0.append("\(attempt): \(error.cause), \(pause)") }
            }
            let reading = Running(scope, time) { try await peripheral.attribute(at: 3).read().value }
            try await time.sleep(for: .seconds(10))
            return (reading.outcome?.description, radio.events.filter { $0.hasPrefix("begins") })
        }
        #expect(outcome == "connect: linkLost(nil) after 3 at 600 ms")
        #expect(events == ["begins at 0 ms", "begins at 200 ms", "begins at 600 ms"])
        #expect(told.withLock { $0 } == ["1: connectFailed(nil), 0.2 seconds", "2: linkLost(nil), 0.4 seconds"])
    }

    @Test("an operation in a pause before its repetition does not connect again after disconnecting")
    func disconnectInPause() throws {
        let (outcome, events) = try inVirtualTime { time, scope in
            let never = ScriptedRadio.Attempt.connects(Script([Self.read]).ending(at: 0, .linkLost(nil)))
            let radio = ScriptedRadio([never, .connects([Self.read])], time, scope)
            let peripheral = Self.peripheral(radio, time, scope)
            let reading = Running(scope, time) { try await peripheral.attribute(at: 3).read().value }
            try await time.sleep(for: .milliseconds(100))
            await peripheral.disconnect()
            try await time.sleep(for: .seconds(10))
            return (reading.outcome?.description, radio.events.filter { $0.hasPrefix("begins") })
        }
        #expect(outcome == "radio: closedLocally at 200 ms")
        #expect(events == ["begins at 0 ms"])
    }

    @Test("a link lost after its first packet is not made again for that operation, and no write is repeated")
    func notRepeated() throws {
        let long: Script = [turn("06 0100 ffff 0028 0f18", "07 0600 0900"), turn("08 0600 0900 192a", "09 03 0800 57")]
        let stood = try operate(breaking: [.linkLost(nil)], long, at: 1) { peripheral in
            Hex.string(try await peripheral.service(0x180F).characteristic(0x2A19).read().value)
        }
        #expect(stood.outcome == "radio: linkLost(nil) at 0 ms")
        #expect(stood.links == 1)
        let silent = try operate(breaking: [.linkLost(HCIStatus(rawValue: 0x08))])
        #expect(silent.links == 1)
        let write = try operate(breaking: [.linkLost(nil)], [turn("12 0300 01", "13")]) { peripheral in
            "\(try await peripheral.attribute(at: 3).write([1]))"
        }
        #expect(write.outcome == "radio: linkLost(nil) at 0 ms")
        #expect(write.links == 1)
    }

    @Test("the end of the scope ends attempts and links, and leaves no task waiting")
    func scopeEnds() throws {
        let (outcomes, closedAt) = try inVirtualTime { time, outer in
            let (radio, callers) = await withTaskScope { scope in
                let radio = ScriptedRadio([.connects([turn("0a 0300")]), .isSilent], time, outer)
                let connected = Self.peripheral(radio, time, scope)
                let reading = Running(outer, time) { try await connected.perform(ReadValue(3)) }
                try? await time.sleep(for: .seconds(1))
                let connecting = Self.peripheral(radio, time, scope)
                let waiting = Running(outer, time) { try await connecting.connection() }
                try? await time.sleep(for: .seconds(1))
                return (radio, [reading, waiting])
            }
            let late = Self.peripheral(radio, time, await withTaskScope { $0 })
            let afterwards = Running(outer, time) { try await late.connection() }
            try await time.sleep(for: .seconds(1))
            return ((callers + [afterwards]).map { $0.outcome?.description }, radio.channels.first?.closedAt)
        }
        #expect(
            outcomes == [
                "radio: cancelled at 2000 ms", "connect: cancelled after 1 at 2000 ms",
                "connect: cancelled after 1 at 2000 ms",
            ]
        )
        #expect(closedAt == .zero + .seconds(2))
    }
}
