// SPDX-License-Identifier: MIT

/// A version of firmware. Spec: MCUboot, Image format, `struct image_version`
package struct FirmwareVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// What becomes new when something is taken away.
    package let major: UInt8
    /// What becomes new when something is added.
    package let minor: UInt8
    /// What becomes new when something is repaired.
    package let revision: UInt16
    package let build: UInt32

    package init(_ major: UInt8, _ minor: UInt8, _ revision: UInt16, build: UInt32 = 0) {
        self.major = major
        self.minor = minor
        self.revision = revision
        self.build = build
    }

    /// The version in a text: `1.2.3`, or `1.2.3+4` with the number of a build, as imgtool takes it; `nil` if it is none.
    package init?(_ text: String) {
        let numbers = text.split(separator: "." as Character, omittingEmptySubsequences: false)
        guard numbers.count == 3 else { return nil }
        let last = numbers[2].split(separator: "+" as Character, omittingEmptySubsequences: false)
        guard last.count <= 2, let major = UInt8(digits: numbers[0]), let minor = UInt8(digits: numbers[1]),
            let revision = UInt16(digits: last[0]), let build = last.count == 1 ? 0 : UInt32(digits: last[1])
        else { return nil }
        self.init(major, minor, revision, build: build)
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor, left.revision, left.build) < (right.major, right.minor, right.revision, right.build)
    }

    /// As MCUmgr's servers write it: without a build that is 0.
    package var description: String { "\(major).\(minor).\(revision)" + (build == 0 ? "" : ".\(build)") }
}

extension FixedWidthInteger {
    /// The number of digits alone; `nil` for a sign, or for nothing.
    fileprivate init?(digits: Substring) {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.init(digits)
    }
}
