// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothProfiles
package import CommandLineInterface

/// How the frames of a protocol follow each other in the octets that a device sends.
package enum FrameFormat: Hashable, Sendable {
    /// Each ends with these octets, at least one, which are not part of it.
    case ended(by: [UInt8])
    /// Each ends with a line feed, and a carriage return before that is not part of it either.
    case line
    /// Each has a number of octets in it.
    case counted(LengthField)

    package struct LengthField: Hashable, Sendable {
        /// An unsigned number of at most four octets.
        package var format: ValueFormat
        package var size: Int
        /// The octets before the field.
        package var offset = 0
        /// The octets that a frame has more than the field says, if the field counts those that follow it.
        package var more = 0

        /// The length of the frame that begins with these octets; `nil` if the field has not come yet.
        func length(of octets: some Collection<UInt8>) -> Int? {
            let field = Array(octets.dropFirst(offset).prefix(size))
            guard field.count == size else { return nil }
            let number = (format.isBigEndian ? field : field.reversed()).reduce(0) { $0 << 8 | Int($1) }
            return offset + size + number + more
        }
    }

    /// The most octets of a frame. A device that sends more without an end is not followed.
    package static let longest = 65_536

    /// Parses `line`, `end:0d0a`, `length:u16be`, `length:u8@2+1` or `length:u8-1`; `nil` for other texts.
    package init?(_ text: String) {
        if text == "line" {
            self = .line
        } else if text.hasPrefix("end:") {
            guard let end = Hex.bytes(text.dropFirst(4)), !end.isEmpty else { return nil }
            self = .ended(by: end)
        } else if text.hasPrefix("length:") {
            guard let field = LengthField(text.dropFirst(7)) else { return nil }
            self = .counted(field)
        } else {
            return nil
        }
    }
}

extension FrameFormat.LengthField {
    /// Parses `u16be`, `u8@2`, `u8+1`, `u8@2-1`.
    fileprivate init?(_ text: Substring) {
        let name = text.prefix { $0 != "@" && $0 != "+" && $0 != "-" }
        guard let format = try? ValueFormat(name), case .unsigned(let size) = format.kind, size <= 4 else { return nil }
        self.init(format: format, size: size)
        var rest = text.dropFirst(name.count)
        if rest.first == "@" {
            let digits = rest.dropFirst().prefix { $0 != "+" && $0 != "-" }
            guard let offset = Int(digits), (0...255).contains(offset) else { return nil }
            self.offset = offset
            rest = rest.dropFirst(digits.count + 1)
        }
        guard !rest.isEmpty else { return }
        guard let more = Int(rest), (-255...255).contains(more) else { return nil }
        self.more = more
    }
}

extension ValueSyntax where Value == FrameFormat {
    package static var frames: ValueSyntax<FrameFormat> {
        ValueSyntax(name: "FORM") { text throws(ValueProblem) in
            guard let format = FrameFormat(text) else {
                throw ValueProblem(
                    expectation: "expected line, end:OCTETS as in end:0d0a, or length:FORMAT as in length:u16be@2+1"
                )
            }
            return format
        }
    }
}

/// Cuts the octets of one characteristic into frames. Its memory is bounded by the longest frame and one value.
package struct FrameAssembler: Sendable {
    private let format: FrameFormat
    /// The octets that belong to no whole frame yet.
    private var rest: [UInt8] = []
    /// How many of these are known to contain no end.
    private var searched = 0
    /// Whether octets are missing, so that those up to the next end are the tail of a frame.
    private var isBroken = false

    package init(_ format: FrameFormat) { self.format = format }

    /// The number of octets of the frame that has not ended.
    package var unfinished: Int { rest.count }

    /// The frames that end with a value, without what separates them, and the number of octets that belong to none.
    package mutating func add(_ octets: [UInt8]) -> (frames: [[UInt8]], lost: Int) {
        rest += octets
        var frames: [[UInt8]] = []
        var (start, lost) = (0, 0)
        // Each round leaves at least one octet behind.
        while let (length, separator) = next(from: start) {
            // A frame that ends before its length field, or is too long, tells nothing of where the next one begins.
            guard length > 0, length <= FrameFormat.longest || separator > 0 else {
                let left = rest.count - start
                interrupt()
                return (frames, lost + left)
            }
            guard start + length <= rest.count else { break }
            if isBroken || length > FrameFormat.longest {
                lost += length
                isBroken = false
            } else {
                frames.append(Array(rest[start..<start + length - separator]))
            }
            start += length
        }
        if start > 0 {
            rest.removeFirst(start)
            searched = max(0, searched - start)
        }
        if rest.count > FrameFormat.longest {
            lost += rest.count
            interrupt()
        }
        return (frames, lost)
    }

    /// Forgets the frame that has not ended, because octets are missing: those up to the next end are no frame.
    /// Without ends between frames it begins anew.
    package mutating func interrupt() {
        rest = []
        searched = 0
        if case .counted = format { return }
        isBroken = true
    }

    /// The octets of the frame at a place, with those that separate it from the next one, and the number of the latter;
    /// `nil` if that is not known yet, 0 octets if it cannot be one.
    private mutating func next(from start: Int) -> (length: Int, separator: Int)? {
        switch format {
        case .counted(let field):
            guard let length = field.length(of: rest[start...]) else { return nil }
            return (length >= field.offset + field.size ? length : 0, 0)
        case .line:
            guard let end = end([0x0A], from: start) else { return nil }
            return (end - start, end - start > 1 && rest[end - 2] == 0x0D ? 2 : 1)
        case .ended(let separator):
            return end(separator, from: start).map { ($0 - start, separator.count) }
        }
    }

    /// The place after the first separator; `nil` without one. What was searched is not searched again.
    private mutating func end(_ separator: [UInt8], from start: Int) -> Int? {
        var place = max(start, searched)
        while place + separator.count <= rest.count {
            if rest[place..<place + separator.count].elementsEqual(separator) {
                searched = place + separator.count
                return searched
            }
            place += 1
        }
        searched = place
        return nil
    }
}
