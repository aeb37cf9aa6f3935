// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost

/// `blectl advertise`: advertises until enough connections have ended, the time is up, or it is interrupted.
struct AdvertiseCommand {
    let options: AdvertiseOptions
    let context: CommandContext

    init(_ options: AdvertiseOptions, _ context: CommandContext) {
        self.options = options
        self.context = context
    }

    func run() async throws {
        let radio = try await context.central().radio
        let random = randomAddress
        let host = AdvertisingHost(
            options.sets,
            radio: radio,
            randomAddress: random,
            scope: context.scope,
            time: context.time
        )
        let own = radio.adapter.address
        let address = own.rawValue == 0 ? DeviceAddress(random, .random) : DeviceAddress(own, .public)
        let log = AdvertisingLog(
            sets: options.sets,
            adapter: radio.adapter.name,
            address: address,
            limits: options.limits,
            context: context
        )
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

    /// A random static address, for an adapter that has no address of its own. It is drawn anew each time, because a
    /// beacon has no identity to keep.
    private var randomAddress: BluetoothAddress {
        var generator = SeededGenerator(seed: UInt64(bitPattern: context.time.wallClock.nanoseconds))
        return BluetoothAddress(rawValue: generator.next() & 0xFFFF_FFFF_FFFF | 0xC000_0000_0000)
    }
}

/// Prints the events of advertising, and counts the connections that have ended.
private actor AdvertisingLog {
    private let sets: [DeviceAdvertising]
    private let adapter: String
    private let context: CommandContext
    private let limits: StopLimits
    /// The advertiser as results name it.
    private let reference: DeviceReference
    private var isStopping = false

    /// The connections that have ended by themselves.
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
        tally.recordEvent()
        switch event {
        case .advertising(let mode):
            for (index, set) in sets.enumerated() {
                let result = AdvertisingResult(
                    advertisement: set,
                    number: index + 1,
                    adapter: adapter,
                    address: reference.address,
                    mode: mode,
                    timestamp: timestamp
                )
                try await context.output.emit(result)
            }
        case .connected(let connection):
            try await context.output.emit(
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
            try await context.output.emit(result)
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
