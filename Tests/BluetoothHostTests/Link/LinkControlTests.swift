// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost

/// A controller that reports the beginning of a link directly before the answer to a question, as the owner of a shared
/// link does for guests.
private final class LateController: Radio, HCIChannel {
    static let link = ConnectionHandle(rawValue: 0x40)

    let adapter = AdapterDescription(
        name: "hci0",
        index: 0,
        address: BluetoothAddress(rawValue: 1),
        state: .up,
        bus: "virtual"
    )
    private let packets = BoundedQueue<[[UInt8]]>(limit: 64, overflow: .pauseProducer)

    func openHCI() throws(RadioError) -> any HCIChannel { self }
    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        throw RadioError(.unsupported, during: "test")
    }
    func listenATT() throws(RadioError) -> any ATTListener { throw RadioError(.unsupported, during: "test") }

    func receive() async throws(RadioError) -> [UInt8] { throw RadioError(.unsupported, during: "test") }
    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> { try await packets.next()[...] }
    var droppedCount: Int { 0 }
    func drained() async throws(RadioError) {}
    func close() { packets.finish(RadioError(.closedLocally, during: "test")) }

    func send(_ packet: [UInt8]) throws(RadioError) {
        guard case .command(let command)? = try? HCIPacket(decoding: packet) else { return }
        let answer = CommandCompleteEvent(command.opcode, failed: .unknownHCICommand).packet
        // No further event gives the links time to be tracked after the last question.
        let isLast = command.opcode == LEReadPHY.opcode
        packets.push((isLast ? [Self.began, answer] : [answer]).map { HCIPacket.event($0).encoded() })
    }

    private static var began: HCIEventPacket {
        LEConnectionCompleteEvent(
            link,
            role: .central,
            peer: .scripted,
            interval: LEInterval(rawValue: 24),
            latency: 2,
            supervisionTimeout: LEInterval(rawValue: 500)
        )
        .packet
    }
}

@Suite("The control of links", .timeLimit(.minutes(15)))
struct LinkControlTests {
    private let time = PatientTime()

    @Test func `a reading includes every event before the answers`() async {
        // Not in virtual time, whose one thread decides which task is first.
        for _ in 1...300 {
            await withTaskScope { scope in
                let control = LinkControl(LateController(), scope: scope, time: time)
                let reading = await control.reading(of: LateController.link.rawValue)
                #expect(reading.state.role == .central && reading.state.latency == 2)
                #expect(reading.unknown[.role] == nil && reading.unknown[.parameters] == nil)
                await control.close()
            }
        }
    }

    @Test func `after the end of the controller nothing is known`() async {
        await withTaskScope { scope in
            let controller = LateController()
            let control = LinkControl(controller, scope: scope, time: time)
            #expect(await control.reading(of: LateController.link.rawValue).state.role == .central)
            controller.close()
            let reading = await control.reading(of: LateController.link.rawValue)
            #expect(reading.state.role == nil && reading.state.interval == nil)
        }
    }

    /// Whether the controller lists LE Read Channel Map, its company, and the channels that it is asked for.
    @Test(
        arguments: [(true, "0f00", "0-8,22,32-36"), (false, "0f00", nil), (true, "e000", nil)]
            as [(Bool, String, String?)]
    )
    func `the channels are asked for where they are listed, but not of Android's emulator`(
        isListed: Bool,
        company: String,
        channels: String?
    ) throws {
        let listed = String(repeating: "00", count: 27) + (isListed ? "10" : "00") + String(repeating: "00", count: 36)
        let script =
            [
                turn("01 0514 02 4000", "04 0e 07 01 0514 00 4000 ce"),
                turn("01 2d0c 03 4000 00", "04 0e 07 01 2d0c 00 4000 04"),
                turn("01 3020 02 4000", "04 0e 08 01 3020 00 4000 01 01"),
                turn("01 0210 00", "04 0e 44 01 0210 00 \(listed)"),
            ] as Script
            + (isListed ? [turn("01 0110 00", "04 0e 0c 01 0110 00 0c 0000 0c \(company) 0000")] : [])
            + (channels == nil ? [] : [turn("01 1520 02 4000", "04 0e 0b 01 1520 00 4000 ff0140001f")])
            + [turn("01 1620 02 4000", "04 0f 04 0c 01 1620"), turn("01 1d04 02 4000", "04 0f 04 02 01 1d04")]
        try inVirtualTime { time, scope in
            let control = LinkControl(ScriptedRadio(hci: [script], time, scope), scope: scope, time: time)
            let reading = await control.reading(of: LateController.link.rawValue, asksPeer: true)
            #expect(reading.channels?.description == channels)
            if channels == nil {
                guard case .notMeasured? = reading.unknown[.channels] else {
                    Issue.record("\(reading.unknown)"); return
                }
            } else {
                #expect(reading.unknown[.channels] == nil)
            }
            await control.close()
        }
    }

    @Test func `a controller that was gone is asked over a new channel, which is closed at the end`() throws {
        let script: Script = [turn("01 0514 02 4000", "04 0e 07 01 0514 00 4000 ce")]
        try inVirtualTime { time, scope in
            let radio = ScriptedRadio(hci: [script, script], time, scope)
            let control = LinkControl(radio, scope: scope, time: time)
            #expect(try await control.signal(of: LateController.link.rawValue) == -50)
            radio.hciChannels.first?.end(.adapterDown)
            try await time.sleep(for: .seconds(1))
            #expect(try await control.signal(of: LateController.link.rawValue) == -50)
            #expect(radio.hciChannels.count == 2)
            #expect(radio.hciChannels.last?.closedAt == nil)
            await control.close()
            #expect(radio.hciChannels.last?.closedAt != nil)
        }
    }
}
