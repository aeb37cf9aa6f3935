// SPDX-License-Identifier: MIT

import Bluetooth

/// The error with which a server answers a request.
///
/// Spec: Zephyr, SMP Protocol Specification, Minimal response data
package struct MCUmgrRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The group whose number the code is, in version 2 of the protocol; `nil` for a number that all groups share.
    package let group: MCUmgrGroup?
    /// The number, which is not 0.
    package let code: Int
    /// The reason in the server's words; `nil` if it gives none.
    package let reason: String?

    /// An error of a group, or of all.
    package init(group: MCUmgrGroup? = nil, code: Int, reason: String? = nil) {
        self.group = group
        self.code = code
        self.reason = reason
    }

    package static func shared(_ code: SharedCode) -> MCUmgrRefusal { MCUmgrRefusal(code: code.rawValue) }

    package enum SharedCode: Int, Hashable, Sendable {
        case unknown = 1
        /// The server's memory does not suffice.
        case noMemory = 2
        case invalidValue = 3
        /// It took too long.
        case timeout = 4
        case noEntry = 5
        case badState = 6
        case responseTooLong = 7
        /// The server does not know the command.
        case notSupported = 8
        case corrupt = 9
        /// Something else is being done.
        case busy = 10
        case accessDenied = 11
        case tooOld = 12
        case tooNew = 13
    }

    /// The error that all groups share; `nil` if it is one of a group.
    package var shared: SharedCode? { group == nil ? SharedCode(rawValue: code) : nil }

    /// The error in the fields of a response; `nil` if it states success.
    init?(in fields: CBORMap) throws(DecodeError) {
        if let error = try fields.optional("err", \.fields) {
            let group = try error.required("group", \.count)
            let code = try error.required("rc", \.integer)
            guard let group = UInt16(exactly: group) else {
                throw DecodeError("group", .invalid(value: UInt64(group)))
            }
            guard code != 0 else { return nil }
            self.init(group: MCUmgrGroup(rawValue: group), code: code, reason: try fields.optional("rsn", \.string))
        } else {
            // A server of the first version may state success, too.
            guard let code = try fields.optional("rc", \.integer), code != 0 else { return nil }
            self.init(code: code, reason: try fields.optional("rsn", \.string))
        }
    }

    /// The fields of a response with this error.
    package var fields: CBORMap {
        guard let group else { return CBORMap(["rc": CBORValue(code), "rsn": reason.map { .text($0) }]) }
        let error = CBORMap(["group": CBORValue(Int(group.rawValue)), "rc": CBORValue(code)])
        return CBORMap(["err": .map(error), "rsn": reason.map { .text($0) }])
    }

    /// The error in words, with its number. The reason is the server's, and not escaped.
    package var description: String {
        let number = group.map { "\($0) error \(code)" } ?? "MCUmgr error \(code)"
        let words = meaning.map { "\($0) (\(number))" } ?? number
        return reason.map { "\(words): \($0)" } ?? words
    }

    /// What the number means; `nil` if it is not known.
    package var meaning: String? {
        let names: [String] =
            switch group {
            case nil: Self.sharedNames
            case .os: Self.osNames
            case .image: Self.imageNames
            case .statistics: Self.statisticsNames
            case .settings: Self.settingsNames
            case .files: Self.fileNames
            case .shell: Self.shellNames
            default: ["unknown error"]
            }
        return names.indices.contains(code &- 1) ? names[code - 1] : nil
    }
}

/// The meaning of each number, from 1 on, as Zephyr's headers state them.
extension MCUmgrRefusal {
    private static let sharedNames = [
        "unknown error", "out of memory", "invalid value", "timed out", "no such entry", "not in this state",
        "response too long", "not supported", "corrupt", "busy", "access denied", "protocol version too old",
        "protocol version too new",
    ]

    private static let osNames = [
        "unknown error", "invalid format", "no answer to the query", "clock not set", "clock failed",
    ]

    private static let imageNames = [
        "unknown error", "flash layout unknown", "no image", "image without TLVs", "invalid TLV",
        "several hashes in the image", "invalid length of a TLV", "no hash in the image", "no free slot",
        "flash cannot be opened", "flash cannot be read", "flash cannot be written", "flash cannot be erased",
        "invalid slot", "out of memory", "upload already begun", "no upload begun", "no flash device",
        "invalid offset in a page", "offset missing", "length missing", "shorter than an image header",
        "no image (wrong magic)", "invalid hash", "image is for another address",
        "version of the running image unknown",
        "running image is newer", "an image is pending already", "invalid vector table", "image too large",
        "more data than announced", "confirmation denied", "the active image cannot be tested", "active slot unknown",
    ]

    private static let statisticsNames = [
        "unknown error", "no such group", "no such name", "invalid size", "walk ended",
    ]

    private static let settingsNames = [
        "unknown error", "key too long", "no such key", "cannot be read", "no such root key", "cannot be written",
        "cannot be deleted", "cannot be saved",
    ]

    private static let fileNames = [
        "unknown error", "invalid name", "no such file", "a directory", "cannot be opened", "cannot be sought",
        "cannot be read", "cannot be truncated", "cannot be deleted", "cannot be written", "invalid offset",
        "offset behind the end", "no such checksum", "no such mount point", "read-only", "empty file",
    ]

    private static let shellNames = ["unknown error", "command too long", "empty command"]
}
