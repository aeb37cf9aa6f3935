// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CBlueZ

/// The links of an adapter, of all programs: hci(7), HCIGETCONNLIST. Needs no privilege.
enum KernelConnections {
    /// The devices that are connected over LE; empty if the kernel gives no list.
    ///
    /// - Parameter index: Gives the adapter's index; it may ask the socket, too.
    static func list(ofAdapter index: (borrowing OwnedFileDescriptor) -> Int) -> Set<BluetoothAddress> {
        Set(links(ofAdapter: index).map { BluetoothAddress($0.bdaddr) })
    }

    /// The role of this machine in the LE connection with that handle; `nil` if there is none.
    static func role(of handle: UInt16, onAdapter index: Int) -> LERole? {
        links { _ in index }.first { $0.handle == handle }
            .map { $0.link_mode & UInt32(HCI_LM_MASTER) != 0 ? .central : .peripheral }
    }

    private static func links(ofAdapter index: (borrowing OwnedFileDescriptor) -> Int) -> [hci_conn_info] {
        var list = blectl_connection_list()
        do throws(Errno) {
            let socket = try OwnedFileDescriptor.bluetooth(type: BLECTL_SOCK_RAW, protocol: BTPROTO_HCI)
            let index = UInt16(truncatingIfNeeded: index(socket))
            try systemCall { blectl_connection_list(socket.rawValue, index, &list) }
        } catch {
            return []
        }
        return withUnsafeBytes(of: &list.connections) { bytes in
            let links = bytes.bindMemory(to: hci_conn_info.self).prefix(Int(list.count))
            return links.filter(isEstablishedLE)
        }
    }

    private static func isEstablishedLE(_ link: hci_conn_info) -> Bool {
        link.type == BLECTL_LE_LINK && link.state == BT_CONNECTED
    }
}
