// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

struct KernelAdapter: Radio {
    /// The adapter as it was when the user chose it.
    let adapter: AdapterDescription
    /// The user's choice. It is kept because a later link looks for the adapter again: it may have been pulled out, and
    /// its index may belong to another one.
    let wish: AdapterSelector
    let system: LinuxRadioSystem

    func openHCI() throws(RadioError) -> any HCIChannel { try openHCI(for: .host) }

    func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel { try channel(for: use).channel }

    /// The adapter as it is now, as for a link, and a channel to it. With its old index, commands about a link would reach
    /// another adapter, whose links may have the same handles.
    private func channel(
        for use: HCIUse
    ) throws(RadioError) -> (adapter: AdapterDescription, channel: HCISocketChannel) {
        let ioThread = try system.ioThread()
        // The channel's own socket tells whose index that is now.
        if let channel = try? HCISocketChannel(adapter: adapter.index, for: use, on: ioThread) {
            if channel.address(ofAdapter: adapter.index) == adapter.address { return (adapter, channel) }
            channel.close()
        }
        let present = try present()
        return (present, try HCISocketChannel(adapter: present.index, for: use, on: ioThread))
    }

    /// The adapter as it is now, and the answers of its controller from now on; without them if they cannot be had.
    private func answering() throws(RadioError) -> (adapter: AdapterDescription, answers: HCISocketChannel?) {
        if let (adapter, answers) = try? channel(for: .questions) { return (adapter, answers) }
        return (try present(), nil)
    }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        let operation = "connection to \(device.address)"
        // Opened before the attempt, because the answers come at its beginning. Without them the reason is not known.
        let (adapter, answers) = try answering()
        defer { answers?.close() }
        do throws(RadioError) {
            let socket = try await connectedSocket(from: adapter.address, to: device, deadline: deadline, operation)
            return try ATTSocketChannel(
                socket,
                peer: device,
                adapter: adapter.index,
                during: operation,
                on: try system.ioThread(),
                refine: { [index = adapter.index] in Self.refine($0, onAdapter: index) }
            )
        } catch {
            throw await explain(error, answers) ?? Self.refine(error, onAdapter: adapter.index)
        }
    }

    /// Waits for the turn among the blectl programs of this machine.
    func takeTurn(
        _ subject: TurnSubject,
        by deadline: Instant,
        onWait: @escaping @Sendable (ProcessReference?) -> Void
    ) async throws(RadioError) -> any Turn {
        // Adapters without an address all have the same zeros, so only the index distinguishes them.
        let place = adapter.address.rawValue == 0 ? adapter.name : "\(adapter.address)"
        let queue = TurnQueue(subject, at: place, of: adapter.name, on: try system.ioThread(), system.time)
        return try await queue.turn(by: deadline, onWait: onWait)
    }

    func connectedAddresses() -> Set<BluetoothAddress> {
        KernelConnections.list { socket in
            KernelAdapters.address(ofAdapter: adapter.index, socket) == adapter.address ? adapter.index : presentIndex
        }
    }

    func connectedDevice(_ address: BluetoothAddress) -> DeviceAddress? {
        guard connectedAddresses().contains(address) else { return nil }
        // The kernel gives the address type only to privileged programs, but it answers a connect(2) on an existing
        // link at once: it succeeds, or it is refused with EBUSY. The likely type is tried first, because with the
        // wrong type the kernel searches for a device that does not exist until the socket is closed. A static random
        // address begins with two ones (Core 5.4, Vol 6, Part B, 1.3.2.1).
        let types: [AddressType] = address.rawValue >> 46 == 0b11 ? [.random, .public] : [.public, .random]
        return types.lazy.map { DeviceAddress(address, $0) }.first { device in
            do throws(RadioError) {
                let source = self.adapter.address
                let socket = try L2CAPSocket.connect(from: source, to: device, timeout: .zero, during: "")
                return socket.isConnected
            } catch {
                return error.cause == .channelBusy(by: nil)
            }
        }
    }

    /// The adapter as it is now, or its replacement if it was pulled out meanwhile.
    private func present() throws(RadioError) -> AdapterDescription {
        if KernelAdapters.address(ofAdapter: adapter.index) == adapter.address { return adapter }
        let present = try wish.choice(of: try KernelAdapters.list(), after: adapter)
        try present.checkUse()
        return present
    }

    /// The index of the adapter as it is now; the one that it had if it cannot be used.
    private var presentIndex: Int { (try? present())?.index ?? adapter.index }

    func connectL2CAP(
        to device: DeviceAddress,
        _ request: L2CAPRequest,
        deadline: Instant,
        onFrame: FrameObserver?
    ) async throws(RadioError) -> any L2CAPChannel {
        let operation = "channel \(request.spsm) to \(device.address)"
        let (adapter, answers) = try answering()
        // The kernel does not report to a socket why a device refuses; the data of the link contain the reason, if this
        // program may see them. It is opened before the request, because the answer may pass before this program learns
        // of the refusal.
        let data = try? openHCI(for: .securityManager)
        defer {
            data?.close()
            answers?.close()
        }
        do throws(RadioError) {
            let socket = try L2CAPSocket.connect(
                from: adapter.address,
                to: device,
                service: request,
                timeout: deadline - system.time.now,
                during: operation
            )
            let connected = try await Self.connected(socket, operation, by: deadline, system)
            return try L2CAPSocketChannel(
                connected,
                peer: device,
                spsm: request.spsm,
                during: operation,
                on: try system.ioThread(),
                refine: { [index = adapter.index] in Self.refine($0, onAdapter: index) }
            )
        } catch {
            guard error.cause == .channelRefused(nil), let data else {
                throw await explain(error, answers) ?? Self.refine(error, onAdapter: adapter.index)
            }
            let result = await ChannelAnswers.result(of: request.spsm, in: data, system.time)
            throw RadioError(.channelRefused(result), during: operation)
        }
    }

    private static func connected(
        _ socket: consuming L2CAPSocket,
        _ operation: String,
        by deadline: Instant,
        _ system: LinuxRadioSystem
    ) async throws(RadioError) -> OwnedFileDescriptor {
        if socket.isConnected { return socket.intoDescriptor() }
        let ioThread = try system.ioThread()
        let pending = try PendingConnection(socket.intoDescriptor(), operation, phase: .opening, on: ioThread)
        return try await pending.socket(by: deadline, system.time)
    }

    func listenL2CAP(_ request: L2CAPRequest, onFrame: FrameObserver?) throws(RadioError) -> any L2CAPListener {
        let operation = "service \(request.spsm) of \(adapter.name)"
        let socket = try L2CAPSocket.listen(on: adapter.address, service: request, during: operation)
        let ioThread = try system.ioThread()
        let index = presentIndex
        return try L2CAPSocketListener(socket.intoDescriptor(), operation, on: ioThread) { socket throws(RadioError) in
            let peer = L2CAPSocket.peer(of: socket) ?? DeviceAddress(BluetoothAddress(rawValue: 0), .public)
            return try L2CAPSocketChannel(
                socket,
                peer: peer,
                spsm: request.spsm,
                during: "channel \(request.spsm) from \(peer.address)",
                on: ioThread,
                refine: { Self.refine($0, onAdapter: index) }
            )
        }
    }

    func listenATT() throws(RadioError) -> any ATTListener {
        let operation = "ATT channel of \(adapter.name)"
        let socket = try L2CAPSocket.listen(on: adapter.address, during: operation)
        let ioThread = try system.ioThread()
        let index = presentIndex
        return try ATTSocketListener(socket.intoDescriptor(), operation, on: ioThread) { socket throws(RadioError) in
            // Without a peer the link is gone already, and the channel ends at once.
            let peer = L2CAPSocket.peer(of: socket) ?? DeviceAddress(BluetoothAddress(rawValue: 0), .public)
            return try ATTSocketChannel(
                socket,
                peer: peer,
                adapter: index,
                during: "connection from \(peer.address)",
                on: ioThread,
                refine: { Self.refine($0, onAdapter: index) }
            )
        }
    }

    /// Connects a socket, and waits on the I/O thread for the outcome unless the link is there already.
    private func connectedSocket(
        from source: BluetoothAddress,
        to device: DeviceAddress,
        deadline: Instant,
        _ operation: String
    ) async throws(RadioError) -> OwnedFileDescriptor {
        let socket = try L2CAPSocket.connect(
            from: source,
            to: device,
            timeout: deadline - system.time.now,
            during: operation
        )
        if socket.isConnected { return socket.intoDescriptor() }
        let pending = try PendingConnection(socket.intoDescriptor(), operation, on: try system.ioThread())
        return try await pending.socket(by: deadline, system.time)
    }

    /// The error of an attempt that was in vain because the controller refuses the kernel's search; `nil` if it was not.
    ///
    /// - Parameter answers: The controller's answers since the beginning of the attempt; `nil` if they could not be had.
    private func explain(_ error: RadioError, _ answers: (any HCIChannel)?) async -> RadioError? {
        guard error.cause == .connectTimedOut, let answers,
            let status = await SearchAnswers.refusal(in: answers, system.time)
        else { return nil }
        return RadioError(.connectRefused(status), during: error.operation, on: adapter.name)
    }

    /// Replaces a cause that has several meanings by the one that the adapter's state shows.
    ///
    /// When an adapter goes down, the kernel ends its links with the same errno as if this machine had hung up; when it
    /// is gone, connect(2) reports that there is no route. Only the adapter's state tells these cases apart.
    private static func refine(_ error: RadioError, onAdapter index: Int) -> RadioError {
        switch error.cause {
        case .closedLocally, .adapterDown, .adapterRemoved, .linkLost(nil), .connectFailed(nil):
            KernelAdapters.explain(error, onAdapter: index)
        case .lowEnergyOff: error.on("hci\(index)")
        default: error
        }
    }
}
