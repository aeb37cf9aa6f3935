// SPDX-License-Identifier: MIT

import BluetoothProfiles

extension WriteRule {
    func applies(to value: [UInt8]) -> Bool { conditions.allSatisfy { $0.isMet(by: value) } }
}

extension WriteCondition {
    /// Whether a written value meets the condition. A value that does not fit the format of a number does not.
    fileprivate func isMet(by value: [UInt8]) -> Bool {
        switch self {
        case .equals(let octets): return value == octets
        case .starts(let octets): return value.starts(with: octets)
        case .length(let range): return range.contains(value.count)
        case .number(let range, let format):
            guard case .number(let number)? = try? format.decode(value).content else { return false }
            return number.integer.map { range.contains($0) } ?? false
        case .bits(let mask, let wanted):
            // A definition in Swift may have a mask and a value of different lengths, and an index beyond one would
            // trap.
            return value.count == mask.count && wanted.count == mask.count
                && value.indices.allSatisfy { value[$0] & mask[$0] == wanted[$0] & mask[$0] }
        case .not(let condition): return !condition.isMet(by: value)
        }
    }
}
