// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Testing

@testable import BluetoothHost

@Suite("HCIController")
struct HCIControllerTests {
    /// Opens a controller on a scripted channel.
    private static func open(
        _ script: Script,
        _ time: VirtualTime,
        _ scope: TaskScope
    ) throws -> (HCIController, ScriptedChannel) {
        let radio = ScriptedRadio(hci: [script], time, scope)
        let controller = try HCIController.open(radio, scope: scope, time: time)
        return (controller, try #require(radio.hciChannels.first))
    }

    private static let off = LESetScanEnable(isEnabled: false)

    @Test("returns what the controller returns, or its refusal")
    func answers() throws {
        let outcomes = try inVirtualTime { time, scope in
            let script =
                HCIPackets.hasExtended
                + HCIPackets.played((HCIPackets.legacyOff, "00"), (HCIPackets.legacyOff, "0c"))
                + [turn(HCIPackets.legacyOff, "04 0f 04 01 01 0c20")]
            let (controller, _) = try Self.open(script, time, scope)
            let commands = Running(scope, time) {
                try await controller.perform(HCIReadLocalSupportedCommands())
                    .contains(LESetExtendedScanEnable.self)
            }
            let others = (0..<3).map { _ in Running(scope, time) { try await controller.perform(Self.off) } }
            try await time.sleep(for: .seconds(1))
            return ([commands] + others).map { $0.outcome?.text }
        }
        #expect(
            outcomes == [
                "true", "HCINoReturnParameters()", "radio: commandRejected(\(HCIStatus.commandDisallowed))",
                "radio: commandRejected(\(HCIStatus.unknownHCICommand))",
            ]
        )
    }

    @Test("answers to other programs, events and malformed packets disturb nothing")
    func foreignEvents() throws {
        let (outcome, malformed) = try inVirtualTime { time, scope in
            let noise = [
                HCIPackets.complete("4220"), HCIPackets.complete("0000"), "04 0f 04 0c 01 0d20", HCIPackets.report,
                "04 0e 04 01 0c", "04", "", "ff", "02 40 20 05 00 01 00 04 00 0a",
            ]
            let reactions =
                noise.map { Script.Reaction.packet($0) } + [.packet(HCIPackets.complete("0c20"), after: .seconds(1))]
            let (controller, _) = try Self.open([turn(HCIPackets.legacyOff, reactions: reactions)], time, scope)
            let running = Running(scope, time) { try await controller.perform(Self.off) }
            try await time.sleep(for: .seconds(5))
            return (running.outcome?.description, await controller.malformedCount)
        }
        #expect(outcome == "HCINoReturnParameters() at 1000 ms")
        #expect(malformed == 3)
    }

    @Test("a command without an answer ends after two seconds, with those behind it; later ones are sent")
    func silence() throws {
        let (outcomes, sent) = try inVirtualTime { time, scope in
            let script: Script = [
                turn(HCIPackets.legacyOff), turn(HCIPackets.legacyOff),
                turn(HCIPackets.readVersion, "04 0e 0c 01 0110 00 0d 0000 0d 3b00 0000"),
            ]
            let (controller, channel) = try Self.open(script, time, scope)
            var all = [Running(scope, time) { try await controller.perform(Self.off) }]
            try await time.sleep(for: .milliseconds(500))
            all.append(Running(scope, time) { try await controller.perform(Self.off) })
            try await time.sleep(for: .milliseconds(1_400))
            all.append(
                Running(scope, time) { try await controller.perform(HCIReadLocalVersionInformation()).company }
            )
            try await time.sleep(for: .seconds(5))
            return (all.map { $0.outcome?.description }, channel.sentWithTimes.map(\.description))
        }
        #expect(outcomes[0] == "radio: controllerSilent at 2000 ms")
        #expect(outcomes[1] == "radio: controllerSilent at 2500 ms")
        #expect(outcomes[2] == "59 at 2500 ms")
        #expect(sent == ["010c20020000 at 0 ms", "010c20020000 at 2000 ms", "01011000 at 2500 ms"])
    }

    @Test("the end of the channel is the error of present and later callers")
    func death() throws {
        let (outcomes, closedAt) = try inVirtualTime { time, scope in
            let (controller, channel) = try Self.open([turn(HCIPackets.legacyOff)], time, scope)
            let observation = await controller.observe(limit: 10)
            var all = (0..<2).map { _ in Running(scope, time) { try await controller.perform(Self.off) } }
            let events = Running(scope, time) { "\(try await observation.queue.next())" }
            try await time.sleep(for: .seconds(1))
            channel.end(.adapterRemoved)
            try await time.sleep(for: .seconds(1))
            all.append(Running(scope, time) { try await controller.perform(Self.off) })
            let late = Running(scope, time) { "\(try await controller.observe(limit: 10).queue.next())" }
            try await time.sleep(for: .seconds(1))
            return ((all + [events, late]).map { $0.outcome?.description }, channel.closedAt)
        }
        let end = "radio: adapterRemoved at"
        #expect(outcomes == ["\(end) 1000 ms", "\(end) 1000 ms", "\(end) 2000 ms", "\(end) 1000 ms", "\(end) 2000 ms"])
        #expect(closedAt == .zero + .seconds(1))
    }

    @Test("a channel that cannot send ends the controller")
    func unsendable() throws {
        let (outcomes, closedAt) = try inVirtualTime { time, scope in
            let (controller, channel) = try Self.open([], time, scope)
            channel.failSending(.permissionDenied(capability: "CAP_NET_RAW"))
            let all = (0..<2).map { _ in Running(scope, time) { try await controller.perform(Self.off) } }
            try await time.sleep(for: .seconds(1))
            return (all.map { $0.outcome?.description }, channel.closedAt)
        }
        #expect(outcomes == Array(repeating: "radio: permissionDenied(capability: \"CAP_NET_RAW\") at 0 ms", count: 2))
        #expect(closedAt == .zero)
    }

    @Test("a command of a cancelled task is still carried out: it may be a cleanup")
    func cancellation() throws {
        let (outcome, isPlayed) = try inVirtualTime { time, scope in
            let (controller, channel) = try Self.open(
                [turn(HCIPackets.legacyOff, reactions: [.packet(HCIPackets.complete("0c20"), after: .seconds(1))])],
                time,
                scope
            )
            let running = Running(scope, time) {
                try? await time.sleep(for: .seconds(60))
                return try await controller.perform(Self.off)
            }
            running.cancel()
            try await time.sleep(for: .seconds(5))
            return (running.outcome?.description, channel.isPlayed)
        }
        #expect(outcome == "HCINoReturnParameters() at 1000 ms")
        #expect(isPlayed)
    }

    @Test("closing, or the end of the scope, informs everybody and closes the channel; an ended scope opens none")
    func ends() throws {
        let (closed, ended, late, moments) = try inVirtualTime { time, outer in
            let (controller, channel) = try Self.open([turn(HCIPackets.legacyOff)], time, outer)
            let first = Running(outer, time) { try await controller.perform(Self.off) }
            try await time.sleep(for: .seconds(1))
            await controller.close()
            let (second, other, scope) = try await withTaskScope { scope in
                let (controller, channel) = try Self.open([turn(HCIPackets.legacyOff)], time, scope)
                let second = Running(outer, time) { try await controller.perform(Self.off) }
                try await time.sleep(for: .seconds(1))
                return (second, channel, scope)
            }
            try await time.sleep(for: .seconds(1))
            let radio = ScriptedRadio(hci: [[]], time, outer)
            var late: RadioError.Cause?
            do throws(RadioError) {
                _ = try HCIController.open(radio, scope: scope, time: time)
            } catch { late = error.cause }
            return (
                first.outcome?.description, second.outcome?.description, late,
                [channel.closedAt, other.closedAt, radio.hciChannels.first?.closedAt].map { $0?.milliseconds }
            )
        }
        #expect(closed == "radio: closedLocally at 1000 ms")
        #expect(ended == "radio: cancelled at 2000 ms")
        #expect(late == .cancelled)
        #expect(moments == [1_000, 2_000, 3_000])
    }

    @Test("observers see events while they are registered, and drop the oldest when they are slow")
    func observers() throws {
        let (counts, dropped) = try inVirtualTime { time, scope in
            let (controller, channel) = try Self.open([], time, scope)
            channel.push(HCIPackets.report)
            try await time.sleep(for: .seconds(1))
            let slow = await controller.observe(limit: 2)
            let quick = await controller.observe(limit: 100)
            for _ in 0..<5 { channel.push(HCIPackets.report) }
            channel.push(HCIPackets.complete("0c20"))
            try await time.sleep(for: .seconds(1))
            await controller.stopObserving(quick)
            channel.push(HCIPackets.report)
            try await time.sleep(for: .seconds(1))
            await controller.close()
            var counts: [Int] = []
            for observation in [slow, quick] {
                var count = 0
                while (try? await observation.queue.next()) != nil { count += 1 }
                counts.append(count)
            }
            return (counts, [slow.queue.droppedCount, quick.queue.droppedCount])
        }
        #expect(counts == [2, 5])
        #expect(dropped == [4, 0])
    }
}
