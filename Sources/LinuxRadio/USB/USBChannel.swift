// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ
import CUSB
import Glibc
import Synchronization

/// The HCI packets of a controller on USB, in the form of an H4 stream.
///
/// Transfers are libusb's asynchronous ones. Those that are over are reported on the I/O thread, which waits for libusb's
/// descriptors. The locking is that of `StreamChannel`: one lock guards all state, and queues are filled without it.
///
/// Spec: Core 5.4, Vol 4, Part B, 2.2
final class USBChannel: PacketChannel, ReadinessHandler {
    private typealias Transfer = UnsafeMutablePointer<blectl_usb_transfer>

    /// Packets to an endpoint, of which one is on the way, so that no stall changes their order.
    private struct Lane {
        var waiting = SendQueue()
        var isBusy = false
    }

    private struct State: WaitedState {
        /// `nil` once the controller was given back.
        var device: USBHandle?
        var registration: IOThread.Registration?
        var end: RadioError?
        /// The transfers on the way, and those for receiving that rest because the consumer is slow, by their addresses.
        var flying: Set<UInt> = []
        var resting: [UInt] = []
        var commands = Lane()
        var data = Lane()
        var events = USBPieces(.event)
        var received = USBPieces(.data)
        var gate = ReceiveGate()
        /// How many transfers have failed since one has succeeded.
        var faults = 0
        var waiters = DrainWaiters()
        var returnWaiters: [CheckedContinuation<Void, Never>] = []

        var isDrained: Bool { !commands.isBusy && !data.isBusy }

        /// Success if no packet waits, the reason if none will be sent any more; `nil` while some wait.
        var drainage: Result<Void, RadioError>? {
            if let end { return .failure(end) }
            return isDrained ? .success(()) : nil
        }
    }

    /// The number of pieces that an endpoint may deliver before the first one was taken.
    private static let depth = 8
    /// The number of packets that wait for a slow consumer. Beyond it the controller is held back.
    private static let queueLimit = 256
    /// The number of packets that wait to be sent before `send` fails.
    private static let sendQueueLimit = 4_096
    /// How long a controller may refuse to take a packet, in milliseconds.
    private static let sendLimit: UInt32 = 5_000
    /// The number of stalls and other faults in a row after which a controller is given up.
    private static let faultLimit = 8

    private let operation: String
    private let ioThread: IOThread
    private let queue = PacketQueue(limit: queueLimit, overflow: .pauseProducer)
    /// Waits for libusb's descriptors, and for the end.
    private let poller: OwnedFileDescriptor
    private let wakeUp: OwnedFileDescriptor
    private let state: Mutex<State>
    /// Held while libusb reports what is over, and while the controller is given back: the thread that ends the channel may be
    /// another one.
    private let reporting = Mutex(())

    /// Takes over a controller, and starts to receive.
    init(_ device: USBHandle, during operation: String, on ioThread: IOThread) throws(RadioError) {
        self.operation = operation
        self.ioThread = ioThread
        state = Mutex(State(device: device))
        do throws(RadioError) {
            poller = try Self.descriptor("epoll_create1", operation) { blectl_epoll_create() }
            wakeUp = try Self.descriptor("eventfd", operation) { blectl_eventfd() }
        } catch {
            device.giveBack()
            throw error
        }
        queue.setOnSpace { [weak self] in self?.resumeReceiving() }
        // Until the controller is given back, because libusb knows this object.
        _ = Unmanaged.passRetained(self)
        do throws(RadioError) {
            try RadioError.translating(.transport, "epoll_ctl", during: operation) { () throws(Errno) in
                try state.withLock { state throws(Errno) in
                    try systemCall { blectl_epoll_add(poller.rawValue, wakeUp.rawValue, BLECTL_EPOLLIN, 0) }
                    device.watch(poller.rawValue)
                    state.registration = try ioThread.add(poller, .readable, for: self)
                }
            }
        } catch {
            finish(error)
            giveBackIfOver()
            throw error
        }
        if let failure = state.withLock({ beginReceiving(&$0, device) }) { finish(failure) }
    }

    private static func descriptor(
        _ call: String,
        _ operation: String,
        _ make: () -> Int32
    ) throws(RadioError) -> OwnedFileDescriptor {
        try RadioError.translating(.transport, call, during: operation) { () throws(Errno) in
            try OwnedFileDescriptor(make)
        }
    }

    /// Sends the transfers for receiving on their way.
    private func beginReceiving(_ state: inout State, _ device: USBHandle) -> RadioError? {
        for (endpoint, type) in [(device.events, BLECTL_USB_INTERRUPT), (device.received, BLECTL_USB_BULK)] {
            for _ in 0..<Self.depth {
                // No longer than what comes at once: after a packet that fills its last piece nothing says that it is over.
                guard let transfer = transfer(device, endpoint.address, type, endpoint.packetLength, limit: 0) else {
                    return RadioError(.system(call: "malloc", errno: "ENOMEM"), during: operation)
                }
                if let failure = submit(transfer, &state, device) { return failure }
            }
        }
        return nil
    }

    // MARK: - PacketChannel

    /// Nothing is lost: a full queue holds the controller back.
    var droppedCount: Int { 0 }

    func receive() async throws(RadioError) -> [UInt8] { try await queue.next() }

    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> {
        try await queue.next(atMost: Self.queueLimit)
    }

    /// Sends a packet that begins with H4's indicator: a command or data.
    func send(_ packet: [UInt8]) throws(RadioError) {
        let failure = state.withLock { state -> RadioError? in
            if let end = state.end { return end }
            guard state.commands.waiting.count + state.data.waiting.count < Self.sendQueueLimit else {
                return RadioError(.system(call: "send", errno: "ENOBUFS"), during: operation)
            }
            switch packet.first {
            case 0x01: return enqueue(packet, \.commands, &state)
            case 0x02: return enqueue(packet, \.data, &state)
            default: return RadioError(.unsupported, during: operation)
            }
        }
        if let failure { throw failure }
    }

    func drained() async throws(RadioError) {
        let cancelled = RadioError(.cancelled, during: operation)
        try await state.answer(ifCancelled: .failure(cancelled)) { $0.drainage }.get()
    }

    func hangUp(_ reason: RadioError) { finish(reason) }

    func close() { finish(RadioError(.closedLocally, during: operation)) }

    /// Suspends until the controller was given back, after `close`.
    func givenBack() async {
        await withCheckedContinuation { continuation in
            let isBack = state.withLock { state in
                if state.device != nil { state.returnWaiters.append(continuation) }
                return state.device == nil
            }
            if isBack { continuation.resume() }
        }
    }

    // MARK: - On the I/O thread

    func ready(_ readiness: Readiness) {
        var count: eventfd_t = 0
        eventfd_read(wakeUp.rawValue, &count)
        handleEvents(waitingMilliseconds: 0)
        giveBackIfOver()
        state.withLock { state in
            // Without transfers libusb hears of no end, whose event would be reported again and again.
            guard state.end == nil, state.flying.isEmpty, let registration = state.registration else { return }
            ioThread.mute(registration)
        }
    }

    func ioThreadEnded(_ reason: IOThread.End) {
        switch reason {
        case .stopped: close()
        case .failed(let error): finish(RadioError(error, in: .transport, call: "epoll_wait", during: operation))
        }
        // Nobody else reports the ends of the transfers any more. They are cancelled, so that this is soon.
        for _ in 0..<20 where state.withLock({ !$0.flying.isEmpty }) { handleEvents(waitingMilliseconds: 100) }
        giveBackIfOver()
    }

    private func handleEvents(waitingMilliseconds limit: Int) {
        reporting.withLock { _ in state.withLock { $0.device }?.handleEvents(waitingMilliseconds: limit) }
    }

    private func isOver(_ transfer: Transfer) {
        var packets: [[UInt8]] = []
        let (isKept, failure) = state.withLock { state -> (Bool, RadioError?) in
            state.flying.remove(UInt(bitPattern: transfer))
            guard state.end == nil, let device = state.device else { return (false, nil) }
            let (status, endpoint) = (transfer.pointee.status, transfer.pointee.endpoint)
            switch status {
            case BLECTL_USB_COMPLETED: state.faults = 0
            case BLECTL_USB_NO_DEVICE: return (false, RadioError(.controllerGone, during: operation))
            case BLECTL_USB_TIMED_OUT: return (false, RadioError(.controllerSilent, during: operation))
            default:
                state.faults += 1
                guard state.faults < Self.faultLimit else {
                    return (false, RadioError(.controllerGone, during: operation))
                }
                // The next command ends a stall of the control endpoint.
                if status == BLECTL_USB_STALL, endpoint != 0 { device.clearHalt(endpoint) }
                if endpoint == device.events.address { state.events.forget() }
                if endpoint == device.received.address { state.received.forget() }
                return (true, nil)
            }
            let octets = UnsafeBufferPointer(start: transfer.pointee.buffer, count: Int(transfer.pointee.actual_length))
            switch endpoint {
            case device.events.address:
                packets = state.events.append(octets)
                state.gate.receiving()
                return (true, nil)
            case device.received.address:
                packets = state.received.append(octets)
                state.gate.receiving()
                return (true, nil)
            case 0: return (false, sendNext(\.commands, &state))
            default: return (false, sendNext(\.data, &state))
            }
        }
        if !queue.push(contentsOf: packets) { state.withLock { _ = $0.gate.queueFilled() } }
        let (end, waiters) = state.withLock { state -> (RadioError?, DrainWaiters) in
            guard isKept, failure == nil, state.end == nil, let device = state.device else {
                state.device?.free(transfer)
                return (failure, state.isDrained ? state.waiters.takeAll() : .init())
            }
            if state.gate.isPaused, transfer.pointee.endpoint & 0x80 != 0 {
                state.resting.append(UInt(bitPattern: transfer))
                return (nil, .init())
            }
            return (submit(transfer, &state, device), .init())
        }
        if let end { finish(end) }
        waiters.resume(returning: .success(()))
    }

    /// Gives the controller back once the channel has ended and nothing is on the way any more.
    private func giveBackIfOver() {
        let isBack = reporting.withLock { _ in
            let device = state.withLock { state -> USBHandle? in
                guard state.end != nil, state.flying.isEmpty else { return nil }
                if let registration = state.registration { ioThread.remove(registration) }
                state.registration = nil
                return state.device
            }
            device?.giveBack()
            if device != nil { state.withLock { $0.device = nil } }
            return device != nil
        }
        guard isBack else { return }
        let waiters = state.withLock { state in
            defer { state.returnWaiters = [] }
            return state.returnWaiters
        }
        for waiter in waiters { waiter.resume() }
        Unmanaged.passUnretained(self).release()
    }

    // MARK: - From anywhere

    private func resumeReceiving() {
        let failure = state.withLock { state -> RadioError? in
            guard state.gate.roomMade(), let device = state.device else { return nil }
            while let transfer = state.resting.popLast() {
                guard let transfer = Transfer(bitPattern: transfer) else { continue }
                if let failure = submit(transfer, &state, device) { return failure }
            }
            return nil
        }
        if let failure { finish(failure) }
    }

    private func enqueue(_ packet: [UInt8], _ lane: WritableKeyPath<State, Lane>, _ state: inout State) -> RadioError? {
        state[keyPath: lane].waiting.append(packet)
        return state[keyPath: lane].isBusy ? nil : sendNext(lane, &state)
    }

    /// Sends the next packet of a lane, whose last one was taken.
    private func sendNext(_ lane: WritableKeyPath<State, Lane>, _ state: inout State) -> RadioError? {
        state[keyPath: lane].isBusy = false
        guard let device = state.device, let packet = state[keyPath: lane].waiting.first else { return nil }
        state[keyPath: lane].waiting.removeFirst()
        state[keyPath: lane].isBusy = true
        let isCommand = packet.first == 0x01
        // A request of the class to the device, with the command as its data.
        let octets = (isCommand ? [0x20, 0, 0, 0, 0, 0, UInt8(packet.count - 1), 0] : []) + packet.dropFirst()
        let (endpoint, type) = isCommand ? (0, BLECTL_USB_CONTROL) : (device.sent.address, BLECTL_USB_BULK)
        guard let transfer = transfer(device, endpoint, type, octets.count, limit: Self.sendLimit) else {
            return RadioError(.system(call: "malloc", errno: "ENOMEM"), during: operation)
        }
        transfer.pointee.buffer.update(from: octets, count: octets.count)
        return submit(transfer, &state, device)
    }

    private func transfer(
        _ device: USBHandle,
        _ endpoint: UInt8,
        _ type: UInt8,
        _ length: Int,
        limit: UInt32
    ) -> Transfer? {
        device.transfer(
            endpoint,
            type,
            length,
            limit,
            { transfer in
                guard let transfer, let channel = transfer.pointee.user else { return }
                Unmanaged<USBChannel>.fromOpaque(channel).takeUnretainedValue().isOver(transfer)
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Sends a transfer on its way; frees it if that fails.
    private func submit(_ transfer: Transfer, _ state: inout State, _ device: USBHandle) -> RadioError? {
        if state.flying.isEmpty, let registration = state.registration {
            ioThread.change(registration, to: .readable)
        }
        switch device.submit(transfer) {
        case 0:
            state.flying.insert(UInt(bitPattern: transfer))
            return nil
        case BLECTL_USB_ERROR_NO_DEVICE:
            device.free(transfer)
            return RadioError(.controllerGone, during: operation)
        case let code:
            device.free(transfer)
            return RadioError(.system(call: "libusb_submit_transfer", errno: "\(code)"), during: operation)
        }
    }

    /// Ends the channel. Only the first call has an effect.
    private func finish(_ error: RadioError) {
        let waiters = state.withLock { state -> DrainWaiters in
            guard state.end == nil else { return .init() }
            state.end = error
            for transfer in state.flying { state.device?.cancel(Transfer(bitPattern: transfer)) }
            for transfer in state.resting { state.device?.free(Transfer(bitPattern: transfer)) }
            state.resting = []
            if let registration = state.registration { ioThread.change(registration, to: .readable) }
            return state.waiters.takeAll()
        }
        queue.finish(error)
        waiters.resume(returning: .failure(error))
        eventfd_write(wakeUp.rawValue, 1)
    }
}
