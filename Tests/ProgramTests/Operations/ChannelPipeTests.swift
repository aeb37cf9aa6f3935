// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import SimulatedRadio
import Synchronization
import Testing

@testable import Commands
@testable import Records
@testable import Terminal
@testable import Toolkit

/// A channel as the kernel has it: it takes every unit at once, and after its end it reports that nothing waits.
private final class KernelChannel: L2CAPChannel {
    let peer = DeviceAddress(BluetoothAddress(rawValue: 1), .random)
    let connectionHandle: UInt16? = nil
    let spsm = SPSM(0x80)
    let receiveMTU: UInt16 = 512
    let sendMTU: UInt16 = 512
    let droppedCount = 0

    private let time: any TimeSource
    /// When the kernel has sent everything; `nil` for never.
    private let sent: Instant?
    /// When the device closes the channel.
    private let end: Instant

    init(_ time: any TimeSource, sent: Instant?, end: Instant) {
        (self.time, self.sent, self.end) = (time, sent, end)
    }

    var unsentOctets: Int { time.now >= min(sent ?? end, end) ? 0 : 500 }

    func receive() async throws(RadioError) -> [UInt8] {
        try? await time.sleep(until: end)
        throw RadioError(.closedByPeer(nil), during: "channel")
    }

    func send(_ packet: [UInt8]) throws(RadioError) {}

    func drained() async throws(RadioError) {
        if time.now >= end { throw RadioError(.closedByPeer(nil), during: "channel") }
    }

    func close() {}
}

/// Keeps what is written to it.
private final class Buffer: ByteSink {
    private let octets = Mutex<[UInt8]>([])

    var text: String { String(decoding: octets.withLock { $0 }, as: UTF8.self) }

    func write(_ bytes: Span<UInt8>) throws(OutputFailure) {
        octets.withLock { $0 += bytes.withUnsafeBytes { Array($0) } }
    }
}

@Suite("The end of a channel by the device")
struct ChannelPipeTests {
    private struct Outcome {
        var records: String
        var error: BlectlError?
    }

    /// Sends octets over a channel, whose octets are sent and which ends that long afterwards.
    private func run(sending count: Int, sent: Duration?, end: Duration) throws -> Outcome {
        let time = VirtualTime()
        return try time.run { () async throws -> Outcome in
            try await withTaskScope { scope in
                let buffer = Buffer()
                let channel = KernelChannel(time, sent: sent.map { time.now + $0 }, end: time.now + end)
                let context = CommandContext(
                    commands: .all,
                    options: GlobalOptions(),
                    system: SimulatedRadioSystem(try .builtIn(), time: time, scope: scope),
                    time: time,
                    scope: scope,
                    output: Output(buffer, isJSON: true, style: .plain),
                    diagnostics: Diagnostics(Buffer(), style: .plain, isQuiet: false, verbosity: 0),
                    stores: DataStores()
                )
                let options = L2CAPOptions(
                    action: .listen(name: "x"),
                    spsm: channel.spsm,
                    mtu: channel.receiveMTU,
                    quietTime: .seconds(1),
                    isHex: false,
                    limits: StopLimits()
                )
                let pipe = ChannelPipe(
                    options,
                    over: channel,
                    to: DeviceReference(address: channel.peer, name: "Sink"),
                    ByteSource([UInt8](repeating: 7, count: count)),
                    context
                )
                do {
                    try await pipe.run()
                    return Outcome(records: buffer.text)
                } catch let error as BlectlError {
                    return Outcome(records: buffer.text, error: error)
                }
            }
        }
    }

    @Test func `octets that the kernel has not sent are an error, even the last ones`() throws {
        for end in [0, 1, 300, 3_000] {
            let run = try run(sending: 2_000, sent: nil, end: .milliseconds(end))
            #expect(run.error?.status == .temporaryFailure, "\(end)")
            let words = "the device closed the channel before 500 octets were sent"
            #expect(end == 0 || run.error?.reason == words, "\(end): \(run.error?.message ?? "no error")")
            #expect(!run.records.contains("channel-end"))
        }
        // The kernel counts memory, which is more than there was to send.
        let one = try run(sending: 1, sent: nil, end: .milliseconds(300))
        #expect(one.error?.reason == "the device closed the channel before 1 octet was sent")
    }

    @Test func `a device that has received everything may close the channel`() throws {
        // The last connection event has sent the last octets, and the device closes the channel in the next one.
        for sent in [0, 1, 20, 101, 104] {
            let run = try run(sending: 2_000, sent: .milliseconds(sent), end: .microseconds(sent * 1_000 + 7_500))
            #expect(run.error == nil, "\(sent): \(run.error?.message ?? "")")
            #expect(run.records.contains(#""reason":"peer""#), "\(run.records)")
        }
        let silent = try run(sending: 0, sent: .zero, end: .milliseconds(5))
        #expect(silent.error == nil && silent.records.contains(#""reason":"peer""#))
    }
}
