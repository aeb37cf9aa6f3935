// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CBlueZ
import Glibc

/// What the kernel knows of its adapters without asking them: hci(7), HCIGETDEVLIST and HCIGETDEVINFO. Needs no privilege.
enum KernelAdapters {
    private static let operation = "list of Bluetooth adapters"

    /// Every adapter, in the order of its index.
    static func list() throws(RadioError) -> [AdapterDescription] {
        let socket = try openSocket()
        var list = blectl_adapter_list()
        try RadioError.translating(.hci, "ioctl(HCIGETDEVLIST)", during: operation) { () throws(Errno) in
            try systemCall { blectl_adapter_list(socket.rawValue, &list) }
        }
        let indices = withUnsafeBytes(of: &list.adapters) { bytes in
            bytes.bindMemory(to: hci_dev_req.self).prefix(Int(list.count)).map { Int($0.dev_id) }
        }
        let managed = ManagementSocket.indices()
        var adapters: [AdapterDescription] = []
        for index in indices.sorted() {
            // One that goes away in this moment is not there.
            guard let info = info(of: index, by: socket), !isAMP(info) else { continue }
            adapters.append(description(of: info, managed: managed))
        }
        return adapters
    }

    /// The address of the adapter that has an index now; `nil` if there is none.
    static func address(ofAdapter index: Int) -> BluetoothAddress? {
        guard let socket = try? openSocket() else { return nil }
        return info(of: index, by: socket).map { BluetoothAddress($0.bdaddr) }
    }

    /// The error itself, or a better reason: the adapter is gone, blocked or down.
    static func explain(_ error: RadioError, onAdapter index: Int) -> RadioError {
        guard let socket = try? openSocket() else { return error }
        guard let info = info(of: index, by: socket) else {
            return RadioError(.adapterRemoved, during: error.operation)
        }
        switch state(of: info, managed: nil) {
        case .up, .inUse: return error
        case .down: return RadioError(.adapterDown, during: error.operation)
        case .blocked(let byHardware): return RadioError(.radioBlocked(byHardware: byHardware), during: error.operation)
        }
    }

    private static func openSocket() throws(RadioError) -> OwnedFileDescriptor {
        try RadioError.translating(.hci, "socket", during: operation) { () throws(Errno) in
            try OwnedFileDescriptor.bluetooth(type: BLECTL_SOCK_RAW, protocol: BTPROTO_HCI)
        }
    }

    private static func info(of index: Int, by socket: borrowing OwnedFileDescriptor) -> hci_dev_info? {
        var info = hci_dev_info()
        info.dev_id = UInt16(truncatingIfNeeded: index)
        return blectl_adapter_info(socket.rawValue, &info) == 0 ? info : nil
    }

    /// Bits 4 and 5 of the type: 1 is a controller of alternate MACs, which is no Bluetooth radio.
    private static func isAMP(_ info: hci_dev_info) -> Bool { info.type >> 4 & 0x03 == 1 }

    private static func description(of info: hci_dev_info, managed: Set<Int>?) -> AdapterDescription {
        AdapterDescription(
            name: name(of: info),
            index: Int(info.dev_id),
            address: BluetoothAddress(info.bdaddr),
            state: state(of: info, managed: managed),
            bus: busName(info.type & 0x0F),
            lmpFeatures: withUnsafeBytes(of: info.features) { bytes in
                let features = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                return features == 0 ? nil : features
            }
        )
    }

    private static func state(of info: hci_dev_info, managed: Set<Int>?) -> AdapterDescription.State {
        guard info.flags & BLECTL_HCI_UP != 0 else {
            guard let block = RFKill.block(ofAdapter: Int(info.dev_id)) else { return .down }
            return .blocked(byHardware: block == .hardware)
        }
        // The management interface leaves out what is up and has the HCI user channel open.
        if let managed, !managed.contains(Int(info.dev_id)) { return .inUse }
        return .up
    }

    private static func name(of info: hci_dev_info) -> String {
        withUnsafeBytes(of: info.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static func busName(_ bus: UInt8) -> String {
        switch Int32(bus) {
        case HCI_VIRTUAL: "virtual"
        case HCI_USB: "usb"
        case HCI_PCCARD: "pccard"
        case HCI_UART: "uart"
        case HCI_RS232: "rs232"
        case HCI_PCI: "pci"
        case HCI_SDIO: "sdio"
        case HCI_SPI: "spi"
        case HCI_I2C: "i2c"
        case HCI_SMD: "smd"
        case HCI_VIRTIO: "virtio"
        default: "unknown (\(bus))"
        }
    }
}

extension BluetoothAddress {
    /// The kernel's form: least significant octet first.
    init(_ address: bdaddr_t) {
        self.init(rawValue: withUnsafeBytes(of: address) { $0.reversed().reduce(0) { $0 << 8 | UInt64($1) } })
    }

    /// The kernel's form: least significant octet first.
    var bdaddr: bdaddr_t {
        func octet(_ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: rawValue >> (index * 8)) }
        return bdaddr_t(b: (octet(0), octet(1), octet(2), octet(3), octet(4), octet(5)))
    }
}
