// SPDX-License-Identifier: MIT

package import Bluetooth
package import BluetoothHost
import Synchronization

/// A machine with one adapter: a controller at the other end of a transport, on which this process is the host.
///
/// It needs no Bluetooth of the kernel, and nobody else can use the controller meanwhile. The controller is touched when
/// an adapter is needed, because many commands need none: those that use a session's link, for example.
package final class ControllerRadioSystem: RadioSystem {
    package let time: any TimeSource
    private let name: String
    private let randomAddress: BluetoothAddress
    private let random: PairingRandom
    private let keep: @Sendable (BluetoothAddress) async -> Void
    private let scope: TaskScope
    private let revive: @Sendable (RadioError, _ attempt: Int) async throws(RadioError) -> Void
    private let connect: @Sendable () async throws(RadioError) -> any PacketChannel
    /// Held while the controller is brought up, which happens once.
    private let preparation = AsyncLock()
    private let radio = Mutex<ControllerRadio?>(nil)

    /// Creates a machine. Opens nothing yet.
    ///
    /// - Parameters:
    ///   - name: The name of the adapter, such as `tcp:localhost:6402`.
    ///   - randomAddress: The address of a controller without a public one: static, with two ones at the top. By default
    ///     another one each time.
    ///   - random: The unpredictable numbers of pairings.
    ///   - keep: Called with the address to which bonds belong: if it is the random one, for the next time.
    ///   - scope: The scope of the host. It has to last until `shutDown` has returned.
    ///   - time: The clock of all deadlines.
    ///   - revive: Called with the error of an attempt to bring the controller up, and the number of attempts. Another
    ///     attempt follows if it returns. By default it throws the error.
    ///   - connect: Opens the way to the controller: its `receive` gives octets of an H4 stream, in pieces of any length.
    package init(
        _ name: String,
        randomAddress: BluetoothAddress? = nil,
        random: PairingRandom = .system,
        keep: @escaping @Sendable (BluetoothAddress) async -> Void = { _ in },
        scope: TaskScope,
        time: any TimeSource,
        revive: @escaping @Sendable (RadioError, _ attempt: Int) async throws(RadioError) -> Void = {
            (error, _) throws(RadioError) in throw error
        },
        connect: @escaping @Sendable () async throws(RadioError) -> any PacketChannel
    ) {
        self.name = name
        self.randomAddress =
            randomAddress ?? BluetoothAddress(rawValue: .random(in: 1...0x3FFF_FFFF_FFFE) | 0xC000_0000_0000)
        self.random = random
        self.keep = keep
        self.scope = scope
        self.time = time
        self.revive = revive
        self.connect = connect
    }

    /// Resets the controller, and brings it up.
    package func prepare() async throws(RadioError) {
        do {
            try await preparation.withLock {
                var attempt = 0
                while radio.withLock({ $0 == nil }) {
                    do {
                        try await begin()
                    } catch let error as RadioError {
                        attempt += 1
                        try await revive(error, attempt)
                    }
                }
            }
        } catch let error as RadioError {
            throw error
        } catch {
            throw RadioError(.cancelled, during: name, on: name)
        }
    }

    /// Brings the controller up, once.
    private func begin() async throws(RadioError) {
        let transport = try await connect()
        let host = ControllerHost(
            name,
            over: transport,
            randomAddress: randomAddress,
            random: random,
            scope: scope,
            time: time
        )
        do throws(RadioError) {
            let facts = try await host.start()
            var adapter = AdapterDescription(facts, named: name)
            if facts.ownAddressType == .random { adapter.staticAddress = randomAddress }
            await keep(adapter.bondAddress)
            radio.withLock { $0 = ControllerRadio(host: host, adapter: adapter) }
        } catch {
            transport.close()
            throw error
        }
    }

    package func adapters() async throws(RadioError) -> [AdapterDescription] {
        try await prepare()
        return radio.withLock { $0.map { [$0.adapter] } ?? [] }
    }

    /// The only radio, for any name. Throws before `prepare`.
    package func radio(named name: String?) throws(RadioError) -> any Radio {
        guard let radio = radio.withLock({ $0 }) else { throw RadioError(.noAdapter, during: self.name) }
        return radio
    }

    /// A channel for pairings and keys, which takes the commands of the kernel's management interface. Those that switch
    /// the adapter are not supported. Throws before `prepare`.
    package func openManagement() throws(RadioError) -> any ManagementChannel {
        guard let radio = radio.withLock({ $0 }) else { throw RadioError(.noAdapter, during: name) }
        return try radio.host.openManagement()
    }

    /// Ends all links, and closes the transport. Nothing can be opened afterwards.
    package func shutDown() async { await radio.withLock { $0 }?.host.shutDown() }
}

extension AdapterDescription {
    fileprivate init(_ facts: ControllerFacts, named name: String) {
        self.init(
            name: name,
            index: 0,
            address: facts.publicAddress,
            state: .up,
            bus: ControllerPlace(name)?.bus ?? "socket",
            manufacturer: facts.company,
            hciVersion: facts.hciVersion,
            lmpFeatures: facts.lmpFeatures,
            leFeatures: facts.leFeatures
        )
        isLowEnergyOn = true
    }
}
