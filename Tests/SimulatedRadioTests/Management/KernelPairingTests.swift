// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost
@testable import SimulatedRadio

@Suite("A simulated kernel's answers to commands of pairing")
struct KernelPairingTests {
    private static let hci0 = ManagementIndex(0)
    private static let device = DeviceAddress(BluetoothAddress(rawValue: 0xC5EC_0000_0001), .random)
    private static let address = ManagementAddress(device)
    private static let agreement = PairingAgreement(
        method: .justWorks,
        isSecureConnections: true,
        keySize: 16,
        isBonding: true,
        initiatorKeys: [],
        responderKeys: [.identity]
    )

    private func perform(_ command: some ManagementCommand, _ kernel: inout SimulatedKernel) throws
        -> (ManagementStatus?, [SimulatedKernel.Action])
    {
        let actions = kernel.received(command.packet(to: Self.hci0).encoded())
        for case .reply(let packet) in actions {
            switch try ManagementEvent(packet) {
            case .known(let event as ManagementCommandCompleteEvent): return (event.status, actions)
            case .known(let event as ManagementCommandStatusEvent): return (event.status, actions)
            default: break
            }
        }
        return (nil, actions)
    }

    /// The command that a kernel has accepted.
    private func accepted(_ kernel: inout SimulatedKernel, _ capability: IOCapability = .noInputNoOutput) throws
        -> PairingCommand
    {
        let (status, actions) = try perform(PairDevice(Self.address, capability: capability), &kernel)
        #expect(status == nil, "the answer comes with the end")
        guard case .pair(let command)? = actions.first else { throw RadioError(.unsupported, during: "test") }
        return command
    }

    private static let identity = DeviceIdentity(address: device, key: SimulatedKeys.identityKey(of: device))

    @Test func `the request follows from the settings`() throws {
        var kernel = SimulatedKernel(.modern, [])
        let plain = try accepted(&kernel).request
        #expect(plain.requirements == [.bonding] && plain.responderKeys == [.encryption, .signature])
        kernel = SimulatedKernel(.modern, [])
        #expect(try perform(SetSecureConnections(.only), &kernel).0 == .success)
        #expect(kernel.settings.contains(.secureConnections))
        #expect(try perform(SetBondable(false), &kernel).0 == .success)
        #expect(try perform(SetIOCapability(.keyboardOnly), &kernel).0 == .success)
        #expect(try perform(LoadIdentityResolvingKeys([]), &kernel).0 == .success)
        let command = try accepted(&kernel, .displayYesNo)
        #expect(command.request.requirements == [.manInTheMiddleProtection, .secureConnections])
        #expect(command.request.responderKeys == [.identity] && command.demandsSecureConnections)
    }

    @Test func `refusals have the status that Linux gives`() throws {
        var kernel = SimulatedKernel(.modern, [])
        let reply = UserConfirmationReply(Self.address)
        #expect(try perform(reply, &kernel).0 == .notConnected)
        #expect(try perform(CancelPairDevice(Self.address), &kernel).0 == .invalidParameters)
        #expect(try perform(UnpairDevice(Self.address, disconnects: true), &kernel).0 == .notPaired)
        #expect(try perform(SetPrivacy(.on, key: SecurityKey(1)), &kernel).0 == .rejected)
        let basicRate = ManagementAddress(Self.device.address, .basicRate)
        #expect(try perform(PairDevice(basicRate, capability: .displayOnly), &kernel).0 == .invalidParameters)
        let command = try accepted(&kernel)
        #expect(try perform(PairDevice(Self.address, capability: .displayOnly), &kernel).0 == .busy)
        #expect(try perform(reply, &kernel).1.contains(.answered(.confirmed(true))))
        let (status, cancelled) = try perform(CancelPairDevice(Self.address), &kernel)
        #expect(status == .success && cancelled.first == .endPairing(.cancelled))
        _ = kernel.pairingFailed(.cancelled, command)
        #expect(kernel.pairing == nil)
        var off = SimulatedKernel(.modern, [.off])
        #expect(try perform(PairDevice(Self.address, capability: .displayOnly), &off).0 == .notPowered)
        #expect(try perform(SetPrivacy(.on, key: SecurityKey(1)), &off).0 == .success)
        var unauthorized = SimulatedKernel(.modern, [.unauthorized])
        #expect(try perform(SetBondable(true), &unauthorized).0 == .permissionDenied)
        #expect(try perform(LoadLongTermKeys([]), &unauthorized).0 == .permissionDenied)
    }

    @Test func `a failure is reported to the others, and its command is answered`() throws {
        var kernel = SimulatedKernel(.modern, [])
        let actions = kernel.pairingFailed(.authenticationFailed, try accepted(&kernel))
        guard case .reply(let answer)? = actions.first, case .event(let event)? = actions.last else {
            Issue.record("not expected: \(actions)")
            return
        }
        guard case .known(let complete as ManagementCommandCompleteEvent) = try ManagementEvent(answer) else {
            Issue.record("not expected: \(answer)")
            return
        }
        #expect(complete.opcode == PairDevice.opcode && complete.status == .authenticationFailed)
        let failed = AuthenticationFailedEvent(Self.address, status: .authenticationFailed)
        #expect(try ManagementEvent(event) == .known(failed))
    }

    @Test func `keys are reported before the command is complete, and are then in use`() throws {
        var kernel = SimulatedKernel(.modern, [])
        let address = SimulatedKeys.privateAddress(of: Self.device, life: .seconds(900), after: .zero)
        let command = try accepted(&kernel)
        let (keys, end) = kernel.paired(Self.agreement, command, identity: Self.identity, address: address)
        let events = try keys.compactMap { action -> ManagementEvent? in
            guard case .event(let packet) = action else { return nil }
            return try ManagementEvent(packet)
        }
        guard events.count == 2, case .known(let identity as NewIdentityResolvingKeyEvent) = events[0],
            case .known(let key as NewLongTermKeyEvent) = events[1]
        else {
            Issue.record("not expected: \(events)")
            return
        }
        #expect(identity.isToBeStored && identity.privateAddress == address.address)
        #expect(key.isToBeStored && key.key.device == Self.address && key.key.kind == .unauthenticatedP256)
        #expect(end.count == 1 && kernel.keys.identity(of: address) == Self.device)
        #expect(try perform(PairDevice(Self.address, capability: .displayOnly), &kernel).0 == .alreadyPaired)
        kernel.linkEnded(with: Self.device)
        let (status, actions) = try perform(UnpairDevice(Self.address, disconnects: true), &kernel)
        #expect(status == .success && actions.contains(.disconnect(Self.device)))
        #expect(actions.last == .event(DeviceUnpairedEvent(Self.address).packet(about: Self.hci0)))
        #expect(kernel.keys.identity(of: address) == address && kernel.keys.longTermKeys.isEmpty)
    }

    @Test func `without a bond, or without an identity, the keys are dropped with the link`() throws {
        let address = SimulatedKeys.privateAddress(of: Self.device, life: .seconds(900), after: .zero)
        let passing = PairingAgreement(
            method: .justWorks,
            isSecureConnections: true,
            keySize: 16,
            isBonding: false,
            initiatorKeys: [],
            responderKeys: []
        )
        for known in [Self.device, address] {
            var kernel = SimulatedKernel(.modern, [])
            let command = try accepted(&kernel)
            let (keys, _) = kernel.paired(passing, command, identity: Self.identity, address: known)
            guard case .event(let packet)? = keys.first,
                case .known(let key as NewLongTermKeyEvent) = try ManagementEvent(packet)
            else {
                Issue.record("not expected: \(keys)")
                return
            }
            #expect(!key.isToBeStored && key.key.device.device == known)
            #expect(kernel.keys.isPaired(with: known))
            kernel.linkEnded(with: known)
            #expect(!kernel.keys.isPaired(with: known))
        }
    }

    @Test func `loaded keys replace all others, and need addresses that do not change`() throws {
        var kernel = SimulatedKernel(.modern, [])
        func key(_ device: DeviceAddress) -> LongTermKey {
            LongTermKey(
                device: ManagementAddress(device),
                kind: .authenticatedP256,
                isCentral: false,
                value: SecurityKey(1)
            )
        }
        #expect(try perform(LoadLongTermKeys([key(Self.device)]), &kernel).0 == .success)
        #expect(kernel.keys.longTermKey(of: Self.device)?.level == .fips)
        let passing = DeviceAddress(BluetoothAddress(rawValue: 0x4000_0000_0001), .random)
        #expect(try perform(LoadLongTermKeys([key(passing)]), &kernel).0 == .invalidParameters)
        #expect(try perform(LoadLongTermKeys([]), &kernel).0 == .success)
        #expect(kernel.keys.longTermKeys.isEmpty)
        let identity = IdentityResolvingKey(device: ManagementAddress(passing), value: SecurityKey(1))
        #expect(try perform(LoadIdentityResolvingKeys([identity]), &kernel).0 == .invalidParameters)
    }

    @Test func `the out-of-band data of the adapter needs power, and has values with Secure Connections only`() throws {
        var kernel = SimulatedKernel(.modern, [])
        func pair() throws -> OutOfBandData.Pair? {
            let (status, actions) = try perform(ReadLocalOutOfBandExtendedData(), &kernel)
            guard status == .success, case .reply(let packet)? = actions.first,
                case .known(let own as ManagementCommandCompleteEvent) = try ManagementEvent(packet)
            else { return nil }
            return try ReadLocalOutOfBandExtendedData.returnParameters(decoding: own.returnParameters).pair
        }
        #expect(try perform(SetSecureConnections(.on), &kernel).0 == .success)
        let on = try #require(try pair())
        #expect(on != .zero && on.hash != on.randomizer)
        #expect(try pair() == on)
        #expect(try perform(SetSecureConnections(.off), &kernel).0 == .success)
        #expect(try pair() == nil)
        #expect(try perform(SetSecureConnections(.on), &kernel).0 == .success)
        #expect(try perform(SetPowered(false), &kernel).0 == .success)
        #expect(try perform(ReadLocalOutOfBandExtendedData(), &kernel).0 == .notPowered)
        #expect(try perform(SetPrivacy(.on, key: SecurityKey(1)), &kernel).0 == .success)
        #expect(try perform(SetPowered(true), &kernel).0 == .success)
        #expect(try perform(ReadLocalOutOfBandExtendedData(), &kernel).0 == .rejected)
    }

    @Test func `a dual-mode controller has Secure Connections only with Secure Simple Pairing`() throws {
        var kernel = SimulatedKernel(.modern, [.lowEnergyOff])
        #expect(try perform(SetLowEnergy(true), &kernel).0 == .success)
        for mode in [SetSecureConnections.Mode.on, .off] {
            #expect(try perform(SetSecureConnections(mode), &kernel).0 == .rejected)
        }
        #expect(try perform(SetSecureSimplePairing(true), &kernel).0 == .success)
        #expect(try perform(SetSecureConnections(.on), &kernel).0 == .success)
        #expect(kernel.settings.isSuperset(of: [.secureSimplePairing, .secureConnections]))
        kernel = SimulatedKernel(.modern, [])
        #expect(try perform(SetSecureSimplePairing(true), &kernel).0 == .rejected)
    }

    @Test func `out-of-band data is kept for the next request`() throws {
        var kernel = SimulatedKernel(.modern, [])
        guard case .reply(let packet)? = try perform(ReadLocalOutOfBandData(), &kernel).1.first,
            case .known(let own as ManagementCommandCompleteEvent) = try ManagementEvent(packet)
        else {
            Issue.record("no answer")
            return
        }
        let data = try ReadLocalOutOfBandData.returnParameters(decoding: own.returnParameters)
        #expect(try perform(SetSecureConnections(.on), &kernel).0 == .success)
        #expect(try perform(AddRemoteOutOfBandData(Self.address, data), &kernel).0 == .success)
        let command = try accepted(&kernel)
        #expect(command.request.hasOutOfBandData && command.data == data.p256)
        #expect(try perform(RemoveRemoteOutOfBandData(Self.address), &kernel).0 == .success)
        #expect(try perform(RemoveRemoteOutOfBandData(Self.address), &kernel).0 == .invalidParameters)
        #expect(try perform(AddRemoteOutOfBandData(Self.address, data), &kernel).0 == .success)
        let everybody = ManagementAddress(BluetoothAddress(rawValue: 0), .basicRate)
        #expect(try perform(RemoveRemoteOutOfBandData(everybody), &kernel).0 == .success)
        #expect(kernel.keys.outOfBand.isEmpty)
        for number in 0...UInt64(AdapterKeys.outOfBandLimit) {
            let other = ManagementAddress(BluetoothAddress(rawValue: 0xC000_0000_0000 + number), .leRandom)
            let isLast = number == UInt64(AdapterKeys.outOfBandLimit)
            #expect(try perform(AddRemoteOutOfBandData(other, data), &kernel).0 == (isLast ? .failed : .success))
        }
    }
}
