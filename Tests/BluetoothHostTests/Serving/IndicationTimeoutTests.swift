// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

@Suite("PeripheralHost: an indication that is never confirmed")
struct IndicationTimeoutTests {
    /// Indicates every value that is written to it.
    private struct Firmware: DeviceFirmware {
        func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void> {
            device.notify(request.value, of: request.handle)
            return .accept
        }
    }

    /// The time at which the end of the link was reported, in milliseconds.
    private final class End: Sendable {
        let moment = Mutex<Int64?>(nil)
        let reasons = Mutex<[ATTDiagnostic]>([])
    }

    private func device() throws -> DeviceImage {
        let value = CharacteristicDefinition(0xFF01, [.write, .indicate], value: .handler(maximumLength: 8))
        return DeviceImage(
            name: "device",
            address: .scripted,
            advertising: [],
            database: try GATTDatabase(services: [ServiceDefinition(0xFF00, characteristics: [value])]),
            firmware: Firmware()
        )
    }

    private static func serve(
        _ device: DeviceImage,
        _ script: Script,
        for duration: Duration
    ) throws -> (sent: [ScriptedChannel.Sent], closedAt: Int64?, toldAt: Int64?, reasons: [ATTDiagnostic]) {
        try inVirtualTime { time, scope in
            let radio = ServingRadio()
            let end = End()
            let host = PeripheralHost(device, radio: radio, scope: scope, time: time)
            let serving = Running(scope, time) {
                try await host.serve { event in
                    if case .disconnected = event { end.moment.withLock { $0 = time.now.milliseconds } }
                    if case .odd(_, let diagnostic) = event { end.reasons.withLock { $0.append(diagnostic) } }
                    return .goOn
                }
            }
            let channel = ScriptedChannel(script, time, scope)
            radio.comes(channel)
            channel.push("12 0400 0200")
            try await time.sleep(for: .milliseconds(10))
            channel.push("12 0300 07")
            try await time.sleep(for: duration)
            let outcome = (
                channel.sentWithTimes, channel.closedAt?.milliseconds, end.moment.withLock { $0 },
                end.reasons.withLock { $0 }
            )
            serving.cancel()
            try await time.sleep(for: .seconds(1))
            return outcome
        }
    }

    @Test("after 30 s the link is ended and reported, and the indication is not sent again (GAT/SR/BV-01)")
    func endsTheLink() throws {
        let script: Script = [turn("13"), turn("13"), turn("1d 0300 07")]
        let (sent, closedAt, toldAt, reasons) = try Self.serve(try device(), script, for: .seconds(120))
        #expect(sent.map(\.hex) == ["13", "13", "1d030007"])
        let moment = try #require(sent.last).instant.milliseconds
        #expect(closedAt == moment + 30_000)
        #expect(toldAt == moment + 30_000)
        #expect(reasons == [.unconfirmedIndication])
    }

    @Test("a confirmation before that keeps the link")
    func waits() throws {
        let unconfirmed = try Self.serve(
            try device(),
            [turn("13"), turn("13"), turn("1d 0300 07")],
            for: .milliseconds(29_990)
        )
        #expect(unconfirmed.closedAt == nil && unconfirmed.toldAt == nil)
        let confirmed: Script = [
            turn("13"), turn("13"), turn("1d 0300 07", reactions: [.packet("1e", after: .seconds(29))]),
        ]
        let late = try Self.serve(try device(), confirmed, for: .seconds(120))
        #expect(late.closedAt == nil && late.toldAt == nil)
    }
}
