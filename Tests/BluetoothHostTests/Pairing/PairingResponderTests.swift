// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("Pairings that centrals ask for")
struct PairingResponderTests {
    private static let phone = DeviceAddress(BluetoothAddress(rawValue: 0x7A11_2233_4455), .random)
    private static let identity = DeviceAddress(BluetoothAddress(rawValue: 0xC411_2233_4455), .random)
    private static let tablet = DeviceAddress(BluetoothAddress(rawValue: 0x0000_1111_2222), .public)
    private static let hci0 = ManagementIndex(0)

    private typealias Report = (central: DeviceAddress, result: Result<Pairing, PairingError>)

    private struct Outcome {
        var reports: [Report]
        var steps: [DeviceAddress: [PairingStep]]
        var sent: [UInt16]
    }

    /// What comes of events of the kernel.
    private func respond(
        answering answer: PairingAnswer? = .yes,
        kernel: @escaping @Sendable (ManagementPacket) -> [ManagementPacket] = { _ in [] },
        _ body: @escaping @Sendable (ScriptedKernel, PairingResponder, any TimeSource) async throws -> Void
    ) throws -> Outcome {
        try inVirtualTime { time, scope in
            let system = ScriptedKernel(time, answer: kernel)
            let manager = try AdapterManager.open(system, scope: scope, time: time)
            let responder = PairingResponder(manager, on: Self.hci0, scope: scope, time: time)
            let reports = Mutex<[Report]>([])
            let people = Mutex<[DeviceAddress: Answers]>([:])
            let task = scope.spawnCancellable {
                await responder.run { central in
                    let person = Answers(given: answer)
                    people.withLock { $0[central] = person }
                    return person
                } report: { central, result in
                    reports.withLock { $0.append((central, result)) }
                }
            }
            try await time.sleep(for: .milliseconds(1))
            try await body(system, responder, time)
            task.cancel()
            await manager.close()
            return Outcome(
                reports: reports.withLock { $0 },
                steps: people.withLock { $0.mapValues(\.steps) },
                sent: system.sent
            )
        }
    }

    private static func event(_ event: some ManagementEventParameters) -> ManagementPacket { event.packet(about: hci0) }

    private static func keys(of device: DeviceAddress) -> [ManagementPacket] {
        let address = ManagementAddress(device)
        func signature(_ kind: SignatureResolvingKey.Kind) -> ManagementPacket {
            event(
                NewSignatureResolvingKeyEvent(
                    isToBeStored: true,
                    SignatureResolvingKey(device: address, kind: kind, value: SecurityKey(7))
                )
            )
        }
        let key = LongTermKey(device: address, kind: .authenticatedP256, isCentral: false, value: SecurityKey(5))
        return [
            signature(.authenticatedRemote), signature(.authenticatedLocal),
            event(NewLongTermKeyEvent(isToBeStored: true, key)),
        ]
    }

    @Test func `digits are compared, and the bond of the identity has all keys`() throws {
        let outcome = try respond { kernel, _, time in
            let phone = ManagementAddress(Self.phone)
            kernel.tell([Self.event(UserConfirmationRequestEvent(phone, isOnlyConsent: false, value: 123_456))])
            try await time.sleep(for: .seconds(1))
            let key = IdentityResolvingKey(device: ManagementAddress(Self.identity), value: SecurityKey(9))
            kernel.tell(
                [
                    Self.event(
                        NewIdentityResolvingKeyEvent(isToBeStored: true, privateAddress: Self.phone.address, key)
                    )
                ] + Self.keys(of: Self.identity)
            )
            try await time.sleep(for: .seconds(1))
        }
        #expect(outcome.sent == [UserConfirmationReply.opcode.rawValue])
        #expect(
            outcome.steps[Self.phone] == [
                .started, .answered(.compare(123_456), .yes), .received(.identity), .received(.signature),
                .received(.ownSignature), .received(.longTerm),
            ]
        )
        let report = try #require(outcome.reports.first)
        let pairing = try report.result.get()
        #expect(outcome.reports.count == 1 && report.central == Self.phone)
        #expect(pairing.device == Self.identity && pairing.method == .numericComparison && pairing.isBonded)
        let adapter = BluetoothAddress(rawValue: 1)
        let bond = try #require(pairing.bond(of: adapter, name: nil, since: WallTime(nanosecondsSince1970: 0)))
        #expect(bond.keys == [.longTerm, .identity, .ownSignature, .signature] && bond.level == .fips)
    }

    @Test func `a passkey is shown or entered, whichever side asks`() throws {
        let shown = try respond { kernel, _, time in
            for count in [0, 6] as [UInt8] {
                kernel.tell([
                    Self.event(
                        PasskeyNotifyEvent(ManagementAddress(Self.tablet), passkey: 42, enteredCount: count)
                    )
                ])
            }
            try await time.sleep(for: .milliseconds(1))
            kernel.tell(Self.keys(of: Self.tablet))
            try await time.sleep(for: .seconds(1))
        }
        #expect(shown.steps[Self.tablet]?.prefix(3) == [.started, .showPasskey(42), .digitsEntered(6)])
        #expect(try shown.reports.first?.result.get().method == .passkeyEntry(.responderDisplays))
        let entered = try respond(answering: .passkey(271_828)) { kernel, _, time in
            kernel.tell([Self.event(UserPasskeyRequestEvent(ManagementAddress(Self.tablet)))])
            try await time.sleep(for: .milliseconds(1))
            kernel.tell(Self.keys(of: Self.tablet))
            try await time.sleep(for: .seconds(1))
        }
        #expect(entered.sent == [UserPasskeyReply.opcode.rawValue])
        #expect(try entered.reports.first?.result.get().method == .passkeyEntry(.initiatorDisplays))
    }

    @Test func `two centrals at once are two pairings, also without a prompt`() throws {
        let outcome = try respond { kernel, _, time in
            let (first, second) = (Self.keys(of: Self.identity), Self.keys(of: Self.tablet))
            kernel.tell([first[0], second[0], first[1], second[1], second[2], first[2]])
            try await time.sleep(for: .seconds(1))
        }
        #expect(Set(outcome.reports.map(\.central)) == [Self.identity, Self.tablet])
        for report in outcome.reports {
            let pairing = try report.result.get()
            #expect(pairing.method == .outOfBand && pairing.longTermKeys.count == 1 && pairing.signatureKeys.count == 2)
        }
    }

    @Test func `failures are reported, each with its reason`() throws {
        let phone = ManagementAddress(Self.phone)
        let failed = try respond { kernel, _, time in
            kernel.tell([Self.event(AuthenticationFailedEvent(phone, status: .authenticationFailed))])
            try await time.sleep(for: .seconds(1))
        }
        let declined = try respond(answering: .no) { kernel, _, time in
            kernel.tell([Self.event(UserConfirmationRequestEvent(phone, isOnlyConsent: true, value: 0))])
            try await time.sleep(for: .seconds(1))
            kernel.tell([Self.event(AuthenticationFailedEvent(phone, status: .authenticationFailed))])
            try await time.sleep(for: .seconds(1))
        }
        #expect(declined.sent == [UserConfirmationNegativeReply.opcode.rawValue])
        let gone = try respond(answering: nil) { kernel, _, time in
            kernel.tell([Self.event(UserPasskeyRequestEvent(phone))])
            try await time.sleep(for: .seconds(1))
            kernel.tell([Self.event(DeviceDisconnectedEvent(phone, reason: .closedByPeer))])
            try await time.sleep(for: .seconds(1))
        }
        let silent = try respond(answering: nil) { kernel, _, time in
            kernel.tell([Self.event(UserPasskeyRequestEvent(phone))])
            try await time.sleep(for: .seconds(40))
        }
        let problems = [failed, declined, gone, silent].map { outcome -> PairingError.Problem? in
            guard case .failure(let error)? = outcome.reports.first?.result else { return nil }
            return error.problem
        }
        #expect(
            problems == [
                .rejected(.authenticationFailed), .declined,
                .linkEnded(RadioError(.closedByPeer(nil), during: "pairing")), .timedOut(.seconds(30)),
            ]
        )
    }

    @Test func `a Security Request without a result is reported, unless there is a bond`() throws {
        for (status, count) in [(.authenticationFailed, 1), (.alreadyPaired, 0)] as [(ManagementStatus, Int)] {
            let outcome = try respond { packet in
                let address = ManagementAddress(Self.phone).encoded()
                return [
                    ManagementCommandCompleteEvent(PairDevice.opcode, status: status, returnParameters: address)
                        .packet(about: packet.adapter)
                ]
            } _: { _, responder, time in
                responder.ask(Self.phone, capability: .noInputNoOutput)
                try await time.sleep(for: .seconds(1))
            }
            #expect(outcome.sent == [PairDevice.opcode.rawValue] && outcome.reports.count == count)
        }
    }

    @Test func `a bond is replaced only by authenticated keys that are no weaker`() {
        func bond(_ device: DeviceAddress, _ kind: LongTermKey.Kind, size: UInt8 = 16) -> Bond {
            Bond(
                adapter: BluetoothAddress(rawValue: 1),
                device: device,
                longTermKeys: [
                    LongTermKey(
                        device: ManagementAddress(device),
                        kind: kind,
                        isCentral: false,
                        encryptionSize: size,
                        value: SecurityKey(5)
                    )
                ],
                since: WallTime(nanosecondsSince1970: 0)
            )
        }
        let kinds: [LongTermKey.Kind] = [
            .unauthenticatedLegacy, .unauthenticatedP256, .authenticatedLegacy, .authenticatedP256,
        ]
        let table = kinds.map { old in
            let known = ServedBonds([bond(Self.identity, old)])
            return kinds.map { known.admits(bond(Self.identity, $0)) }
        }
        #expect(
            table == [
                [false, false, true, true], [false, false, true, true], [false, false, true, true],
                [false, false, false, true],
            ]
        )
        // A key of 7 octets can be found by trying all.
        let sizes: [UInt8] = [7, 16]
        let bySize = sizes.map { old in
            let known = ServedBonds([bond(Self.identity, .authenticatedLegacy, size: old)])
            return sizes.map { known.admits(bond(Self.identity, .authenticatedLegacy, size: $0)) }
        }
        #expect(bySize == [[true, true], [false, true]])
        let known = ServedBonds([bond(Self.identity, .authenticatedP256)])
        #expect(known.admits(bond(Self.tablet, .unauthenticatedLegacy)))
        known.replace(with: [])
        #expect(known.isEmpty && known.admits(bond(Self.identity, .unauthenticatedLegacy)))
    }

    @Test func `the number of pairings at once is bounded`() throws {
        let outcome = try respond(answering: nil) { kernel, _, time in
            for number in 1...40 as ClosedRange<UInt64> {
                let address = ManagementAddress(BluetoothAddress(rawValue: number), .lePublic)
                kernel.tell([Self.event(UserPasskeyRequestEvent(address))])
                try await time.sleep(for: .milliseconds(1))
            }
        }
        #expect(outcome.steps.count == 16)
    }
}
