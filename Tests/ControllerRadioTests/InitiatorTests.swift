// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import ControllerRadio

@Suite("Attempts to connect")
struct InitiatorTests {
    private static let first = AttemptID(rawValue: 1)
    private static let second = AttemptID(rawValue: 2)
    private static let cancel = Initiator.Action.send(LECreateConnectionCancel().packet, .cancel)
    private static let cancelled = connected(0, to: strap, status: .unknownConnectionIdentifier)

    /// An initiator that the controller has begun to serve, for the strap alone.
    private static func initiating() -> Initiator {
        var initiator = Initiator(.typical())
        _ = initiator.connect(first, to: strap)
        _ = initiator.answered(.create, .success)
        return initiator
    }

    /// The one command among the actions.
    private static func command(_ actions: [Initiator.Action]) -> (any HCICommand)? {
        guard actions.count == 1, case .send(let packet, _)? = actions.first else { return nil }
        return try? HCICommandCatalog.command(in: packet) ?? nil
    }

    @Test func `one device is named in the command of the controller's kind`() throws {
        var legacy = Initiator(.typical())
        let create = try #require(Self.command(legacy.connect(Self.first, to: strap)) as? LECreateConnection)
        #expect(create.peer == strap && !create.usesAcceptList && create.ownAddressType == .public)
        #expect(create.scanWindow == create.scanInterval)
        var extended = Initiator(.typical([LEExtendedCreateConnection.self]))
        let other = try #require(Self.command(extended.connect(Self.first, to: lamp)) as? LEExtendedCreateConnection)
        #expect(other.peer == lamp && !other.usesAcceptList && other.phys == [.le1M])
    }

    @Test func `an identity is connected to by the type of its address`() throws {
        var initiator = Initiator(.typical())
        let identity = DeviceAddress(strap.address, .randomIdentity)
        let create = try #require(Self.command(initiator.connect(Self.first, to: identity)) as? LECreateConnection)
        #expect(create.peer == strap)
        _ = initiator.answered(.create, .success)
        #expect(initiator.completed(connected(0x40, to: identity)) == [.connected(Self.first, 0x40)])
    }

    @Test func `a link ends the attempt`() {
        var initiator = Self.initiating()
        #expect(initiator.completed(connected(0x40, to: strap)) == [.connected(Self.first, 0x40)])
        #expect(initiator.attemptIDs.isEmpty)
        // A second link comes from nobody's wish.
        #expect(initiator.completed(connected(0x41, to: strap)) == [.unwanted(0x41)])
    }

    @Test func `several devices go by the accept list, and the others go on after each link`() throws {
        var initiator = Self.initiating()
        #expect(initiator.connect(Self.second, to: lamp) == [Self.cancel])
        #expect(initiator.answered(.cancel, .success) == [])
        #expect(Self.command(initiator.completed(Self.cancelled)) is LEClearFilterAcceptList)
        #expect(
            Self.command(initiator.answered(.list, .success)) as? LEAddDeviceToFilterAcceptList
                == LEAddDeviceToFilterAcceptList(strap)
        )
        #expect(
            Self.command(initiator.answered(.list, .success)) as? LEAddDeviceToFilterAcceptList
                == LEAddDeviceToFilterAcceptList(lamp)
        )
        let create = try #require(Self.command(initiator.answered(.list, .success)) as? LECreateConnection)
        #expect(create.usesAcceptList)
        #expect(initiator.answered(.create, .success) == [])
        let actions = initiator.completed(connected(0x40, to: lamp))
        #expect(actions.first == .connected(Self.second, 0x40))
        let next = try #require(Self.command(Array(actions.dropFirst())) as? LECreateConnection)
        #expect(next.peer == strap && !next.usesAcceptList)
    }

    @Test func `no more devices at once than the list has room for`() throws {
        var initiator = Initiator(.typical(acceptList: 2))
        var commands = 0
        for number in 1...4 {
            let device = DeviceAddress(BluetoothAddress(rawValue: UInt64(number)), .public)
            _ = initiator.connect(AttemptID(rawValue: UInt64(number)), to: device)
        }
        _ = initiator.answered(.create, .success)
        var actions = initiator.completed(Self.cancelled)
        while case .send(let packet, .list)? = actions.first {
            if packet.opcode == LEAddDeviceToFilterAcceptList.opcode { commands += 1 }
            actions = initiator.answered(.list, .success)
        }
        #expect(commands == 2)
    }

    @Test func `an attempt that is given up is cancelled, and may still lead to a link`() {
        var initiator = Self.initiating()
        #expect(initiator.abandon(Self.first) == [Self.cancel])
        #expect(initiator.answered(.cancel, .success) == [])
        #expect(initiator.completed(Self.cancelled) == [])
        initiator = Self.initiating()
        _ = initiator.abandon(Self.first)
        // The link was faster: the controller refuses to cancel.
        #expect(initiator.completed(connected(0x40, to: strap)) == [.unwanted(0x40)])
        #expect(initiator.answered(.cancel, .commandDisallowed) == [])
        // In the other order.
        initiator = Self.initiating()
        _ = initiator.abandon(Self.first)
        #expect(initiator.answered(.cancel, .commandDisallowed) == [])
        #expect(initiator.completed(connected(0x40, to: strap)) == [.unwanted(0x40)])
    }

    @Test func `the late link of an attempt that was given up is not taken for the one to another device`() {
        var initiator = Self.initiating()
        _ = initiator.abandon(Self.first)
        #expect(initiator.answered(.cancel, .commandDisallowed) == [])
        #expect(Self.command(initiator.connect(Self.second, to: lamp)) is LECreateConnection)
        #expect(initiator.completed(connected(0x40, to: strap)) == [.unwanted(0x40)])
        #expect(initiator.answered(.create, .success) == [])
        #expect(initiator.completed(connected(0x41, to: lamp)) == [.connected(Self.second, 0x41)])
    }

    @Test func `a device that is wanted by one of its addresses may be reported by another`() {
        let identity = DeviceIdentity(address: strap, key: SecurityKey(7))
        let known = { (device: DeviceAddress) in identity.owns(device) ? strap : device }
        let (wanted, present) = (identity.privateAddress(random: 1), identity.privateAddress(random: 2))
        for (wanted, reported) in [(strap, present), (wanted, strap), (wanted, present)] {
            var initiator = Initiator(.typical())
            _ = initiator.connect(Self.first, to: wanted)
            _ = initiator.answered(.create, .success)
            let actions = initiator.completed(connected(0x40, to: reported), identity: known)
            #expect(actions == [.connected(Self.first, 0x40)])
        }
    }

    @Test func `an attempt that is given up before the controller has begun is cancelled then`() {
        var initiator = Initiator(.typical())
        _ = initiator.connect(Self.first, to: strap)
        #expect(initiator.abandon(Self.first) == [])
        #expect(initiator.answered(.create, .success) == [Self.cancel])
    }

    @Test func `a device that is wanted again during the cancellation gets a new attempt`() {
        var initiator = Self.initiating()
        _ = initiator.abandon(Self.first)
        #expect(initiator.connect(Self.second, to: strap) == [])
        #expect(Self.command(initiator.completed(Self.cancelled)) is LECreateConnection)
        #expect(initiator.attemptIDs == [Self.second])
    }

    @Test func `a link that was not established is tried again at once, three times`() {
        var initiator = Self.initiating()
        let lost = connected(0, to: strap, status: .connectionFailedToBeEstablished)
        for _ in 0..<3 {
            #expect(Self.command(initiator.completed(lost)) is LECreateConnection)
            _ = initiator.answered(.create, .success)
        }
        #expect(
            initiator.completed(lost)
                == [.failed(Self.first, .connectionFailedToBeEstablished, .notEstablished)]
        )
        #expect(initiator.completed(lost) == [])
    }

    @Test(arguments: [HCIStatus.commandDisallowed, .connectionLimitExceeded, .unknownHCICommand, nil])
    func `what the controller refuses fails`(status: HCIStatus?) {
        var initiator = Initiator(.typical())
        _ = initiator.connect(Self.first, to: strap)
        #expect(
            initiator.answered(.create, status) == [.failed(Self.first, status ?? .unspecifiedError, .refused)]
        )
        #expect(initiator.attemptIDs.isEmpty)
    }
}
