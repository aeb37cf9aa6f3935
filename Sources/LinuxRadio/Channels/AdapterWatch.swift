// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CBlueZ
import Synchronization

/// Ends an HCI channel when its adapter goes down or is removed.
///
/// The kernel reports that by special events, which it sends only to raw sockets that are not bound to an adapter.
/// Without them a scan on an adapter that was switched off would wait without end, because its own socket reports
/// nothing.
final class AdapterWatch: ReadinessHandler {
    private struct State: ~Copyable {
        var descriptor: OwnedFileDescriptor?
        var registration: IOThread.Registration?
    }

    private let index: Int
    private let operation: String
    private let ioThread: IOThread
    private let state: Mutex<State>
    private let end: @Sendable (RadioError) -> Void

    /// Registers a separate socket for the events of all adapters, because only an unbound socket gets these events.
    init(adapter index: Int, ending channel: SocketChannel, on ioThread: IOThread) throws(RadioError) {
        let operation = channel.configuration.operation
        self.index = index
        self.operation = operation
        self.ioThread = ioThread
        end = { [weak channel] in channel?.finish($0) }
        let socket = try RadioError.translating(.hci, "socket", during: operation) { () throws(Errno) in
            let socket = try OwnedFileDescriptor.rawHCI(adapter: HCI_DEV_NONE)
            try HCIFilter.adapters.apply(to: socket)
            return socket
        }
        state = Mutex(State(descriptor: socket))
        try RadioError.translating(.hci, "epoll_ctl", during: operation) { () throws(Errno) in
            try state.withLock { state throws(Errno) in
                state.registration = try state.descriptor?.register(on: ioThread, .readable, for: self)
            }
        }
    }

    deinit { close() }

    func close() {
        state.withLock { state in
            if let registration = state.registration { ioThread.remove(registration) }
            state.registration = nil
            state.descriptor = nil
        }
    }

    func ready(_ readiness: Readiness) {
        while let packet = receive() {
            guard let event = AdapterEvent(packet), event.adapter == index, event.isEnd else { continue }
            // The event does not say why the adapter is down. Its state shows a block by rfkill.
            end(KernelAdapters.explain(RadioError(.adapterDown, during: operation), onAdapter: index))
        }
    }

    func ioThreadEnded(_ reason: IOThread.End) { close() }

    private func receive() -> [UInt8]? {
        state.withLock { state in
            do throws(Errno) {
                return try state.descriptor?.receive(limit: Int(HCI_MAX_EVENT_SIZE))
            } catch {
                return nil
            }
        }
    }
}

/// An event of the kernel about an adapter: hci(7), EVT_STACK_INTERNAL with EVT_SI_DEVICE. Integers are in host order.
struct AdapterEvent: Equatable {
    /// HCI_DEV_REG, HCI_DEV_UNREG, HCI_DEV_UP or HCI_DEV_DOWN.
    let kind: Int32
    let adapter: Int

    init?(_ packet: [UInt8]) {
        var reader = ByteReader(packet)
        do throws(DecodeError) {
            guard try reader.uint8("packet indicator") == HCI_EVENT_PKT,
                try reader.uint8("event code") == EVT_STACK_INTERNAL
            else { return nil }
            _ = try reader.uint8("length")
            guard try reader.uint16("type") == EVT_SI_DEVICE else { return nil }
            kind = Int32(try reader.uint16("event"))
            adapter = Int(try reader.uint16("adapter"))
        } catch {
            return nil
        }
    }

    /// Whether the adapter can no longer be used.
    var isEnd: Bool { kind == HCI_DEV_DOWN || kind == HCI_DEV_UNREG }
}
