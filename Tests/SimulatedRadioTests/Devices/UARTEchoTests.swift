// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("UART echo")
struct UARTEchoTests {
    private static let receive = BluetoothUUID("6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    private static let transmit = BluetoothUUID("6e400003-b5a3-f393-e0a9-e50e24dcca9e")

    @Test func `written values come back, with and without response`() throws {
        let receive = try #require(Self.receive)
        let transmit = try #require(Self.transmit)
        try DeviceProbe.run("uart-echo") { uart in
            // Without a subscription there is no echo.
            #expect(try await uart.write(receive, "6869") == "13")
            #expect(try await uart.exchange("12" + uart.configuration(transmit) + "0100") == "13")
            try uart.channel.send(try #require(Hex.bytes("52" + uart.handle(receive) + "010203")))
            #expect(Hex.string(try await uart.receive()) == "1b" + (try uart.handle(transmit)) + "010203")
            #expect(try await uart.write(receive, "68656c6c6f") == "13")
            #expect(Hex.string(try await uart.receive()) == "1b" + (try uart.handle(transmit)) + "68656c6c6f")
        }
    }

    @Test func `many commands in a row all come back in order`() throws {
        let receive = try #require(Self.receive)
        let transmit = try #require(Self.transmit)
        try DeviceProbe.run("uart-echo") { uart in
            _ = try await uart.exchange("02f700")
            _ = try await uart.exchange("12" + uart.configuration(transmit) + "0100")
            let head = try #require(Hex.bytes("52" + uart.handle(receive)))
            for number in 0..<200 as Range<UInt8> {
                try uart.channel.send(head + [UInt8](repeating: number, count: 244))
                try await uart.channel.drained()
            }
            for number in 0..<200 as Range<UInt8> {
                let pdu = try await uart.receive()
                #expect(pdu.count == 247 && pdu[3] == number && pdu[246] == number)
            }
        }
    }
}
