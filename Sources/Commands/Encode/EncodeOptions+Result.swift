// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Records
import Toolkit

extension EncodeOptions {
    /// The octets of the fields. It is the inverse of `decode`: they decode to the fields that were given.
    func result(in formats: FormatCatalogue, at timestamp: Timestamp) throws(BlectlError) -> EncodedValueResult {
        // A descriptor type includes its characteristic, so the descriptor has to be checked first.
        let format =
            if let descriptor = type.descriptor {
                DescriptorValue.format(ofDescriptor: descriptor)
            } else {
                type.characteristic.flatMap { formats.format(of: $0) }
            }
        guard let format else {
            throw BlectlError(
                .badData,
                cannot: "encode \(type.text)",
                "the format of its values is not known",
                hint: type.descriptor == nil
                    ? "--formats FILE describes private characteristics: man blectl-formats" : nil
            )
        }
        let presentation = try ValuePresentation(try octets(in: format), of: type, formats)
        return EncodedValueResult(type: type, presentation: presentation, formats: formats, timestamp: timestamp)
    }

    /// The octets of the words of the command line, or of a file, as `write` takes them.
    private func octets(in format: CharacteristicFormat) throws(BlectlError) -> [UInt8] {
        let action = "encode \(type.text)"
        switch source {
        case .words(let words):
            do throws(TypedValue.Problem) {
                return try TypedValue.octets(words, in: format, of: type.text)
            } catch {
                throw BlectlError(.badData, cannot: action, error.message, hint: error.hint)
            }
        case .file(let path):
            let value = try StandardStreams.readValue(path, doing: action)
            try StandardStreams.check(value, in: format, doing: action)
            return value
        }
    }
}
