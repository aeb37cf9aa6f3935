// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Toolkit

struct WriteOptions: Sendable, Equatable {
    /// The answer of the device to a value.
    enum Method: Sendable, Equatable {
        case withResponse
        case withoutResponse
        /// An echo, and a confirmation that makes the value valid.
        case reliable
        /// None, and the value has a signature.
        case signed
    }

    /// The attribute. A descriptor is written as a whole and with a response only.
    var target: AttributeTarget
    /// The octets, or where they come from.
    var source: ValueInput
    /// The format that a value has to have; `nil` if it is not known, or with `--raw`.
    var format: CharacteristicFormat?
    /// Hex digits without a mark for the attribute at a handle, which mean another value if its format turns out to be
    /// known.
    var digits: String?
    var method = Method.withResponse
    var isVerified = false
    /// The size limit of a piece, in octets (`--chunk`).
    var chunk: Int?

    /// Whether to write in pieces: with `--chunk`, and for a file or standard input without response, because more than
    /// a packet cannot be written otherwise without response.
    var isPiecewise: Bool {
        if chunk != nil { return true }
        guard case .file = source else { return false }
        return method == .withoutResponse && !isVerified
    }
}

extension WriteOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        target = try arguments.target(arguments[WriteCommand.target], of: WriteCommand.target)
        format = arguments[WriteCommand.raw] ? nil : target.typedFormat(in: arguments.formats)
        source = try arguments.value(
            arguments[WriteCommand.value],
            in: format,
            of: target.text,
            doing: "write \(target)"
        )
        if target.handle != nil, !arguments[WriteCommand.raw], case .octets = source,
            let word = arguments[WriteCommand.value].first, !TypedValue.isMarked(word)
        {
            digits = word
        }
        if arguments[WriteCommand.reliable] {
            method = .reliable
        } else if arguments[WriteCommand.signed] {
            method = .signed
        } else if arguments[WriteCommand.noResponse] {
            method = .withoutResponse
        }
        isVerified = arguments[WriteCommand.verify]
        chunk = arguments[WriteCommand.chunk]
        try refuseDescriptor(arguments)
        try refuseUnprovenReading(arguments)
    }

    /// A signature authenticates the writer and not the device: the value that is read back could come from any device.
    private func refuseUnprovenReading(_ arguments: ParsedArguments) throws(UsageError) {
        let isEncrypted =
            arguments.isGiven(DeviceSpec.minimumKeySize) || (arguments[DeviceSpec.security] ?? .low) != .low
        guard method == .signed, isVerified, !isEncrypted else { return }
        throw arguments.impossible(
            "--verify would read from an unauthenticated device: --signed leaves the link unencrypted",
            hint: "leave out --signed, and the link of a bonded device is encrypted; or leave out --verify"
        )
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
                hint: "leave out \(method.option)"
            )
        }
    }
}

extension WriteOptions.Method {
    fileprivate var option: String {
        switch self {
        case .withResponse, .withoutResponse: "--no-response"
        case .reliable: "--reliable"
        case .signed: "--signed"
        }
    }
}
