// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension SchemaText {
    /// The allowed texts, to follow "expected".
    var allowed: String {
        switch self {
        case .any(let octets) where octets.upperBound >= DeviceFile.maximumSize: "a text"
        case .any(let octets): "a text of \(octets.lowerBound == 0 ? "at most" : "1 to") \(octets.upperBound) octets"
        case .hex(let octets) where octets.count == 1: "\(2 * octets.lowerBound) hex digits"
        case .hex(let octets): "at most \(octets.upperBound) octets in hex digits"
        case .secret(let octets): "\(2 * octets) hex digits"
        case .uuid(let kind): "a UUID or the assigned name of a \(kind.rawValue)"
        case .anyUUID: "a UUID"
        case .duration(let range):
            "a time from \(FileDuration.text(range.lowerBound)) to \(FileDuration.text(range.upperBound))"
        case .address: "an address such as C8:4B:1D:3A:90:5E"
        case .reference: "a label, a UUID or the assigned name of a characteristic"
        case .value: "a value such as 0x01ff, u16:500 or text:hello"
        case .attError: "an error from 0x01 to 0xff, or its name"
        case .appearance: "the assigned name of an appearance"
        case .numeral(let range): "a number from " + FileName.hex(range)
        case .numberFormat: "a format of numbers such as u8, s16be or f32"
        case .presentationFormat: "a format type such as uint8, sint16 or utf8s"
        case .unit: "a unit from 0x2700 to 0x27ff, or its assigned name"
        case .database: "the name of one of the databases"
        case .programValue: "the value of a program"
        case .programCommand: "the command of a program"
        }
    }

    /// Why a text is not of this kind; `nil` if it is one.
    ///
    /// Parts that depend on the rest of the file, such as references, are checked when the device is built.
    func problem(_ text: String) -> String? {
        switch self {
        case .any(let octets): octets.contains(text.utf8.count) ? nil : wrong(text)
        case .hex(let octets): Hex.bytes(text).map { octets.contains($0.count) } == true ? nil : wrong(text)
        case .secret(let octets): Hex.bytes(text)?.count == octets ? nil : "expected \(allowed)"
        case .uuid(let kind): problem { () throws(FileTextError) in _ = try FileName.uuid(text, kind) }
        case .anyUUID: BluetoothUUID(text) == nil ? wrong(text) : nil
        case .duration(let range): FileDuration.parse(text).map(range.contains) == true ? nil : wrong(text)
        case .address: BluetoothAddress(text) == nil ? wrong(text) : nil
        case .attError: FileName.attError(text) == nil ? wrong(text, FileName.attErrors) : nil
        case .appearance: problem { () throws(FileTextError) in _ = try FileName.appearance(text) }
        case .numeral(let range): Int64(numeral: text).map(range.contains) == true ? nil : wrong(text)
        case .numberFormat: FileName.numberFormat(text) == nil ? wrong(text, ValueFormat.names) : nil
        case .presentationFormat:
            FileName.presentationFormat(text) == nil ? wrong(text, FileName.presentationFormats) : nil
        case .unit: FileName.unit(text) == nil ? wrong(text, FileName.units) : nil
        case .reference, .value, .database, .programValue, .programCommand: nil
        }
    }

    private func wrong(_ text: String, _ words: [String] = []) -> String {
        "expected \(allowed), found '\(text.shortened)'" + FileName.hint(text, among: words)
    }

    private func problem(_ parse: () throws(FileTextError) -> Void) -> String? {
        do {
            try parse()
            return nil
        } catch {
            return error.message
        }
    }
}
