// SPDX-License-Identifier: MIT

import Bluetooth

extension AssignedNumbers {
    /// The appearance with that name, `heart-rate-belt` or `Heart Rate Belt`; `nil` if there is none. Only letters and
    /// digits count.
    public static func appearance(named name: some StringProtocol) -> UInt16? {
        NameTable.appearances.number(named: name) { $0 }
    }

    /// The number of the unit of measurement with that name or UUID, or of an unknown one as it is decoded; `nil` if
    /// there is none. Only letters and digits of a name count.
    static func unit(named name: String) -> UInt16? {
        if name.hasPrefix("unknown ("), name.hasSuffix(")") {
            return BluetoothUUID(name.dropFirst(9).dropLast())?.short16
        }
        if let short = BluetoothUUID(name)?.short16 { return short }
        // The symbol and a tab come before the name.
        return NameTable.units.number(named: name) { line in
            line[(line.firstIndex(of: UInt8(ascii: "\t")).map { $0 + 1 } ?? line.startIndex)...]
        }
    }
}

extension NameTable {
    /// The first number whose name has the same letters and digits.
    fileprivate func number(named name: some StringProtocol, in part: (Line) -> Line) -> UInt16? {
        let key = NameKey(name.utf8)
        guard !key.octets.isEmpty else { return nil }
        var found: UInt16?
        forEach { entry in
            if key.matches(part(entry.name)) { found = UInt16(truncatingIfNeeded: entry.number) }
            return found == nil
        }
        return found
    }
}
