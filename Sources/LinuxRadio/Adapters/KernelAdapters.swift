// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CBlueZ
import Glibc

/// The adapters as the kernel describes them, on a socket of libbluetooth's, without commands to their controllers. Needs
/// no privilege.
enum KernelAdapters {
    private static let operation = "list of Bluetooth adapters"

    /// Every adapter, in the order of the indices.
    ///
    /// One socket answers for all of them: to open one costs more than to ask, and each is news for a packet monitor.
    static func list() throws(RadioError) -> [AdapterDescription] {
        let socket = try RadioError.translating(.hci, "hci_open_dev", during: operation) { () throws(Errno) in
            try OwnedFileDescriptor.rawHCI(adapter: HCI_DEV_NONE)
        }
        let indices = try RadioError.translating(.hci, "ioctl", during: operation) { () throws(Errno) in
            try presentIndices(socket)
        }
        // An adapter may disappear at any moment.
        let infos = indices.compactMap { try? info(of: $0, socket) }.filter { !isAMP($0) }
        let managed = infos.contains(where: isUp) ? ManagedIndices.read() : nil
        return infos.map { description(of: $0, managed: managed) }
    }

    /// The address of the adapter that has an index now; `nil` if there is none, or it is down.
    static func address(ofAdapter index: Int) -> BluetoothAddress? {
        var address = bdaddr_t()
        return hci_devba(Int32(index), &address) == 0 ? BluetoothAddress(address) : nil
    }

    /// The same, on a raw HCI socket that is open.
    static func address(ofAdapter index: Int, _ socket: borrowing OwnedFileDescriptor) -> BluetoothAddress? {
        guard let info = try? info(of: index, socket), isUp(info) else { return nil }
        return BluetoothAddress(info.bdaddr)
    }

    /// The error with a better cause if the adapter's state shows one: gone, blocked or down.
    static func explain(_ original: RadioError, onAdapter index: Int) -> RadioError {
        do throws(Errno) {
            let cause: RadioError.Cause =
                // Without the list of the management interface: `up` and `inUse` have the same result here.
                switch state(of: try info(of: index), managed: nil) {
                case .up, .inUse: original.cause
                case .down: .adapterDown
                case .starting: .adapterStarting
                case .blocked(let byHardware): .radioBlocked(byHardware: byHardware)
                }
            return RadioError(cause, during: original.operation, on: "hci\(index)")
        } catch {
            guard error == Errno(ENODEV) else { return original }
            return RadioError(.adapterRemoved, during: original.operation, on: "hci\(index)")
        }
    }

    private static func presentIndices(_ socket: borrowing OwnedFileDescriptor) throws(Errno) -> [Int] {
        var list = blectl_adapter_list()
        let descriptor = socket.rawValue
        try systemCall { blectl_adapter_list(descriptor, &list) }
        return withUnsafeBytes(of: &list.adapters) { bytes in
            bytes.bindMemory(to: hci_dev_req.self).prefix(Int(list.count)).map { Int($0.dev_id) }.sorted()
        }
    }

    private static func info(of index: Int, _ socket: borrowing OwnedFileDescriptor) throws(Errno) -> hci_dev_info {
        var info = hci_dev_info()
        info.dev_id = UInt16(truncatingIfNeeded: index)
        let descriptor = socket.rawValue
        try systemCall { blectl_adapter_info(descriptor, &info) }
        return info
    }

    /// The same, on a socket of its own.
    private static func info(of index: Int) throws(Errno) -> hci_dev_info {
        var info = hci_dev_info()
        try systemCall { hci_devinfo(Int32(index), &info) }
        return info
    }

    private static func isUp(_ info: hci_dev_info) -> Bool { info.flags & BLECTL_HCI_UP != 0 }

    /// Bits 4 and 5 of the type: 1 is a controller for Alternate MAC/PHYs, which is not a Bluetooth radio.
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
        guard isUp(info) else {
            if let block = RFKill.block(ofAdapter: Int(info.dev_id)) { return .blocked(byHardware: block == .hardware) }
            // The kernel initialises the controller, because it was plugged in or is being powered.
            if info.flags & BLECTL_HCI_INIT != 0 { return .starting(isSetUp: false) }
            // The kernel keeps a new controller running for two seconds, so that a manager can power it without another
            // initialisation (HCI_AUTO_OFF). During that time it does not report HCI_UP.
            if info.flags & BLECTL_HCI_RUNNING != 0 { return .starting(isSetUp: true) }
            return .down
        }
        // An adapter that is up but not in the list is open as an HCI user channel.
        if let managed, !managed.contains(Int(info.dev_id)) { return .inUse }
        return .up
    }

    private static func name(of info: hci_dev_info) -> String {
        withUnsafeBytes(of: info.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static func busName(_ bus: UInt8) -> String {
        let name = hci_bustostr(Int32(bus)).map { String(cString: $0) } ?? "Unknown"
        return name == "Unknown" ? "unknown (\(bus))" : name.lowercased()
    }
}

extension BluetoothAddress {
    /// Converts from the kernel's form: least significant octet first.
    init(_ address: bdaddr_t) {
        self.init(rawValue: withUnsafeBytes(of: address) { $0.reversed().reduce(0) { $0 << 8 | UInt64($1) } })
    }

    /// The address in the kernel's form: least significant octet first.
    var bdaddr: bdaddr_t {
        func octet(_ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: rawValue >> (index * 8)) }
        return bdaddr_t(b: (octet(0), octet(1), octet(2), octet(3), octet(4), octet(5)))
    }
}
