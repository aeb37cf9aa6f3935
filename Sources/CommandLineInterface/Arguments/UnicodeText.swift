// SPDX-License-Identifier: GPL-2.0-or-later

/// Text from outside of the program, as the octets that the kernel passes.
package enum UnicodeText {
    /// Decodes the arguments that follow the name of the program. Throws if one is not UTF-8: replacing invalid octets
    /// would write another value than the typed one, or open another file.
    package static func arguments(_ arguments: [[UInt8]]) throws(UsageError) -> [String] {
        var texts: [String] = []
        for (index, octets) in arguments.enumerated() {
            guard let text = String(validating: octets, as: UTF8.self) else {
                throw UsageError(.notUnicode(escaped(octets), of: "argument \(index + 1)"), command: nil)
            }
            texts.append(text)
        }
        return texts
    }

    /// Decodes the value of an environment variable. Throws if it is not UTF-8.
    package static func variable(_ name: String, _ octets: [UInt8]) throws(UsageError) -> String {
        guard let text = String(validating: octets, as: UTF8.self) else {
            throw UsageError(.notUnicode(escaped(octets), of: "$\(name)"), command: nil)
        }
        return text
    }

    /// The octets as printable ASCII, others escaped: `text:\xff\xfe`.
    private static func escaped(_ octets: [UInt8]) -> String {
        var text = ""
        for octet in octets.prefix(80) {
            if (0x20..<0x7F).contains(octet) {
                text.unicodeScalars.append(Unicode.Scalar(octet))
            } else {
                text += "\\x" + (octet < 0x10 ? "0" : "") + String(octet, radix: 16)
            }
        }
        return octets.count > 80 ? text + "..." : text
    }
}
