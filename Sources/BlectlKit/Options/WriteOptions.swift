// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

/// What `blectl write` writes, and how.
struct WriteOptions: Sendable, Equatable {
    /// Where the octets come from.
    enum Source: Sendable, Equatable {
        /// The command line.
        case octets([UInt8])
        /// A file, or standard input for `-`.
        case file(String)
    }

    /// How the device answers a value.
    enum Method: Sendable, Equatable {
        /// It acknowledges it.
        case withResponse
        /// Not at all.
        case withoutResponse
        /// It repeats it before it counts.
        case reliable
    }

    /// The attribute. A descriptor is written as a whole and with a response.
    var target: AttributeTarget
    /// Where the octets come from.
    var source: Source
    /// How the device answers.
    var method = Method.withResponse
    /// Whether the value is read back and compared.
    var isVerified = false
    /// The largest piece, in octets; `nil`: none was asked for.
    var chunk: Int?

    /// Whether the octets are written piece by piece: where that is asked for, and of a file or standard input without
    /// response, where there is no other way for what is longer than a packet.
    var isPiecewise: Bool {
        if chunk != nil { return true }
        guard case .file = source else { return false }
        return method == .withoutResponse && !isVerified
    }
}

extension WriteOptions {
    /// Reads them from a command line.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        target = try arguments.target(arguments[WriteSpec.target], of: WriteSpec.target)
        let text = arguments[WriteSpec.value]
        if text == "-" {
            source = .file("-")
        } else if text.hasPrefix("@") {
            source = .file(String(text.dropFirst()))
        } else {
            do throws(ValueFormatError) {
                source = .octets(try ValueFormat.encode(text))
            } catch {
                throw UsageError(.badData("cannot write: \(error)"), command: arguments.command)
            }
        }
        if arguments[WriteSpec.reliable] {
            method = .reliable
        } else if arguments[WriteSpec.noResponse] {
            method = .withoutResponse
        }
        isVerified = arguments[WriteSpec.verify]
        chunk = arguments[WriteSpec.chunk]
        try refuseDescriptor(arguments)
    }

    private func refuseDescriptor(_ arguments: ParsedArguments) throws(UsageError) {
        guard target.isDescriptor else { return }
        if isPiecewise {
            throw arguments.impossible(
                "cannot write \(target): a descriptor is written as a whole",
                hint: "leave out \(method == .withoutResponse ? "--no-response" : "--chunk")"
            )
        }
        if method != .withResponse {
            throw arguments.impossible(
                "cannot write \(target): a descriptor is written with a response, and in no other way",
                hint: "leave out \(method == .reliable ? "--reliable" : "--no-response")"
            )
        }
    }
}
