// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Records
import Terminal
import Toolkit

/// `blectl advertise`: advertises until enough connections have ended, the time is up, or it is interrupted.
struct AdvertiseRun {
    let options: AdvertiseOptions
    let context: CommandContext

    func run() async throws {
        let radio = try await context.central().radio
        // Drawn once, because each access draws another address.
        let random = randomAddress
        let isConnectable = options.sets.contains(where: \.isConnectable)
        let privacy = isConnectable ? try context.advertisedPrivacy(on: radio.adapter) : context.runState.privacy
        let host = AdvertisingHost(
            options.sets,
            radio: radio,
            randomAddress: random,
            privacy: privacy,
            scope: context.scope,
            time: context.time
        )
        let own = radio.adapter.address
        // A controller without a public address reports zeros. It advertises with the random address instead.
        let address = own.rawValue == 0 ? DeviceAddress(random, .random) : DeviceAddress(own, .public)
        let log = AdvertisingLog(
            sets: options.sets,
            adapter: radio.adapter.name,
            address: address,
            limits: options.limits,
            context: context
        )
        // `--duration` counts from here and not from the first report of the log.
        let limits = options.limits
        let ending: RunEnding
        do {
            ending = try await limits.run(context.time, since: context.time.now, log.tally) {
                try await host.advertise { try await log.take($0) }
            }
        } catch let error as RadioError {
            throw BlectlError(error, doing: "advertise on \(radio.adapter.name)")
        }
        if let failure = limits.failure(after: ending, reached: log.tally.count, of: .connection) { throw failure }
        if let remark = ending.remark { context.diagnostics.note(remark) }
    }

    /// A random static address, for an adapter without an address. It is drawn at each start, because a beacon has no
    /// identity to keep.
    private var randomAddress: BluetoothAddress {
        var generator = SeededGenerator(seed: UInt64(bitPattern: context.time.wallClock.nanoseconds))
        // The two most significant bits of a static address are 1. Spec: Core 5.4, Vol 6, Part B, 1.3.2.1
        return BluetoothAddress(rawValue: generator.next() & 0xFFFF_FFFF_FFFF | 0xC000_0000_0000)
    }
}

/// Prints the events of advertising, and counts the connections that have ended.
private actor AdvertisingLog {
    private let sets: [DeviceAdvertising]
    private let adapter: String
    private let context: CommandContext
    private let limits: StopLimits
    private var reference: DeviceReference
    private var isAdvertising = false
    private var isStopping = false

    /// The connections that have ended without blectl closing them.
    nonisolated let tally = Tally()

    init(
        sets: [DeviceAdvertising],
        adapter: String,
        address: DeviceAddress,
        limits: StopLimits,
        context: CommandContext
    ) {
        self.sets = sets
        self.adapter = adapter
        self.limits = limits
        self.context = context
        reference = DeviceReference(address: address, name: sets.lazy.compactMap(\.name).first)
    }

    /// Prints an event; `.stop` when enough connections have ended.
    func take(_ event: AdvertisingEvent) async throws -> ScanProgress {
        let timestamp = Timestamp(context.time)
        // Shows that the run gets on, although only ended connections count for `--count`.
        tally.recordEvent()
        switch event {
        case .advertising(let mode):
            isAdvertising = true
            // All sets become active together, so one event represents all of them.
            for (index, set) in sets.enumerated() {
                let result = AdvertisingResult(
                    advertisement: set,
                    number: index + 1,
                    adapter: adapter,
                    address: reference.address,
                    mode: mode,
                    timestamp: timestamp
                )
                try await context.output.announce(result)
            }
        case .address(let address):
            reference = DeviceReference(address: DeviceAddress(address, .random), name: reference.name)
            // The first one is in the records about the beginning.
            guard isAdvertising else { break }
            try await context.output.report(
                PrivateAddressResult(device: reference, adapter: adapter, timestamp: timestamp)
            )
        case .connected(let connection):
            try await context.output.report(
                ConnectedResult(device: reference, connection: connection, timestamp: timestamp)
            )
        case .disconnected(let connection, let reason):
            let result = DisconnectedResult(
                device: reference,
                connection: connection,
                mtu: nil,
                requests: nil,
                reason: reason,
                timestamp: timestamp
            )
            try await context.output.report(result)
            // The connections that end because blectl stops were not ended by a central.
            if !isStopping { tally.add() }
            if limits.isReached(tally) { return .stop }
        case .remark(let text):
            context.diagnostics.note(text)
        case .stopping:
            isStopping = true
        }
        return .goOn
    }
}
