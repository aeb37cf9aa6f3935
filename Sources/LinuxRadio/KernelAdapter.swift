// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// One adapter of this machine.
struct KernelAdapter: Radio {
    let adapter: AdapterDescription
    let system: LinuxRadioSystem

    func openHCI() throws(RadioError) -> any HCIChannel {
        try HCISocketChannel(adapter: adapter.index, for: .host, on: try system.ioThread())
    }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        let operation = "connection to \(device.address)"
        do throws(RadioError) {
            let socket = try await connectedSocket(to: device, deadline: deadline, operation)
            return try ATTSocketChannel(
                socket,
                peer: device,
                during: operation,
                on: try system.ioThread(),
                refine: { [index = adapter.index] in Self.refine($0, onAdapter: index) }
            )
        } catch {
            throw Self.refine(error, onAdapter: adapter.index)
        }
    }

    func listenATT() throws(RadioError) -> any ATTListener {
        let operation = "ATT channel of \(adapter.name)"
        let socket = try L2CAPSocket.listen(on: adapter.address, during: operation)
        let ioThread = try system.ioThread()
        let index = adapter.index
        return try ATTSocketListener(socket.intoDescriptor(), operation, on: ioThread) { socket throws(RadioError) in
            let peer = L2CAPSocket.peer(of: socket) ?? DeviceAddress(BluetoothAddress(rawValue: 0), .public)
            return try ATTSocketChannel(
                socket,
                peer: peer,
                during: "connection from \(peer.address)",
                on: ioThread,
                refine: { Self.refine($0, onAdapter: index) }
            )
        }
    }

    private func connectedSocket(
        to device: DeviceAddress,
        deadline: Instant,
        _ operation: String
    ) async throws(RadioError) -> OwnedFileDescriptor {
        let socket = try L2CAPSocket.connect(
            from: adapter.address,
            to: device,
            patience: deadline - system.time.now,
            during: operation
        )
        if socket.isConnected { return socket.intoDescriptor() }
        let pending = try PendingConnection(socket.intoDescriptor(), operation, on: try system.ioThread())
        return try await pending.socket(by: deadline, system.time)
    }

    /// The kernel ends the links of an adapter that goes down as if this machine had hung up, and knows no route to a device
    /// by an adapter that is gone: the adapter's state tells it apart.
    private static func refine(_ error: RadioError, onAdapter index: Int) -> RadioError {
        switch error.cause {
        case .closedLocally, .adapterDown, .adapterRemoved, .linkLost(nil), .connectFailed(nil):
            KernelAdapters.explain(error, onAdapter: index)
        default: error
        }
    }
}
