// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Scripting
@testable import Toolkit

@Suite("The guard of a device's link")
struct DeviceLinkGuardTests {
    // MARK: - Bonds

    @Test func `a link is encrypted with the key of its bond, and a lost key is reported`() throws {
        try PairingBench.run { bench in
            try await bench.bonds.keep(bench.bond(with: .justWorks, .unauthenticatedP256))
            guard case .encrypt(let otherwise) = try await bench.verdict(.justWorks, to: .medium) else {
                Issue.record("the kernel may use the key")
                return
            }
            let error = try #require(otherwise as? BlectlError)
            #expect(error.message.contains("could not be encrypted with the key of the bond"))
            #expect(error.hint?.contains("blectl unpair C5:EC:00:00:00:01, then blectl pair") == true)
        }
    }

    @Test func `a bond that is too weak is refused, even if a person could be asked`() throws {
        for answers in [nil, "y\n"] {
            try PairingBench.run(typing: answers) { bench in
                let bond = bench.bond(with: .compare, .unauthenticatedP256)
                try await bench.bonds.keep(bond)
                let error = try await bench.refusal(.compare, to: .high)
                #expect(error.status == .protocolError)
                #expect(error.message.contains("the keys of the bond give no more than the security 'medium'"))
                #expect(error.hint?.hasPrefix("blectl unpair C5:EC:00:00:00:04, then blectl pair ") == true)
                #expect(try bench.bonds.bonds() == [bond])
            }
        }
    }

    @Test(arguments: [
        (AdapterTrait.managed, CommandLineInterface.ExitStatus.configurationError, "bluetoothd manages hci0"),
        (.unauthorized, .permissionDenied, "the kernel could not be given the keys of its bond"),
    ])
    func `keys that the kernel lacks are not ignored`(
        _ trait: AdapterTrait,
        _ status: CommandLineInterface.ExitStatus,
        _ reason: String
    ) throws {
        try PairingBench.run([trait], typing: "y\n") { bench in
            try await bench.bonds.keep(bench.bond(with: .justWorks, .unauthenticatedP256))
            let error = try await bench.refusal(.justWorks, to: .medium)
            #expect(error.status == status && error.message.contains(reason), "\(error.message)")
        }
    }

    @Test func `failures of an adapter or another program may pass, and missing keys or proof do not`() throws {
        try PairingBench.run { bench in
            let reference = DeviceReference(address: PairingBench.Partner.justWorks.address, name: nil)
            let linkGuard = DeviceLinkGuard(
                device: reference,
                radio: bench.radio,
                kernel: bench.kernel,
                context: bench.context
            )
            #expect(linkGuard.mayPass(RadioError(.adapterDown, during: "test")))
            #expect(linkGuard.mayPass(BlectlError(.temporaryFailure, cannot: "pair", "another program is connected")))
            #expect(!linkGuard.mayPass(BlectlError(.protocolError, cannot: "pair", "the key is too weak")))
            #expect(!linkGuard.mayPass(BlectlError(.configurationError, cannot: "pair", "bluetoothd manages hci0")))
        }
    }

    // MARK: - No bond

    @Test func `a socket has no pairing`() throws {
        try PairingBench.run { bench in
            let wire = Wire(base: bench.radio)
            guard case .raise(otherwise: nil) = try await bench.verdict(.justWorks, to: .medium, through: wire) else {
                Issue.record("the other end is asked for the security")
                return
            }
            #expect(try bench.bonds.bonds().isEmpty && bench.messages.lines.isEmpty)
        }
    }

    @Test func `the agent of a manager can ask a person, where a level needs one`() throws {
        try PairingBench.run([.managed]) { bench in
            guard case .raise(otherwise: nil) = try await bench.verdict(.compare, to: .high) else {
                Issue.record("the kernel pairs")
                return
            }
            #expect(bench.messages.lines.isEmpty)
        }
    }

    @Test func `without the capability the kernel may have the keys, and otherwise the lack is the error`() throws {
        try PairingBench.run([.unauthorized]) { bench in
            guard case .raise(let otherwise?) = try await bench.verdict(.justWorks, to: .medium) else {
                Issue.record("the kernel is tried")
                return
            }
            #expect((otherwise as? BlectlError)?.status == .permissionDenied)
        }
    }

    @Test func `a level that needs a person is refused without one`() throws {
        try PairingBench.run { bench in
            let error = try await bench.refusal(.compare, to: .high)
            #expect(error.message.contains("the security 'high' needs a pairing that proves who the device is"))
            #expect(error.hint == "blectl pair C5:EC:00:00:00:04 --passkey DIGITS")
            #expect(try bench.bonds.bonds().isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `a device that agrees is paired with, the keys are kept, and a record reports it`(_ isJSON: Bool) throws {
        try PairingBench.run(isJSON: isJSON) { bench in
            guard case .paired(isKept: true) = try await bench.verdict(.justWorks, to: .medium) else {
                Issue.record("it is paired with on this link")
                return
            }
            #expect(try bench.bonds.bonds().map(\.level) == [.medium])
            #expect(bench.messages.lines.filter { $0.hasPrefix("paired with ") }.count == 1)
            #expect(bench.records.records.map(\.type) == (isJSON ? ["paired"] : []))
        }
    }

    @Test func `a part of another command reports a pairing in its remarks only`() throws {
        try PairingBench.run(isJSON: true) { bench in
            var step = bench
            step.context = step.context.withoutPairingRecords()
            _ = try await step.verdict(.justWorks, to: .medium)
            #expect(bench.messages.lines.count { $0.hasPrefix("paired with ") } == 1)
            #expect(bench.records.records.isEmpty)
        }
    }

    // MARK: - A person

    @Test(arguments: [SecurityLevel.medium, .high, .fips])
    func `a person is asked for the passkey, and the bond proves the device`(_ level: SecurityLevel) throws {
        try PairingBench.run(typing: "271828\n") { bench in
            guard case .paired(isKept: true) = try await bench.verdict(.passkeyShown, to: level) else {
                Issue.record("it is paired with on this link")
                return
            }
            #expect(try bench.bonds.bonds().map(\.level) == [.fips])
            let told = bench.messages.lines.joined(separator: "\n")
            #expect(told.contains("the six digits that ") && told.contains("by passkey entry: level fips"), "\(told)")
            #expect(!told.contains("271828"))
        }
    }

    @Test func `a wrong passkey is the reason, and no bond is kept`() throws {
        try PairingBench.run(typing: "111111\n") { bench in
            let error = try await bench.refusal(.passkeyShown, to: .medium)
            #expect(error.message.contains("the passkey is wrong"), "\(error.message)")
            #expect(error.hint == "try again")
            #expect(try bench.bonds.bonds().isEmpty)
        }
    }

    @Test(arguments: [("y\n", true), ("n\n", false), ("", false), ("\ny\n", false)])
    func `a person compares digits, and Enter alone means no`(_ answer: String, _ pairs: Bool) throws {
        try PairingBench.run(typing: answer) { bench in
            if pairs {
                _ = try await bench.verdict(.compare, to: .medium)
            } else {
                let error = try await bench.refusal(.compare, to: .medium)
                #expect(error.message.contains("the answer was no"), "\(error.message)")
            }
            #expect(try bench.bonds.bonds().count == (pairs ? 1 : 0))
            #expect(bench.messages.lines.contains { $0.contains(/show [0-9]{6}\? \[y\/N\]/) })
        }
    }

    @Test func `a device without proof is paired with, and lacks the level`() throws {
        try PairingBench.run(typing: "y\n") { bench in
            let error = try await bench.refusal(.justWorks, to: .high)
            #expect(error.message.contains("give no more than the security 'medium'"), "\(error.message)")
            #expect(try bench.bonds.bonds().map(\.level) == [.medium])
            #expect(!bench.messages.lines.contains { $0.contains("[y/N]") }, "nothing has to be asked")
        }
    }

    @Test func `a value that needs authentication is read at a terminal`() throws {
        try PairingBench.run(typing: "271828\n") { bench in
            var options = DeviceOptions()
            let address = PairingBench.Partner.passkeyShown.address
            options.selector = .address(address.address, address.type)
            options.connection.security.raisesOnDemand = true
            let log = OperationLog()
            let target = try AttributeTarget("battery-level")
            try await bench.context.run(
                ReadOperation(ReadOptions(targets: [.attribute(target)])),
                with: try await bench.context.ownConnection(for: options),
                log
            )
            #expect(log.values == ["51"])
        }
    }
}

/// The radio of a socket, which has one device at its other end.
private struct Wire: ForwardingRadio {
    let base: any Radio

    var onlyPeer: DeviceAddress? { PairingBench.Partner.justWorks.address }
}
