// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost

@Suite("The course of a pairing")
struct PairingProcessTests {
    private static let device = DeviceAddress(BluetoothAddress(rawValue: 0x7A11_2233_4455), .random)
    private static let identity = DeviceAddress(BluetoothAddress(rawValue: 0xC411_2233_4455), .random)
    private static let address = ManagementAddress(device)
    private static let other = ManagementAddress(BluetoothAddress(rawValue: 1), .lePublic)

    private static func key(
        _ kind: LongTermKey.Kind = .authenticatedP256,
        of device: ManagementAddress = address,
        isToBeStored: Bool = true
    ) -> ManagementEvent {
        let key = LongTermKey(device: device, kind: kind, isCentral: true, value: SecurityKey(5))
        return .known(NewLongTermKeyEvent(isToBeStored: isToBeStored, key))
    }

    private func started(_ total: Duration = .seconds(10), wantsBond: Bool = true) -> PairingProcess {
        var process = PairingProcess(Self.device, wantsBond: wantsBond, limits: .init(total: total))
        #expect(process.start(now: .zero) == [.pair, .report(.started)])
        #expect(process.start(now: .zero) == [])
        return process
    }

    private func moment(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

    private func outcome(_ actions: [PairingProcess.Action]) -> Result<Pairing, PairingError>? {
        for action in actions { if case .finished(let result) = action { return result } }
        return nil
    }

    private func problem(_ actions: [PairingProcess.Action]) -> PairingError.Problem? {
        guard case .failure(let error) = outcome(actions) else { return nil }
        return error.problem
    }

    @Test("keys arrive under the identity address, and so does the bond")
    func identity() throws {
        var process = started()
        let key = IdentityResolvingKey(device: ManagementAddress(Self.identity), value: SecurityKey(9))
        let event = NewIdentityResolvingKeyEvent(isToBeStored: true, privateAddress: Self.device.address, key)
        #expect(process.received(.known(event), now: .zero) == [.report(.received(.identity))])
        let keys = process.received(Self.key(of: ManagementAddress(Self.identity)), now: .zero)
        #expect(keys == [.report(.received(.longTerm))])
        let pairing = try #require(try outcome(process.completed(.success(()), now: .zero))?.get())
        #expect(pairing.device == Self.identity && pairing.isBonded)
        let adapter = BluetoothAddress(rawValue: 0x0011_2233_4455)
        let bond = try #require(pairing.bond(of: adapter, name: "x", since: WallTime(nanosecondsSince1970: 7)))
        #expect(bond.level == .fips && bond.keys == [.longTerm, .identity])
        #expect(bond.owns(Self.identity) && !bond.owns(Self.device))
        #expect("\(bond)".contains("(hidden)"))
    }

    @Test("an identity key of zeros is ignored, but its identity address is used")
    func identityOfZeros() throws {
        var process = started()
        let key = IdentityResolvingKey(device: ManagementAddress(Self.identity), value: .zero)
        let event = NewIdentityResolvingKeyEvent(isToBeStored: true, privateAddress: Self.device.address, key)
        #expect(process.received(.known(event), now: .zero) == [])
        _ = process.received(Self.key(of: ManagementAddress(Self.identity)), now: .zero)
        let pairing = try #require(try outcome(process.completed(.success(()), now: .zero))?.get())
        #expect(pairing.device == Self.identity && pairing.identityKey == nil)
    }

    @Test("keys authenticated without a question come from out-of-band data")
    func outOfBand() throws {
        let cases: [(LongTermKey.Kind, PairingMethod?)] = [
            (.authenticatedP256, .outOfBand), (.unauthenticatedP256, nil),
        ]
        for (kind, method) in cases {
            var process = started()
            _ = process.received(Self.key(kind), now: .zero)
            let pairing = try #require(try outcome(process.completed(.success(()), now: .zero))?.get())
            #expect(pairing.method == method)
        }
    }

    @Test("keys after the completion are awaited for a limited time")
    func lateKeys() throws {
        var process = started()
        #expect(process.completed(.success(()), now: .zero) == [])
        #expect(process.nextDeadline == moment(2))
        #expect(process.received(Self.key(of: Self.other), now: .zero) == [])
        #expect(process.received(Self.key(), now: .zero).count == 2)
        var keyless = started()
        _ = keyless.completed(.success(()), now: .zero)
        let pairing = try #require(try outcome(keyless.timerFired(now: moment(2)))?.get())
        #expect(!pairing.isBonded)
        var bondless = started(wantsBond: false)
        #expect(bondless.completed(.success(()), now: .zero).count == 1)
    }

    @Test("prompts are asked once, answered, and do not count against the time limit")
    func prompts() {
        var process = started()
        let compare = UserConfirmationRequestEvent(Self.address, isOnlyConsent: false, value: 123_456)
        let foreign = UserConfirmationRequestEvent(Self.other, isOnlyConsent: false, value: 1)
        #expect(process.received(.known(foreign), now: moment(4)) == [])
        #expect(process.received(.known(compare), now: moment(4)) == [.ask(.compare(123_456))])
        #expect(process.received(.known(compare), now: moment(4)) == [])
        #expect(process.nextDeadline == moment(34))
        #expect(process.answered(.yes, now: moment(20)).last == .reply(isConfirmed: true))
        #expect(process.nextDeadline == moment(26))
        #expect(
            process.received(.known(UserPasskeyRequestEvent(Self.address)), now: moment(21)) == [.ask(.enterPasskey)]
        )
        #expect(process.answered(.passkey(42), now: moment(22)).last == .replyPasskey(42))
        #expect(process.answered(.passkey(42), now: moment(22)) == [])
    }

    @Test("a no of the person is the reason of the failure that follows")
    func declined() {
        var process = started()
        let event = UserConfirmationRequestEvent(Self.address, isOnlyConsent: true, value: 0)
        #expect(process.received(.known(event), now: .zero) == [.ask(.consent)])
        #expect(process.answered(.no, now: .zero).last == .reply(isConfirmed: false))
        #expect(problem(process.completed(.failure(.rejected(.authenticationFailed)), now: .zero)) == .declined)
    }

    @Test("a shown passkey gives a person time to enter it")
    func shown() {
        var process = started()
        let shown = PasskeyNotifyEvent(Self.address, passkey: 7)
        #expect(process.received(.known(shown), now: moment(1)) == [.report(.showPasskey(7))])
        #expect(process.nextDeadline == moment(31))
        let entered = PasskeyNotifyEvent(Self.address, passkey: 7, enteredCount: 3)
        #expect(process.received(.known(entered), now: moment(2)) == [.report(.digitsEntered(3))])
        #expect(process.nextDeadline == moment(31))
    }

    @Test("silence ends with the cancelled command, and the kernel's answer to it is not the reason")
    func silence() {
        var process = started(.seconds(5))
        #expect(process.timerFired(now: moment(4)) == [])
        #expect(process.timerFired(now: moment(5)) == [.cancel])
        #expect(problem(process.completed(.failure(.rejected(.cancelled)), now: moment(5))) == .timedOut(.seconds(5)))
        var silent = started(.seconds(5))
        _ = silent.timerFired(now: moment(5))
        #expect(problem(silent.timerFired(now: moment(6))) == .timedOut(.seconds(5)))
    }

    @Test("a cancelled pairing is undone, even if it has succeeded meanwhile")
    func cancelled() {
        var process = started()
        #expect(process.cancelled(now: .zero) == [.cancel])
        #expect(process.cancelled(now: .zero) == [])
        #expect(process.completed(.success(()), now: .zero) == [.unpair, .finished(nil)])
        #expect(process.received(Self.key(), now: .zero) == [])
    }

    @Test("the reason seen on the link precedes the kernel's, and the end of the link precedes none")
    func reasons() {
        var observed = started()
        #expect(observed.observed(.pairingFailed(.confirmValueFailed)) == [])
        #expect(observed.observed(.pairingFailed(.busy)) == [])
        let failure = ManagementCommandFailure.rejected(.authenticationFailed)
        #expect(problem(observed.completed(.failure(failure), now: .zero)) == .failed(.confirmValueFailed))
        var lost = started()
        let end = RadioError(.closedByPeer(nil), during: "test")
        #expect(lost.linkEnded(end, now: .zero) == [])
        #expect(problem(lost.completed(.failure(.rejected(.disconnected)), now: .zero)) == .linkEnded(end))
        var unheard = started()
        _ = unheard.linkEnded(end, now: .zero)
        #expect(unheard.timerFired(now: moment(1)) == [.cancel])
        #expect(problem(unheard.timerFired(now: moment(2))) == .linkEnded(end))
        var known = started()
        #expect(problem(known.completed(.failure(.rejected(.alreadyPaired)), now: .zero)) == .rejected(.alreadyPaired))
    }
}
