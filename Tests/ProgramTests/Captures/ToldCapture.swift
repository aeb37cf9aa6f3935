// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

@testable import CaptureCommands
@testable import Captures
@testable import Commands
@testable import Toolkit

/// A capture in the words of a test, in H4, a millisecond from packet to packet:
///
///     > 01 03 0c 00          sent by the host
///     < 04 0e 04 01 03 0c 00 received by it
///     > 02 40 00 0b 00 |7    its last seven octets are not in the file, which says so
struct ToldCapture {
    let events: [CapturedEvent]

    init(_ lines: String..., isRedacted: Bool = false) {
        self.init(lines, isRedacted: isRedacted)
    }

    init(_ lines: [String], isRedacted: Bool = false) {
        var decoder = CaptureDecoder(isRedacted: isRedacted)
        events = lines.enumerated().map { index, line in
            let parts = line.dropFirst(2).split(separator: "|")
            let octets = Hex.bytes((parts.first ?? "").filter { $0 != " " }) ?? []
            let record = BTSnoopRecord(
                octets,
                originalLength: UInt32(octets.count) + (parts.dropFirst().first.flatMap { UInt32($0) } ?? 0),
                flags: line.hasPrefix("<") ? 1 : 0,
                at: BTSnoopTimestamp(microsecondsSince1970: Int64(index) * 1_000)
            )
            return decoder.event(CapturedRecord(record, of: .h4))
        }
    }

    /// The packets with what the discovery in them tells of attributes.
    var named: [CapturedEvent] {
        var gatt = CapturedGATT()
        return events.map { event in
            var event = event
            gatt.add(&event)
            return event
        }
    }

    /// The operations of GATT, in the order in which `trace --values` prints them.
    var operations: [CapturedOperation] {
        var operations = CapturedOperations()
        return named.flatMap { operations.add($0) } + operations.finish()
    }

    /// The lines of all packets after the time, from their direction on.
    var lines: [String] { events.map { String($0.line.dropFirst(40)) } }

    /// The numbers of the packets that `trace` prints with options.
    func numbers(
        of devices: String...,
        handles: Set<Handle> = [],
        att wantsATT: Bool = false,
        hci wantsHCI: Bool = false
    ) -> [Int] {
        let options = TraceOptions(
            files: ["-"],
            view: .packets,
            devices: devices.compactMap { try? DeviceIdentifier($0) },
            handles: handles,
            targets: [],
            wantsATT: wantsATT,
            wantsHCI: wantsHCI,
            direction: nil,
            begin: nil,
            end: nil,
            hint: nil
        )
        let filter = TraceFilter(options, addresses: Set(devices.compactMap { BluetoothAddress($0) }))
        let gatt = CapturedGATT()
        return events.filter { filter.matches($0, gatt) }.map(\.number)
    }

    /// A link over LE with a handle of two octets, to 11:22:33:44:55:66 unless another address is given.
    static func link(_ handle: String, to address: String = "665544332211") -> String {
        "< 04 3e 13 01 00 \(handle) 00 00 \(address) 1800 0000 2a00 00"
    }

    /// The device of `link`.
    static let device = "11:22:33:44:55:66"
}
