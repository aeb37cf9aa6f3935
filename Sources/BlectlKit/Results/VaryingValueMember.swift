// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

/// The members of a record that differ from value to value of one attribute, for a raw value and for a measurement.
enum VaryingValueMember: Int {
    /// The fields of the value; `null` if its format is not known.
    case decoded
    /// Why the value could not be decoded to its end; `null` if it could.
    case fault
    /// The number of octets.
    case length
    /// The moment on the monotonic clock, in nanoseconds.
    case monotonic
    /// The number of the value.
    case sequence
    /// The decoded value in words.
    case text
    /// The wall time, in UTC.
    case time
    /// The octets in hexadecimal.
    case value

    /// Writes the member of a value.
    ///
    /// - Parameter sequence: The number of the value in its stream; `nil` for a value that was read.
    func write(
        _ presentation: ValuePresentation,
        _ timestamp: Timestamp,
        sequence: Int?,
        to json: inout JSONWriter
    ) {
        switch self {
        case .decoded: json.value(presentation.decoded?.content ?? .null)
        case .fault: json.value(presentation.decoded?.faultContent ?? .null)
        case .length: json.integer(presentation.bytes.count)
        case .monotonic: json.integer(timestamp.monotonic.nanoseconds)
        case .sequence: json.integer(sequence)
        case .text: json.string(presentation.decoded?.fullText)
        case .time: json.time(timestamp.wall)
        case .value: json.hex(presentation.bytes)
        }
    }
}
