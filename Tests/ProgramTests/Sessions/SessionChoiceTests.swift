// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Foundation
import Testing

@testable import RadioSharing
@testable import Toolkit

@Suite("The session of a command")
struct SessionChoiceTests {
    private static func session(
        _ name: String,
        _ address: UInt64,
        _ deviceName: String?,
        services: [BluetoothUUID] = [],
        adapter: String = "hci0",
        socket: String? = nil
    ) -> SessionDescription {
        SessionDescription(
            name: name,
            device: DeviceAddress(BluetoothAddress(rawValue: address), .random),
            deviceName: deviceName,
            socket: socket,
            source: "adapters",
            adapter: AdapterDescription(
                name: adapter,
                index: 0,
                address: BluetoothAddress(rawValue: 1),
                state: .up,
                bus: "usb"
            ),
            process: 4_242,
            since: "2026-11-20T05:50:45.000001Z",
            services: services,
            link: .init(
                isUp: true,
                mtu: 185,
                guests: 3,
                kept: 2,
                dropped: 1,
                security: LinkSecurity(isEncrypted: true, isSecureConnections: true, keySize: 9, hasBond: true)
            )
        )
    }

    private static let strap = session("pulse-hr", 0xC8_4B_1D_3A_90_5E, "Pulse HR", services: [0x180D, 0x180F])
    private static let thermo = session("second", 0xF0_F1_F2_F3_F4_F5, "Thermo 1", services: [0x181A], adapter: "hci1")
    private static let unknown = session("raw", 0xF0_F1_F2_F3_F4_F6, nil)

    private func choice(
        _ selector: DeviceSelector?,
        _ sessions: [SessionDescription] = [strap, thermo],
        adapters: AdapterSelection = .first
    ) -> SessionChoice {
        SessionChoice(among: sessions, for: selector, adapters: adapters)
    }

    @Test func `a device is named by its address, its name or its session`() {
        #expect(choice(.address(Self.strap.device.address, nil)) == .one(Self.strap))
        #expect(choice(.name("pulse hr")) == .one(Self.strap))
        #expect(choice(.name("second")) == .one(Self.thermo))
        #expect(choice(.name("Pulse")) == .none)
        #expect(choice(.address(BluetoothAddress(rawValue: 5), nil)) == .none)
    }

    @Test func `a device is searched for by its name and its services`() {
        #expect(choice(.advertising(name: Glob("Pulse*"), services: [])) == .one(Self.strap))
        #expect(choice(.advertising(name: nil, services: [0x180D, 0x180F])) == .one(Self.strap))
        #expect(choice(.advertising(name: nil, services: [0x180D, 0x181A])) == .none)
        #expect(choice(.likely([0x181A], names: [])) == .one(Self.thermo))
        #expect(choice(.likely([0x1816], names: ["thermo 1"])) == .one(Self.thermo))
        #expect(choice(.likely([0x1816], names: [])) == .none)
    }

    @Test func `without any criterion the only session is used`() {
        #expect(choice(nil, []) == .none)
        #expect(choice(nil, [Self.strap]) == .one(Self.strap))
        #expect(choice(nil) == .several([Self.strap, Self.thermo]))
        #expect(choice(nil, adapters: .one("hci1")) == .one(Self.thermo))
        // Both have the adapter's address in these tests.
        #expect(choice(nil, adapters: .one("00:00:00:00:00:01")) == .several([Self.strap, Self.thermo]))
        #expect(choice(nil, adapters: .one("00:00:00:00:00:02")) == .none)
        #expect(choice(nil, adapters: .several(["hci2", "hci1"])) == .one(Self.thermo))
        #expect(choice(nil, adapters: .several(["hci2", "hci3"])) == .none)
        #expect(choice(nil, adapters: .all) == choice(nil))
        // Nothing is known of its services.
        #expect(choice(.likely([0x181A], names: []), [Self.unknown]) == .one(Self.unknown))
    }

    @Test func `the name of a session precedes that of a device`() {
        let other = Self.session("Pulse HR", 7, "Other")
        #expect(choice(.name("Pulse HR"), [Self.strap, other]) == .one(other))
    }

    @Test func `a device at a socket has any name`() {
        let socket = Self.session("000000000000", 0, nil, socket: "unix:/tmp/hr")
        #expect(choice(.name("anything"), [socket]) == .one(socket))
        let address = BluetoothAddress(rawValue: 9)
        #expect(socket.reference(as: .address(address, .random)).address == DeviceAddress(address, .random))
        #expect(socket.reference(as: nil).socket == "unix:/tmp/hr")
    }

    @Test func `a description arrives unchanged`() throws {
        for session in [Self.strap, Self.thermo, Self.unknown] {
            #expect(try SessionDescription(decoding: session.encoded()) == session)
        }
        for length in 0..<Self.strap.encoded().count {
            #expect(throws: DecodeError.self) {
                try SessionDescription(decoding: Array(Self.strap.encoded().prefix(length)))
            }
        }
    }

    @Test(arguments: [
        ("Pulse HR", "pulse-hr"), ("  Ä --x", "x"), ("", "c84b1d3a905e"), ("...", "c84b1d3a905e"),
        ("a/b\u{1B}[0m", "a-b-0m"),
        (String(repeating: "n", count: 100), String(repeating: "n", count: 32)),
    ])
    func `a session is named after its device`(name: String, label: String) {
        let reference = DeviceReference(address: Self.strap.device, name: name)
        #expect(SessionLabel(device: reference).description == label)
    }

    @Test func `the name of a file has the session and its device`() throws {
        let file = "pulse-hr@C84B1D3A905E-1b2c3d4e"
        let entry = try #require(SessionSocket(file: file, in: "/run"))
        #expect(entry.label == "pulse-hr" && entry.address == Self.strap.device.address && entry.world == "1b2c3d4e")
        #expect(entry.path == "/run/\(file)")
        let others = [
            "", "x", "a@b", "a@C84B1D3A905E", "a@C84B1D3A905E-1", "@C84B1D3A905E-1b2c3d4e", "a@C84B1D3A905E-1b2c3d4e@",
        ]
        for other in others {
            #expect(SessionSocket(file: other, in: "/run") == nil)
        }
    }

    @Test func `worlds are told apart`() {
        var options = GlobalOptions()
        let real = options.worldDigits
        options.radio = .simulation(.real)
        let simulated = options.worldDigits
        options.simulatedWorlds = ["/nowhere/a.json"]
        #expect(Set([real, simulated, options.worldDigits]).count == 3)
        #expect(real.utf8.count == 8)
        #expect(options.mayUseSessions)
        options.privateWorldOption = "simulate-seed"
        #expect(!options.mayUseSessions)
        options.privateWorldOption = nil
        options.radio = .simulation(.virtual)
        #expect(!options.mayUseSessions)
    }
}
