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

    private static func data(
        _ count: Int,
        _ operation: LEAdvertisingDataFragment.Operation = .complete
    ) throws -> any HCICommand {
        let bytes = [UInt8](repeating: 0, count: count)
        return LESetExtendedAdvertisingData(try #require(LEAdvertisingDataFragment(set, operation, bytes)))
    }

    private static func response(_ count: Int) throws -> any HCICommand {
        let bytes = [UInt8](repeating: 0, count: count)
        return LESetExtendedScanResponseData(try #require(LEAdvertisingDataFragment(set, .complete, bytes)))
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

    /// Spec: Core 5.4, Vol 4, Part E, 7.8.53 to 7.8.56
    @Test func `extended commands that contradict the set or its state are refused`() throws {
        func last(_ commands: (any HCICommand)...) throws -> HCIStatus? { try run(commands).statuses.last ?? nil }
        let (disallowed, invalid) = (HCIStatus.commandDisallowed, HCIStatus.invalidHCICommandParameters)
        let (long, on) = (Self.parameters(.connectable), try Self.enable(true))
        // Fragments: no set goes on the air with a part of its data.
        #expect(try last(long, Self.data(200, .first), on) == disallowed)
        #expect(try last(long, Self.data(200, .first), Self.data(9, .last), on) == .success)
        #expect(try last(long, Self.data(0, .first)) == invalid)
        #expect(try last(Self.parameters(), Self.data(9, .first)) == invalid)
        #expect(try last(long, on, Self.data(9, .first)) == disallowed)
        let parts = try [Self.data(251, .first)] + (0..<6).map { _ in try Self.data(251, .intermediate) }
        let (statuses, controller) = try run([long] + parts + [on])
        #expect(statuses.suffix(2) == [.memoryCapacityExceeded, .success])
        #expect(controller.advertising.sets[Self.set]?.data.octets.isEmpty == true)
        // A new identifier for the same data, which only extended PDUs on the air have.
        #expect(try last(long, Self.data(9), on, Self.data(0, .unchanged)) == .success)
        #expect(try last(long, Self.data(9), Self.data(0, .unchanged)) == invalid)
        #expect(try last(long, on, Self.data(0, .unchanged)) == invalid)
        #expect(try last(Self.parameters(), Self.data(9), on, Self.data(0, .unchanged)) == invalid)
        // A set that can be scanned has its response, and no data; one that cannot has no response.
        let scanned = Self.parameters(.scannable)
        #expect(try last(scanned, Self.data(9)) == invalid)
        #expect(try last(scanned, on) == disallowed)
        #expect(try last(scanned, Self.response(9), on) == .success)
        #expect(try last(scanned, Self.response(9), on, Self.response(0)) == invalid)
        #expect(try last(long, Self.response(9)) == invalid)
        #expect(try last(long, Self.response(0)) == .success)
        // Other parameters for a set with data.
        #expect(try last(long, Self.data(32), Self.parameters()) == invalid)
        #expect(try last(long, Self.data(9), scanned) == invalid)
        #expect(try last(Self.parameters([.legacy, .connectable])) == invalid)
        #expect(try last(Self.parameters([.legacy, .includeTxPower])) == invalid)
        #expect(try last(Self.parameters([.connectable, .directed, .highDutyCycle])) == invalid)
        #expect(try last(Self.parameters([.legacy, .connectable, .directed]), Self.data(9)) == invalid)
        // Sets by their number, and until an end.
        #expect(try last(long, Self.enable(true, [Self.set, Self.set])) == invalid)
        #expect(try last(long, Self.enable(true, [])) == invalid)
        let ending = LESetExtendedAdvertisingEnable.AdvertisingSet(Self.set, maximumEvents: 3)
        let limited = try #require(LESetExtendedAdvertisingEnable(isEnabled: true, sets: [ending]))
        #expect(try last(long, limited) == .unsupportedFeatureOrParameterValue)
    }

    @Test func `legacy and extended commands exclude each other until the next reset`() throws {
        let legacy = LESetAdvertisingEnable(isEnabled: true)
        #expect(try run([Self.parameters(), legacy]).statuses == [.success, .commandDisallowed])
        #expect(try run([legacy, Self.parameters()]).statuses == [.success, .commandDisallowed])
        #expect(try run([legacy, HCIReset(), Self.parameters()]).statuses == [.success, .success, .success])
        #expect(try run([Self.parameters()], .legacy).statuses == [.unknownHCICommand])
    }

    @Test func `legacy parameters in use cannot be changed`() throws {
        let parameters = LESetAdvertisingParameters(
            minimumInterval: LEInterval(.milliseconds(100)),
            maximumInterval: LEInterval(.milliseconds(100))
        )
        var directed = parameters
        directed.kind = .directedHighDutyCycle
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
