// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CBlueZ
import Glibc

/// The adapters as the kernel describes them, through libbluetooth, without commands to their controllers. Needs no
/// privilege.
enum KernelAdapters {
    private static let operation = "list of Bluetooth adapters"

    /// Every adapter, in the order of the indices.
    ///
    /// `hci_for_each_dev` names only adapters that are up. The others are found by trying every index that libbluetooth
    /// has room for, and by the management interface, which knows indices beyond that.
    static func list() throws(RadioError) -> [AdapterDescription] {
        let managed = ManagedIndices.read()
        let indices = try upIndices().union(managed ?? []).union(0..<Int(HCI_MAX_DEV))
        var adapters: [AdapterDescription] = []
        for index in indices.sorted() {
            // Most indices have no adapter, and an adapter may disappear at any moment.
            guard let info = try? info(of: index), !isAMP(info) else { continue }
            adapters.append(description(of: info, managed: managed))
        }
        return adapters
    }

    /// The address of the adapter that has an index now; `nil` if there is none, or it is down.
    static func address(ofAdapter index: Int) -> BluetoothAddress? {
        var address = bdaddr_t()
        return hci_devba(Int32(index), &address) == 0 ? BluetoothAddress(address) : nil
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

    /// The indices of the adapters that are up. The callback gets one integer besides the index, so that the set is
    /// passed by its address.
    private static func upIndices() throws(RadioError) -> Set<Int> {
        var found: Set<Int> = []
        let result = withUnsafeMutablePointer(to: &found) { found in
            hci_for_each_dev(
                Int32(HCI_UP),
                { _, index, found in
                    // SAFETY: the address of the variable that is passed below, which outlives the call.
                    UnsafeMutablePointer<Set<Int>>(bitPattern: found)?.pointee.insert(Int(index))
                    // Any other value would end the enumeration.
                    return 0
                },
                Int(bitPattern: found)
            )
        }
        // libbluetooth sets ENODEV also when no callback has ended the enumeration, which is the normal case here.
        let error = Errno.last
        guard result < 0, error != Errno(ENODEV) else { return found }
        throw RadioError(error, in: .hci, call: "hci_for_each_dev", during: operation)
    }

    private static func info(of index: Int) throws(Errno) -> hci_dev_info {
        var info = hci_dev_info()
        try systemCall { hci_devinfo(Int32(index), &info) }
        return info
    }

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
        guard info.flags & BLECTL_HCI_UP != 0 else {
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
