// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import CBlueZ
import Synchronization

/// An adapter of the kernel that this process has alone for a time, as the kernel's user channel gives it: the controller
/// without the kernel's Bluetooth.
///
/// The kernel gives it only while it is off, and leaves it off afterwards. So it is switched off before, and on again
/// after that if it was on. A process that is killed leaves it off.
///
/// Spec: Linux, net/bluetooth/hci_sock.c, HCI_CHANNEL_USER
package final class TakenAdapter: Sendable {
    /// How long the kernel takes at most to list the adapter again.
    private static let returnTime = Duration.seconds(2)

    private let index: Int
    private let system: LinuxRadioSystem
    private let scope: TaskScope
    private let time: any TimeSource
    /// The address of an adapter that was on.
    private let powered = Mutex<BluetoothAddress?>(nil)

    /// Means an adapter. Does nothing yet.
    ///
    /// - Parameters:
    ///   - index: The number of the adapter.
    ///   - scope: Lasts until `giveBack` has returned.
    ///   - time: The clock of its deadlines.
    package init(index: Int, scope: TaskScope, time: any TimeSource) {
        self.index = index
        self.scope = scope
        self.time = time
        system = LinuxRadioSystem(time: time)
    }

    /// Takes the adapter, which ends what the kernel does with it. Returns its HCI packets. Needs `CAP_NET_ADMIN`.
    package func take() async throws(RadioError) -> any PacketChannel {
        let operation = "user channel of hci\(index)"
        let manager = try AdapterManager.open(system, scope: scope, time: time)
        let adapter = ManagementIndex(index)
        do throws(RadioError) {
            let information = try await manager.perform(ReadControllerInformation(), on: adapter)
            if information.currentSettings.contains(.powered) {
                try await manager.perform(SetPowered(false), on: adapter)
                powered.withLock { $0 = information.address }
            }
        } catch {
            await manager.close()
            guard error.cause == .adapterRemoved else { throw error }
            // One that somebody has taken is not listed either.
            let folders = MachineFolders()
            let isThere = folders.exists("\(folders.sys)/class/bluetooth/hci\(index)")
            throw RadioError(isThere ? .adapterBusy : .adapterNotFound("hci\(index)"), during: operation)
        }
        await manager.close()
        let index = Int32(index)
        let socket = try RadioError.translating(.management, "bind", during: operation) { () throws(Errno) in
            let socket = try OwnedFileDescriptor.bluetooth(type: BLECTL_SOCK_RAW, protocol: BTPROTO_HCI)
            try socket.bindHCI(index: index, channel: HCI_CHANNEL_USER)
            return socket
        }
        return try HCISocketChannel(socket, operation, on: try system.ioThread())
    }

    /// Switches the adapter on again if it was on, after the channel was closed.
    package func giveBack() async {
        defer { system.shutDown() }
        guard let address = powered.withLock({ $0 }) else { return }
        guard let manager = try? AdapterManager.open(system, scope: scope, time: time) else { return }
        let deadline = time.now + Self.returnTime
        // The kernel lists it only when it has closed the controller.
        while await !isOn(address, manager), time.now < deadline {
            guard (try? await time.sleep(for: .milliseconds(20))) != nil else { break }
        }
        await manager.close()
    }

    /// Switches the adapter on. It may have been unplugged, and another one have its number.
    private func isOn(_ address: BluetoothAddress, _ manager: AdapterManager) async -> Bool {
        let adapter = ManagementIndex(index)
        guard (try? await manager.information(on: adapter, of: address)) != nil else { return false }
        return (try? await manager.perform(SetPowered(true), on: adapter)) != nil
    }
}
