// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

@Suite("TappedRadioSystem")
struct PacketTapTests {
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        var tap: PacketTap {
            { packet in
                let channel =
                    switch packet.channel {
                    case .hci: "hci"
                    case .management: "mgmt"
                    case .l2cap: "l2cap"
                    case .att(let device), .bearer(let device): "\(device.address)"
                    }
                let arrow = packet.direction == .sent ? ">" : "<"
                let line = "\(packet.instant.milliseconds) \(channel) \(arrow) \(Hex.string(packet.bytes))"
                self.lines.withLock { $0.append(line) }
            }
        }
    }

    @Test("shows every packet of both channels, in both directions, with its time, and changes nothing")
    func packets() throws {
        let log = Log()
        let (seen, isSame) = try inVirtualTime { time, scope in
            let answer = Script.Reaction.packet("0b 07", after: .milliseconds(30))
            let radio = ScriptedRadio(
                [.connects([turn("0a 0300", reactions: [answer])], after: .milliseconds(100))],
                hci: [HCIPackets.played((HCIPackets.legacyOff, "00"))],
                time,
                scope
            )
            let tapped = try TappedRadioSystem(radio, time: time, tap: log.tap).radio(named: nil)
            let hci = try tapped.openHCI()
            try hci.send(octets(HCIPackets.legacyOff))
            try await hci.drained()
            let complete = try await hci.receive()
            let att = try await tapped.connectATT(to: .scripted, deadline: time.now + .seconds(1))
            try att.send(octets("0a 0300"))
            try await att.drained()
            let pdu = try await att.receive()
            let isSame =
                tapped.adapter == radio.adapter && att.peer == .scripted && att.connectionHandle == 0x0040
                && att.maximumMTU == 672 && att.droppedCount == 0 && hci.droppedCount == 0
            hci.close()
            att.close()
            let closings = [radio.hciChannels[0].closedAt, radio.channels[0].closedAt].map { $0?.milliseconds }
            return (["\(Hex.string(complete))", "\(Hex.string(pdu))", "\(closings)"], isSame)
        }
        #expect(seen == ["040e04010c2000", "0b07", "[Optional(130), Optional(130)]"])
        #expect(isSame)
        #expect(
            log.all == [
                "0 hci > 010c20020000", "0 hci < 040e04010c2000", "100 F0:F1:F2:F3:F4:F5 > 0a0300",
                "130 F0:F1:F2:F3:F4:F5 < 0b07",
            ]
        )
    }

    @Test("shows no key of a kernel command, which passes unchanged")
    func keys() throws {
        let log = Log()
        let passed = try inVirtualTime { time, scope in
            let key = String(repeating: "5a", count: 16)
            let radio = ScriptedRadio(
                [],
                hci: [[turn("01 0110 00", reactions: [.packet("01 1a20 12 4000 \(key)", after: .zero)])]],
                time,
                scope
            )
            let tapped = try TappedRadioSystem(radio, time: time, tap: log.tap).radio(named: nil)
            let hci = try tapped.openHCI()
            try hci.send(octets("01 0110 00"))
            let packet = try await hci.receive()
            hci.close()
            return Hex.string(packet)
        }
        #expect(passed == "011a20124000" + String(repeating: "5a", count: 16))
        #expect(log.all == ["0 hci > 01011000", "0 hci < 011a20124000" + String(repeating: "00", count: 16)])
    }

    @Test("shows the packets of incoming centrals as well")
    func centrals() throws {
        let log = Log()
        let closed = try inVirtualTime { time, scope in
            let radio = ScriptedRadio([], time, scope)
            let tapped = try TappedRadioSystem(radio, time: time, tap: log.tap).radio(named: nil)
            #expect(tapped.onlyPeer == nil)
            let listener = try tapped.listenATT()
            let inside = ScriptedChannel([turn("0b 07")], time, scope)
            radio.listener.push(inside)
            let channel = try await listener.accept()
            try channel.send(octets("0b 07"))
            inside.become(LinkSecurity(isEncrypted: true, keySize: 9))
            #expect(channel.security == LinkSecurity(isEncrypted: true, keySize: 9))
            listener.close()
            do throws(RadioError) {
                _ = try await listener.accept()
                return false
            } catch {
                return error.cause == .closedLocally
            }
        }
        #expect(closed)
        #expect(log.all == ["0 F0:F1:F2:F3:F4:F5 > 0b07"])
    }

    private static func line(_ link: TappedLink) -> String {
        let change =
            switch link.change {
            case .opened: "opened"
            case .ended(nil): "closed"
            case .ended(let error?): "\(error.cause)"
            }
        let handle = link.connectionHandle.map { String($0, radix: 16) } ?? "none"
        return "\(link.number) \(link.role) \(link.device.address) \(handle) \(change)"
    }

    @Test("shows when a channel opens and ends, once each, with its number")
    func links() throws {
        let lines = Mutex<[String]>([])
        try inVirtualTime { time, scope in
            let radio = ScriptedRadio([.connects([]), .connects([])], time, scope)
            let system = TappedRadioSystem(
                radio,
                time: time,
                linkTap: { link in lines.withLock { $0.append(Self.line(link)) } },
                tap: { _ in }
            )
            let tapped = try system.radio(named: nil)
            let first = try await tapped.connectATT(to: .scripted, deadline: time.now + .seconds(1))
            let second = try await tapped.connectATT(to: .scripted, deadline: time.now + .seconds(1))
            radio.channels[0].end(.linkLost(nil))
            for _ in 0..<2 {
                do throws(RadioError) { _ = try await first.receive() } catch { #expect(error.cause == .linkLost(nil)) }
            }
            second.close()
            second.close()
            first.close()
        }
        #expect(
            lines.withLock { $0 } == [
                "1 central F0:F1:F2:F3:F4:F5 40 opened", "2 central F0:F1:F2:F3:F4:F5 40 opened",
                "1 central F0:F1:F2:F3:F4:F5 40 linkLost(nil)", "2 central F0:F1:F2:F3:F4:F5 40 closed",
            ]
        )
    }

    /// A channel whose frames come from elsewhere, the last of them after its end.
    private final class LateChannel: DeferredFrames, ForwardingChannel {
        let channel: ScriptedChannel
        private let waiting = Mutex<[@Sendable () -> Void]>([])

        init(_ channel: ScriptedChannel) { self.channel = channel }

        var peer: DeviceAddress { channel.peer }
        var connectionHandle: UInt16? { channel.connectionHandle }
        var spsm: SPSM { channel.spsm }
        var receiveMTU: UInt16 { channel.receiveMTU }
        var sendMTU: UInt16 { channel.sendMTU }
        var unsentOctets: Int { 0 }

        func afterLastFrame(_ action: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(action) } }

        /// The last frame has come.
        func complete() {
            let actions = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for action in actions { action() }
        }
    }

    private struct LateRadio: ForwardingRadio, RadioSystem {
        let base: any Radio
        let channel: LateChannel
        let time: any TimeSource
        let onOpen: @Sendable (FrameObserver?) -> Void

        func adapters() async throws(RadioError) -> [AdapterDescription] { [adapter] }
        func radio(named name: String?) throws(RadioError) -> any Radio { self }

        func connectL2CAP(
            to device: DeviceAddress,
            _ request: L2CAPRequest,
            deadline: Instant,
            onFrame: FrameObserver?
        ) async throws(RadioError) -> any L2CAPChannel {
            onOpen(onFrame)
            return channel
        }
    }

    @Test("the end of a channel is shown after its last frame, however late that comes, and once")
    func lateFrames() throws {
        let lines = Mutex<[String]>([])
        try inVirtualTime { time, scope in
            let observer = Mutex<FrameObserver?>(nil)
            let late = LateChannel(ScriptedChannel([], time, scope))
            let radio = LateRadio(base: ScriptedRadio([], time, scope), channel: late, time: time) { onFrame in
                observer.withLock { $0 = onFrame }
            }
            let system = TappedRadioSystem(
                radio,
                time: time,
                linkTap: { link in lines.withLock { $0.append(Self.line(link)) } },
                tap: { packet in lines.withLock { $0.append(Hex.string(packet.bytes)) } }
            )
            let channel = try await system.radio(named: nil).connectL2CAP(
                to: .scripted,
                L2CAPRequest(spsm: .enhancedATT, mtu: 64),
                deadline: time.now + .seconds(1),
                onFrame: nil
            )
            channel.close()
            channel.close()
            let frame = L2CAPFrame(L2CAPChannelID(rawValue: 0x0041), [7])
            observer.withLock { $0 }?(ObservedFrame(frame, isSent: true, connectionHandle: 0x0040))
            lines.withLock { $0.append("last") }
            late.complete()
        }
        #expect(
            lines.withLock { $0 } == [
                "1 central F0:F1:F2:F3:F4:F5 40 opened", "0100410007", "last",
                "1 central F0:F1:F2:F3:F4:F5 40 closed",
            ]
        )
    }

    @Test("errors pass unchanged")
    func errors() throws {
        let causes = try inVirtualTime { time, scope in
            let radio = ScriptedRadio([.fails(.channelBusy(by: nil)), .connects([])], time, scope)
            let system = TappedRadioSystem(radio, time: time) { _ in }
            var causes: [RadioError.Cause?] = []
            func attempt(_ body: () async throws -> Void) async {
                do {
                    try await body()
                    causes.append(nil)
                } catch { causes.append((error as? RadioError)?.cause) }
            }
            #expect(try await system.adapters() == [radio.adapter])
            await attempt { _ = try system.radio(named: "hci9") }
            let tapped = try system.radio(named: "hci7")
            await attempt { _ = try tapped.openHCI() }
            await attempt { _ = try await tapped.connectATT(to: .scripted, deadline: time.now + .seconds(1)) }
            let channel = try await tapped.connectATT(to: .scripted, deadline: time.now + .seconds(1))
            radio.channels[0].end(.linkLost(nil))
            await attempt { try channel.send([0x0A, 0x03, 0x00]) }
            await attempt { try await channel.drained() }
            await attempt { _ = try await channel.receive() }
            return causes
        }
        #expect(
            causes == [
                .adapterNotFound("hci9"), .adapterDown, .channelBusy(by: nil), .linkLost(nil), .linkLost(nil),
                .linkLost(nil),
            ]
        )
    }
}
