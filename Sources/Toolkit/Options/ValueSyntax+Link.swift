// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import BluetoothHost
package import CommandLineInterface

extension ValueSyntax where Value == ClosedRange<LEInterval<1250>> {
    /// A connection interval, or a range of them. Only multiples of the unit lie in a range.
    static var connectionInterval: ValueSyntax {
        ValueSyntax(name: "TIME[..TIME]") { text throws(ValueProblem) in
            // A single dot is that of a decimal number. Only two dots in a row make a range.
            let ends = text.split(separator: ".", omittingEmptySubsequences: false).count > 2 ? parts(of: text) : [text]
            guard let first = ends.first, let last = ends.last, ends.count <= 2 else { throw problem }
            let (low, high) = (try DurationSyntax.parse(first), try DurationSyntax.parse(last))
            let unit = LEInterval<1250>(rawValue: 1).duration.clampedNanoseconds
            let (least, most) = (low.clampedNanoseconds, high.clampedNanoseconds)
            // Rounded inwards, so that the controller cannot choose an interval outside of the typed range.
            let bounds = ((least + unit - 1) / unit, most / unit)
            // The range of HCI, 7.5 ms to 4 s: Core 5.4, Vol 4, Part E, 7.8.18. Within it, the conversion to UInt32
            // cannot trap.
            guard low <= high, (0x0006...0x0C80).contains(bounds.0), (0x0006...0x0C80).contains(bounds.1) else {
                throw problem
            }
            // Both ends may lie between two neighbouring multiples.
            guard bounds.0 <= bounds.1 else {
                let near = LEInterval<1250>(rawValue: UInt32(bounds.1))
                throw ValueProblem(expectation: "expected a multiple of 1.25 ms, such as \(near)")
            }
            return LEInterval(rawValue: UInt32(bounds.0))...LEInterval(rawValue: UInt32(bounds.1))
        }
    }

    private static var problem: ValueProblem {
        ValueProblem(expectation: "expected a time from 7.5ms to 4s, or a range such as 15ms..30ms")
    }

    /// The texts at both sides of the first two dots.
    private static func parts(of text: String) -> [String] {
        var rest = Substring(text)
        while let dot = rest.firstIndex(of: ".") {
            let next = rest.index(after: dot)
            if next < rest.endIndex, rest[next] == "." {
                return [String(text[..<dot]), String(text[rest.index(after: next)...])]
            }
            rest = rest[next...]
        }
        return [text]
    }
}

extension ValueSyntax where Value == BearerRequest.Exchange {
    /// The size that an exchange of the MTU offers.
    static var exchange: ValueSyntax {
        let sizes: ClosedRange<UInt16> = ATTBearer.minimumMTU...ATTConnection.offeredMTU
        return ValueSyntax(name: "OCTETS|none") { text throws(ValueProblem) in
            if text == "none" { return .never }
            guard let size = UInt16(text), sizes.contains(size) else {
                throw ValueProblem(
                    expectation: "expected a whole number from \(sizes.lowerBound) to \(sizes.upperBound), or none"
                )
            }
            return .offering(size)
        }
    }
}

extension ValueSyntax where Value == ClosedRange<UInt16> {
    /// A subrate factor, or a range of them.
    static var subrate: ValueSyntax {
        ValueSyntax(name: "FACTOR[..FACTOR]") { text throws(ValueProblem) in
            let ends = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            let last = ends.count == 2 && ends[1].first == "." ? ends[1].dropFirst() : ends.count == 1 ? ends[0] : ""
            // The range of HCI: Core 5.4, Vol 4, Part E, 7.8.124.
            guard let low = ends.first.flatMap({ UInt16($0) }), let high = UInt16(last),
                1 <= low, low <= high, high <= 500
            else { throw ValueProblem(expectation: "expected a number from 1 to 500, or a range such as 2..5") }
            return low...high
        }
    }
}

extension ValueSyntax where Value == LEInterval<625> {
    package static var scanTime: ValueSyntax<LEInterval<625>> {
        ValueSyntax(name: "TIME") { text throws(ValueProblem) in
            let duration = try DurationSyntax.parse(text)
            let time = LEInterval<625>(duration)
            // The range of the legacy command, which is the smaller one: Core 5.4, Vol 4, Part E, 7.8.10.
            guard (0x0004...0x4000).contains(time.rawValue), time.duration == duration else {
                throw ValueProblem(expectation: "expected a time from 2.5ms to 10.24s, a multiple of 0.625 ms")
            }
            return time
        }
    }
}

extension ValueSyntax where Value == LEInterval<10_000> {
    package static var supervisionTimeout: ValueSyntax<LEInterval<10_000>> {
        ValueSyntax(name: "TIME") { text throws(ValueProblem) in
            let duration = try DurationSyntax.parse(text)
            let timeout = LEInterval<10_000>(duration)
            guard LinkRequest.supervisionTimeouts.contains(timeout), timeout.duration == duration else {
                throw ValueProblem(expectation: "expected a time from 100ms to 32s, a multiple of 10 ms")
            }
            return timeout
        }
    }
}
