// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Terminal
import Toolkit

/// `blectl l2cap`: netcat over credit-based channels.
///
/// It uses no attributes: `connect` opens an L2CAP channel to a device, and `listen` advertises so that a
/// device can open one.
struct L2CAPRun {
    let options: L2CAPOptions
    let context: CommandContext

    func run() async throws {
        // Opened first, so that a mistake costs no connection.
        let input = try ByteSource(path: "-", blocking: context.process.blocking)
        switch options.action {
        case .connect(let device): try await connect(device, input)
        case .listen(let name): try await listen(as: name, on: context.central().radio, input)
        }
    }

    private func connect(_ options: DeviceOptions, _ input: ByteSource) async throws {
        let connection = try await context.channelConnection(for: options)
        let device = try await connection.reference()
        let connector = ChannelConnector(connection, scope: context.scope)
        try await connector.withChannel(self.options.request, to: device) { channel in
            // The address type is worth remembering as soon as a channel has been opened with it.
            await KnownDevices.rememberConnection(to: device, in: context.stores.state, time: context.time)
            try await ChannelPipe(self.options, over: channel, to: device, input, context).run()
        }
    }

    /// Advertises, and serves the first channel that a device opens.
    private func listen(as name: String, on radio: any Radio, _ input: ByteSource) async throws {
        let action = "listen on \(radio.adapter.name)"
        do {
            // The listener comes first: a device may connect as soon as it receives the advertisement.
            let listener = try radio.listenL2CAP(options.request, onFrame: nil)
            defer { listener.close() }
            // A random static address, for an adapter without an address.
            var generator = SeededGenerator(seed: UInt64(bitPattern: context.time.wallClock.nanoseconds))
            let host = AdvertisingHost(
                [Self.advertisement(name)],
                radio: radio,
                randomAddress: BluetoothAddress(rawValue: generator.next() & 0xFFFF_FFFF_FFFF | 0xC000_0000_0000),
                scope: context.scope,
                time: context.time
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let channel = try await listener.accept()
                    let device = DeviceReference(address: channel.peer, name: nil)
                    try await ChannelPipe(options, over: channel, to: device, input, context).run()
                }
                group.addTask {
                    try await host.advertise { event in
                        if case .remark(let text) = event { context.diagnostics.note(text) }
                        if case .advertising = event {
                            context.caller.onReady?()
                            context.diagnostics.remark("listening on \(options.spsm) as \(name)")
                        }
                        return .goOn
                    }
                }
                // The first task to end decides: the channel has ended, or advertising has failed.
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch let error as RadioError {
            throw BlectlError(error, doing: action)
        }
    }

    private static func advertisement(_ name: String) -> DeviceAdvertising {
        let bytes = Array(name.utf8)
        // Flags: LE General Discoverable, BR/EDR not supported; then the Complete Local Name. Spec: Core
        // Specification Supplement, Part A, 1.2 and 1.3
        let data: [UInt8] = [0x02, 0x01, 0x06, UInt8(bytes.count + 1), 0x09] + bytes
        return DeviceAdvertising(.connectable, interval: .milliseconds(100), data: data)
    }
}
