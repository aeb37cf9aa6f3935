// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import SimulatedRadio

@Suite("Advertising commands of the simulated controller")
struct AdvertisingCommandsTests {
    private static let set = LEAdvertisingHandle(rawValue: 0xE0)

    /// Performs commands. Returns the statuses of the answers, and the controller.
    private func run(
        _ commands: [any HCICommand],
        _ profile: ControllerProfile = .modern
    ) throws -> (statuses: [HCIStatus?], controller: SimulatedController) {
        var controller = SimulatedController(profile)
        var statuses: [HCIStatus?] = []
        for command in commands {
            let packet = HCIPacket.command(command.packet).encoded()
            for action in controller.received(packet, now: .zero, link: { _ in nil }) {
                guard case .event(let packet) = action else { continue }
                switch try HCIEvent(packet) {
                case .known(let event as CommandCompleteEvent): statuses.append(event.status)
                case .known(let event as CommandStatusEvent): statuses.append(event.status)
                default: break
                }
            }
        }
        return (statuses, controller)
    }

    private static func parameters(
        _ properties: LESetExtendedAdvertisingParameters.Properties = [.legacy, .connectable, .scannable],
        set: LEAdvertisingHandle = set
    ) -> LESetExtendedAdvertisingParameters {
        LESetExtendedAdvertisingParameters(
            set: set,
            properties: properties,
            minimumInterval: LEInterval(.milliseconds(100)),
            maximumInterval: LEInterval(.milliseconds(100))
        )
    }

    private static func enable(_ isEnabled: Bool, _ sets: [LEAdvertisingHandle] = [set]) throws -> any HCICommand {
        try #require(LESetExtendedAdvertisingEnable(isEnabled: isEnabled, sets: sets.map { .init($0) }))
    }

    private static func data(_ count: Int) throws -> any HCICommand {
        let bytes = [UInt8](repeating: 0, count: count)
        return LESetExtendedAdvertisingData(try #require(LEAdvertisingDataFragment(set, .complete, bytes)))
    }

    @Test func `a set is made, filled and enabled, and its end by a connection is reported`() throws {
        var (statuses, controller) = try run([Self.parameters(), try Self.data(31), try Self.enable(true)])
        #expect(statuses == [.success, .success, .success])
        #expect(controller.advertising.isConnectable)
        let connection = ConnectionHandle(rawValue: 0x0040)
        let event = LEAdvertisingSetTerminatedEvent(status: .success, Self.set, connection: connection)
        #expect(controller.connectionTaken(connection) == event.packet)
        #expect(!controller.advertising.isConnectable)
        #expect(controller.connectionTaken(connection) == nil)
    }

    @Test func `commands that a real controller refuses are refused`() throws {
        let unknown = HCIStatus.unknownAdvertisingIdentifier
        #expect(try run([try Self.enable(true)]).statuses == [unknown])
        #expect(try run([try Self.data(3)]).statuses == [unknown])
        #expect(try run([LERemoveAdvertisingSet(Self.set)]).statuses == [unknown])
        #expect(try run([Self.parameters(), try Self.data(32)]).statuses.last == .invalidHCICommandParameters)
        #expect(try run([Self.parameters(.connectable), try Self.data(200)]).statuses.last == .success)
        #expect(try run([Self.parameters([.connectable, .scannable])]).statuses == [.invalidHCICommandParameters])
        let busy: [any HCICommand] = [Self.parameters(), try Self.enable(true)]
        #expect(try run(busy + [Self.parameters()]).statuses.last == .commandDisallowed)
        #expect(try run(busy + [LERemoveAdvertisingSet(Self.set)]).statuses.last == .commandDisallowed)
        #expect(try run(busy + [LEClearAdvertisingSets()]).statuses.last == .commandDisallowed)
        #expect(try run(busy + [try Self.enable(false), LERemoveAdvertisingSet(Self.set)]).statuses.last == .success)
        let many = (0..<5).map { Self.parameters(set: LEAdvertisingHandle(rawValue: $0)) }
        #expect(try run(many).statuses == [.success, .success, .success, .success, .memoryCapacityExceeded])
    }

    @Test func `legacy and extended commands exclude each other until the next reset`() throws {
        let legacy = LESetAdvertisingEnable(isEnabled: true)
        #expect(try run([Self.parameters(), legacy]).statuses == [.success, .commandDisallowed])
        #expect(try run([legacy, Self.parameters()]).statuses == [.success, .commandDisallowed])
        #expect(try run([legacy, HCIReset(), Self.parameters()]).statuses == [.success, .success, .success])
        #expect(try run([Self.parameters()], .legacy).statuses == [.unknownHCICommand])
    }

    @Test func `legacy parameters in use cannot be changed, and directed advertising reaches nobody`() throws {
        let parameters = LESetAdvertisingParameters(
            minimumInterval: LEInterval(.milliseconds(100)),
            maximumInterval: LEInterval(.milliseconds(100))
        )
        var directed = parameters
        directed.kind = .directedLowDutyCycle
        var short = parameters
        short.minimumInterval = LEInterval(rawValue: 0x1F)
        let on = LESetAdvertisingEnable(isEnabled: true)
        #expect(try run([parameters, on, parameters]).statuses == [.success, .success, .commandDisallowed])
        // Legacy advertising uses the address that the command would change.
        let address = LESetRandomAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_01))
        #expect(try run([address, on, address]).statuses == [.success, .success, .commandDisallowed])
        let off = LESetAdvertisingEnable(isEnabled: false)
        #expect(try run([on, off, address]).statuses == [.success, .success, .success])
        #expect(try run([Self.parameters(), try Self.enable(true), address]).statuses.last == .success)
        #expect(try run([directed]).statuses == [.unsupportedFeatureOrParameterValue])
        #expect(try run([short]).statuses == [.invalidHCICommandParameters])
        var (_, controller) = try run([parameters, on])
        // No event reports the end of legacy advertising.
        #expect(controller.connectionTaken(ConnectionHandle(rawValue: 0x0040)) == nil)
        #expect(!controller.advertising.isConnectable)
    }
}
