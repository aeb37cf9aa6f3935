// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("The kernel of a simulated adapter")
struct SimulatedKernelTests {
    private let hci0 = ManagementIndex(0)

    private func status(_ actions: [SimulatedKernel.Action]) throws -> ManagementStatus? {
        for case .reply(let packet) in actions {
            switch try ManagementEvent(packet) {
            case .known(let event as ManagementCommandCompleteEvent): return event.status
            case .known(let event as ManagementCommandStatusEvent): return event.status
            default: return nil
            }
        }
        return nil
    }

    private func send(
        _ command: some ManagementCommand,
        to adapter: ManagementIndex,
        _ kernel: inout SimulatedKernel
    ) throws -> ManagementStatus? {
        try status(kernel.received(command.packet(to: adapter).encoded()))
    }

    @Test("Refusals and their reasons")
    func refusals() throws {
        var kernel = SimulatedKernel(.modern, [])
        #expect(try send(ReadControllerInformation(), to: ManagementIndex(7), &kernel) == .invalidIndex)
        #expect(try send(ReadControllerInformation(), to: .none, &kernel) == .invalidIndex)
        #expect(try send(ReadControllerIndexList(), to: hci0, &kernel) == .invalidIndex)
        #expect(try send(SetLowEnergy(false), to: hci0, &kernel) == .rejected)
        let unknown = ManagementPacket(code: 0x0042, adapter: hci0, parameters: [])
        #expect(try status(kernel.received(unknown.encoded())) == .unknownCommand)
        let malformed = ManagementPacket(code: 0x0005, adapter: hci0, parameters: [0x07])
        #expect(try status(kernel.received(malformed.encoded())) == .invalidParameters)
        #expect(kernel.received([0x05]) == [])
        var blocked = SimulatedKernel(.modern, [.blocked])
        #expect(try send(SetPowered(true), to: hci0, &blocked) == .radioBlocked)
        var unauthorized = SimulatedKernel(.modern, [.unauthorized])
        #expect(try send(SetPowered(true), to: hci0, &unauthorized) == .permissionDenied)
        #expect(try send(ReadControllerInformation(), to: hci0, &unauthorized) == .success)
    }

    @Test("Switching is reported to the others, and switching off ends procedures")
    func switching() throws {
        var kernel = SimulatedKernel(.modern, [.lowEnergyOff])
        #expect(kernel.state == .up)
        let on = kernel.received(SetLowEnergy(true).packet(to: hci0).encoded())
        #expect(on.count == 2 && kernel.settings.contains(.lowEnergy))
        #expect(kernel.received(SetLowEnergy(true).packet(to: hci0).encoded()).count == 1)
        let off = kernel.received(SetPowered(false).packet(to: hci0).encoded())
        #expect(off.last == .end(.adapterDown))
        #expect(kernel.state == .down)
        #expect(try send(SetPowered(true), to: hci0, &kernel) == .success)
        #expect(kernel.state == .up)
    }

    @Test("An adapter that comes up is known when it is set up, and usable when it is powered")
    func coming() throws {
        var kernel = SimulatedKernel(.modern, [.coming])
        #expect(kernel.state == .starting(isSetUp: false))
        #expect(try send(ReadControllerInformation(), to: hci0, &kernel) == .invalidIndex)
        #expect(kernel.apply(.setUp) == [.event(IndexAddedEvent().packet(about: hci0))])
        #expect(kernel.state == .starting(isSetUp: true))
        #expect(kernel.apply(.powered).count == 1)
        #expect(kernel.state == .up)
        #expect(kernel.apply(.pulledOut).first == .end(.adapterRemoved))
        #expect(kernel.state == nil)
    }

    @Test("Channels and links of an adapter that is pulled out end")
    func ends() throws {
        let cause = try simulate(SimulatedWorld(adapter: [.returning], devices: [])) { system, time in
            let channel = try system.radio(named: nil).openHCI()
            do throws(RadioError) {
                while true { _ = try await channel.receive() }
            } catch {
                #expect(time.now == .zero + .seconds(2))
                #expect(try system.adapters().isEmpty)
                return error.cause
            }
        }
        #expect(cause == .adapterRemoved)
    }
}
