// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
public import BluetoothHost

/// A radio that is a socket in the file system. It carries ATT with one PDU in each packet, as the kernel's ATT channel
/// does.
///
/// A test rig or an emulator can put any host stack at the other end. There is one device, no controller, and no
/// advertising.
public final class UnixRadioSystem: RadioSystem {
    public let time: any TimeSource
    private let path: String
    private let thread: SharedIOThread

    /// Creates a radio with its socket at the path. Opens nothing yet.
    public init(path: String, time: any TimeSource = SystemTimeSource.linux) {
        self.path = path
        self.time = time
        thread = SharedIOThread(time)
    }

    /// The socket, described as an adapter.
    public func adapters() -> [AdapterDescription] { [radio.adapter] }

    /// The only radio, for any name.
    public func radio(named name: String?) -> any Radio { radio }

    private var radio: UnixRadio { UnixRadio(path: path, thread: thread) }

    /// Closes every channel and waits for the end of the I/O thread. Nothing can be opened afterwards.
    public func shutDown() { thread.shutDown() }
}

struct UnixRadio: Radio {
    /// A stand-in, because the device at the other end has no address.
    private static let peer = DeviceAddress(BluetoothAddress(rawValue: 0), .public)

    let path: String
    let thread: SharedIOThread

    var adapter: AdapterDescription {
        AdapterDescription(name: "unix:\(path)", index: 0, address: Self.peer.address, state: .up, bus: "socket")
    }

    var onlyPeer: DeviceAddress? { Self.peer }

    func openHCI() throws(RadioError) -> any HCIChannel {
        throw RadioError(.noController, during: adapter.name)
    }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        let operation = "connection to \(adapter.name)"
        let socket = try UnixSocket.connect(to: path, during: operation)
        return try ATTSocketChannel(
            socket,
            peer: device,
            // A full unix(7) socket makes the sender wait, unlike the ATT channel of a link.
            hasFlowControl: true,
            during: operation,
            on: try thread.get()
        )
    }

    /// Listens at the path. The file is removed at the end only if it is still the one that was created, because
    /// another server may have replaced it.
    func listenATT() throws(RadioError) -> any ATTListener {
        let operation = adapter.name
        let ioThread = try thread.get()
        let socket = try UnixSocket.listen(at: path, during: operation)
        let identity = UnixSocket.FileIdentity(path)
        return try ATTSocketListener(
            socket,
            operation,
            on: ioThread,
            onClose: { [path] in UnixSocket.remove(path, madeAs: identity) },
            makeChannel: { socket throws(RadioError) in
                try ATTSocketChannel(
                    socket,
                    peer: Self.peer,
                    hasFlowControl: true,
                    during: "connection from \(operation)",
                    on: ioThread
                )
            }
        )
    }
}
