// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

/// The options of `blectl write`.
struct WriteOptions: Sendable, Equatable {
    /// The source of the octets.
    enum Source: Sendable, Equatable {
        /// The command line.
        case octets([UInt8])
        /// A file, or standard input for `-`.
        case file(String)
    }

    /// The answer of the device to a value.
    enum Method: Sendable, Equatable {
        /// An acknowledgement.
        case withResponse
        /// None.
        case withoutResponse
        /// An echo, and a confirmation that makes the value valid.
        case reliable
        /// None, and the value has a signature.
        case signed
    }

    /// The attribute. A descriptor is written as a whole and with a response only.
    var target: AttributeTarget
    /// The source of the octets.
    var source: Source
    /// The answer of the device.
    var method = Method.withResponse
    /// Whether to read the value back and compare it.
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
    /// Reads the options from a command line.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        target = try arguments.target(arguments[WriteSpec.target], of: WriteSpec.target)
        let words = arguments[WriteSpec.value]
        if words == ["-"] {
            source = .file("-")
        } else if let word = words.first, words.count == 1, let file = try arguments.file(behindAt: word) {
            source = .file(file)
        } else {
            do throws(TypedValue.Problem) {
                source = .octets(
                    try TypedValue.octets(words, in: target.typedFormat(in: arguments.formats), of: target.text)
                )
            } catch {
                throw UsageError(
                    .badData("cannot write: \(error.message)", hint: error.hint),
                    command: arguments.command
                )
            }
        }
        if arguments[WriteSpec.reliable] {
            method = .reliable
        } else if arguments[WriteSpec.signed] {
            method = .signed
        } else if arguments[WriteSpec.noResponse] {
            method = .withoutResponse
        }
        isVerified = arguments[WriteSpec.verify]
        chunk = arguments[WriteSpec.chunk]
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

extension ParsedArguments {
    /// The name of a file whose octets are a value, written as `@FILE`; `nil` for another text.
    func file(behindAt text: String) throws(UsageError) -> String? {
        guard text.hasPrefix("@") else { return nil }
        guard text != "@" else { throw impossible("a file name is missing after @") }
        return String(text.dropFirst())
    }
}

extension WriteOptions.Method {
    /// The option that chooses it.
    fileprivate var option: String {
        switch self {
        case .withResponse, .withoutResponse: "--no-response"
        case .reliable: "--reliable"
        case .signed: "--signed"
        }
    }
}
