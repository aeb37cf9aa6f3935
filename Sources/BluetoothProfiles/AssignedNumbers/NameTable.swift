// SPDX-License-Identifier: MIT

import Bluetooth
import CBluetoothData

/// Names by number in a file that is part of the program. It is searched in place, so that no table is built when the
/// program starts.
///
/// The text has one line per entry, sorted: the number in `keyDigits` upper-case hex digits, a space, the name. A
/// line ends at the octet of a line feed, because those of ASCII characters never occur within a longer UTF-8 sequence.
struct NameTable: Sendable {
    /// One line of a table, valid inside the closure that receives it.
    typealias Line = Slice<UnsafeBufferPointer<UInt8>>

    private let keyDigits: Int
    /// Returns the text, which is a constant of the program.
    private let text: @Sendable () -> BluetoothData

    private init(keyDigits: Int, _ text: @escaping @Sendable () -> BluetoothData) {
        self.keyDigits = keyDigits
        self.text = text
    }

    private func withOctets<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let data = text()
        return body(UnsafeBufferPointer(start: data.start, count: data.count))
    }

    /// The name of a number, found by binary search; `nil` if there is none.
    func name(of number: some FixedWidthInteger & UnsignedInteger) -> String? {
        let number = UInt128(number)
        return withOctets { octets in
            // Both bounds are always starts of lines, so that the search for the start of a line ends at `low`.
            var low = 0
            var high = octets.count
            while low < high {
                let middle = low + (high - low) / 2
                let start = Self.lineStart(octets, before: middle, from: low)
                let end = Self.lineEnd(octets, after: middle)
                let found = entry(octets[start..<end])
                let key = found.number
                if key == number { return String(decoding: found.name, as: UTF8.self) }
                if key < number { low = end + 1 } else { high = start }
            }
            return nil
        }
    }

    /// One entry of a table, valid inside the closure that receives it. It is read only as far as it is asked for,
    /// because a search passes over many.
    struct Entry {
        fileprivate let key: Line
        /// The name in UTF-8, not copied.
        let name: Line

        var number: UInt128 { key.reduce(UInt128(0)) { $0 << 4 | UInt128(NameTable.digit($1)) } }

        /// The number as a UUID of 16 or 128 bits, by the length of the keys.
        var uuid: BluetoothUUID {
            key.count == 4 ? BluetoothUUID(UInt16(truncatingIfNeeded: number)) : BluetoothUUID(bits128: number).attForm
        }
    }

    /// Passes the entries to `body` in the order of their numbers, until it returns `false`.
    func forEach(_ body: (Entry) -> Bool) {
        withOctets { octets in
            var start = 0
            while start < octets.count {
                let end = Self.lineEnd(octets, after: start)
                guard body(entry(octets[start..<end])) else { return }
                start = end + 1
            }
        }
    }

    private func entry(_ line: Line) -> Entry {
        Entry(key: line.prefix(keyDigits), name: line.dropFirst(keyDigits + 1))
    }

    private static func lineStart(_ octets: UnsafeBufferPointer<UInt8>, before index: Int, from low: Int) -> Int {
        var start = index
        while start > low, octets[start - 1] != UInt8(ascii: "\n") { start -= 1 }
        return start
    }

    private static func lineEnd(_ octets: UnsafeBufferPointer<UInt8>, after index: Int) -> Int {
        var end = index
        while end < octets.count, octets[end] != UInt8(ascii: "\n") { end += 1 }
        return end
    }

    private static func digit(_ character: UInt8) -> UInt8 {
        character <= UInt8(ascii: "9") ? character &- UInt8(ascii: "0") : character &- UInt8(ascii: "A") &+ 10
    }
}

extension NameTable {
    /// Appearance values: a category (the low six bits are zero), or a subcategory of it.
    static let appearances = NameTable(keyDigits: 4) { bluetooth_appearances() }
    static let characteristics = NameTable(keyDigits: 4) { bluetooth_characteristics() }
    /// Company identifiers, as in manufacturer data.
    static let companies = NameTable(keyDigits: 4) { bluetooth_companies() }
    /// GATT declarations (0x28xx) and characteristic descriptors (0x29xx).
    static let descriptors = NameTable(keyDigits: 4) { bluetooth_descriptors() }
    /// HCI commands: where the handle of a connection is, a tab, the name.
    static let hciCommands = NameTable(keyDigits: 4) { bluetooth_hci_commands() }
    /// HCI events, and LE events from 0x3E00: where the handle of a connection is, a tab, the name.
    static let hciEvents = NameTable(keyDigits: 4) { bluetooth_hci_events() }
    /// Commands of the kernel's management interface.
    static let managementCommands = NameTable(keyDigits: 4) { bluetooth_management_commands() }
    /// Events of the kernel's management interface.
    static let managementEvents = NameTable(keyDigits: 4) { bluetooth_management_events() }
    /// 16-bit UUIDs that belong to companies: the owner's name.
    static let members = NameTable(keyDigits: 4) { bluetooth_members() }
    /// Profiles of networked lighting control in a mesh.
    static let meshProfiles = NameTable(keyDigits: 4) { bluetooth_mesh_profiles() }
    /// Descriptions in the Bluetooth SIG's namespace, as in Presentation Format.
    static let namespaceDescriptions = NameTable(keyDigits: 4) { bluetooth_namespace_descriptions() }
    /// Types of objects in the Object Transfer Service.
    static let objectTypes = NameTable(keyDigits: 4) { bluetooth_object_types() }
    /// Protocols of Bluetooth Classic, as in service records.
    static let protocols = NameTable(keyDigits: 4) { bluetooth_protocols() }
    /// Service classes of Bluetooth Classic, which dual-mode devices advertise.
    static let serviceClasses = NameTable(keyDigits: 4) { bluetooth_service_classes() }
    static let services = NameTable(keyDigits: 4) { bluetooth_services() }
    /// 16-bit UUIDs of standards development organisations.
    static let standardsOrganizations = NameTable(keyDigits: 4) { bluetooth_standards_organizations() }
    /// Units of measurement: the symbol (may be empty), a tab, the name.
    static let units = NameTable(keyDigits: 4) { bluetooth_units() }
    /// Well-known UUIDs outside the assigned numbers.
    static let vendor = NameTable(keyDigits: 32) { bluetooth_vendor() }
}
