// SPDX-License-Identifier: MIT

import Bluetooth
import Synchronization
import Testing

@testable import BluetoothHost

/// A store that counts what is written, and that can fail.
private final class CountingBonds: BondStore {
    struct Full: Error {}

    private let state: Mutex<(bonds: [Bond], writes: Int, isFull: Bool)>

    init(_ bonds: [Bond]) { state = Mutex((bonds, 0, false)) }

    var writes: Int { state.withLock { $0.writes } }

    func fill() { state.withLock { $0.isFull = true } }

    func bonds() throws -> [Bond] { state.withLock { $0.bonds } }

    func update(_ change: @Sendable ([Bond]) -> [Bond]) async throws {
        try state.withLock { state in
            if state.isFull { throw Full() }
            state.bonds = change(state.bonds)
            state.writes += 1
        }
    }
}

@Suite("Signatures with the keys of bonds (Vol 3, Part H, 2.4.5)")
struct BondSignaturesTests {
    private static let adapter = BluetoothAddress(rawValue: 0x0011_2233_4455)
    private static let device = DeviceAddress(BluetoothAddress(rawValue: 0xC411_2233_4455), .random)
    private static let (own, theirs) = (SecurityKey(5), SecurityKey(6))

    private static func store(
        own counter: UInt32? = 0,
        theirs seen: UInt32? = 0,
        _ kind: SignatureResolvingKey.Kind = .unauthenticatedRemote
    ) -> CountingBonds {
        let address = ManagementAddress(device)
        var signing: [Bond.Signing] = []
        if let seen { signing.append(.init(key: .init(device: address, kind: kind, value: theirs), counter: seen)) }
        if let counter {
            signing.append(
                .init(key: .init(device: address, kind: .unauthenticatedLocal, value: own), counter: counter)
            )
        }
        return CountingBonds([
            Bond(
                adapter: adapter,
                device: device,
                longTermKeys: [],
                signing: signing,
                since: WallTime(nanosecondsSince1970: 0)
            )
        ])
    }

    private func write(_ counter: UInt32, _ key: SecurityKey = theirs) throws -> SignedWriteCommand {
        guard
            case .signedWrite(let write) = try SignedWrite([1], to: 3, signedWith: key, counter: counter)
                .command(mtu: 23)
        else { throw DecodeError("Opcode", .invalid(value: 0)) }
        return write
    }

    @Test func `each number is stored before it is returned, and returned once`() async throws {
        let store = Self.store(own: 41)
        let signatures = BondSignatures(store, of: Self.adapter)
        for counter in 41...43 as ClosedRange<UInt32> {
            let taken = try await signatures.take(for: Self.device)
            #expect(taken.key == Self.own && taken.counter == counter)
            #expect(try store.bonds().first?.signing.last?.counter == counter + 1)
        }
        // Another process has the same store.
        #expect(try await BondSignatures(store, of: Self.adapter).take(for: Self.device).counter == 44)
    }

    @Test func `a number that cannot be stored is not returned`() async throws {
        let store = Self.store()
        store.fill()
        await #expect(throws: CountingBonds.Full.self) {
            try await BondSignatures(store, of: Self.adapter).take(for: Self.device)
        }
    }

    @Test func `the error says what is missing, and nothing is written`() async throws {
        let cases: [(CountingBonds, BluetoothAddress, BondSignatures.Lack)] = [
            (CountingBonds([]), Self.adapter, .bond),
            (Self.store(), BluetoothAddress(rawValue: 1), .bond),
            (Self.store(own: nil), Self.adapter, .key),
            (Self.store(own: .max), Self.adapter, .numbers),
        ]
        for (store, adapter, lack) in cases {
            await #expect(throws: lack) {
                try await BondSignatures(store, of: adapter).take(for: Self.device)
            }
            #expect(store.writes == 0)
        }
    }

    @Test func `an accepted number makes itself and all smaller ones invalid`() async throws {
        let store = Self.store()
        let signatures = BondSignatures(store, of: Self.adapter)
        let unauthenticated = SignatureVerdict.valid(isAuthenticated: false)
        for (counter, verdict) in [
            (0, unauthenticated), (0, .replayed), (7, unauthenticated), (7, .replayed), (6, .replayed),
            (8, unauthenticated), (.max, .replayed),
        ] as [(UInt32, SignatureVerdict)] {
            #expect(try await signatures.verdict(on: write(counter), from: Self.device) == verdict, "\(counter)")
        }
        #expect(try store.bonds().first?.signing.first?.counter == 9)
    }

    @Test func `a signature without a valid key writes nothing to the store`() async throws {
        let store = Self.store()
        let signatures = BondSignatures(store, of: Self.adapter)
        #expect(try await signatures.verdict(on: write(0, Self.own), from: Self.device) == .wrong)
        let stranger = DeviceAddress(BluetoothAddress(rawValue: 1), .public)
        #expect(try await signatures.verdict(on: write(0), from: stranger) == nil)
        let keyless = BondSignatures(Self.store(theirs: nil), of: Self.adapter)
        #expect(try await keyless.verdict(on: write(0), from: Self.device) == nil)
        #expect(store.writes == 0)
    }

    @Test func `a write whose number cannot be stored is not accepted`() async throws {
        let store = Self.store()
        store.fill()
        await #expect(throws: CountingBonds.Full.self) {
            try await BondSignatures(store, of: Self.adapter).verdict(on: try write(0), from: Self.device)
        }
    }

    @Test func `the protection of the key is reported`() async throws {
        let signatures = BondSignatures(Self.store(.authenticatedRemote), of: Self.adapter)
        let verdict = try await signatures.verdict(on: write(0), from: Self.device)
        #expect(verdict == .valid(isAuthenticated: true))
    }
}

extension BondSignaturesTests {
    private static func store(_ kind: SignatureResolvingKey.Kind) -> CountingBonds { store(own: 0, theirs: 0, kind) }
}
