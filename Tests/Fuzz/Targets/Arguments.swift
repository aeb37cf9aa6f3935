// SPDX-License-Identifier: GPL-2.0-or-later

@testable import BlectlKit
@testable import Bluetooth
@testable import BluetoothProfiles

/// The first octet chooses what is read, in most cases a command line; the rest is text, or octets for the decoders. Words are
/// separated by NUL.
func fuzz(_ bytes: [UInt8]) {
    var input = bytes[...]
    let choice = input.popFirst() ?? 0
    let rest = Array(input)
    let text = String(decoding: rest, as: UTF8.self)
    let words = rest.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    checkTerminal(text)
    switch choice {
    case 1: checkDuration(text)
    case 2: checkValue(text)
    case 3: checkTarget(text)
    case 4: checkGlob(words.first ?? "", words.count > 1 ? words[1] : "")
    case 5: checkDecoders(rest)
    case 6: checkFormats(rest)
    case 7: checkNames(text)
    default: checkInvocation(words)
    }
}

// MARK: - The command line

private func checkInvocation(_ words: [String]) {
    do throws(UsageError) {
        let invocation = try Invocation(words) { $0 == "BLECTL_DEVICE" ? words.last : nil }
        if let text = invocation.immediateText(width: 40 + words.count) { return check(!text.isEmpty, "no text") }
        guard case .run(let parsed) = invocation else { return check(false, "neither a text nor a command") }
        check(parsed[GlobalSpec.timeout] > .zero, "a timeout of nothing")
        check(!(parsed[GlobalSpec.quiet] && parsed[GlobalSpec.verbose] > 0), "quiet and verbose")
    } catch {
        guard error.reason != .nothingGiven else { return }
        check(error.text.hasPrefix("blectl: "), "\(error.text)")
        check(isPrintable(error.text, lines: 2), "an error that is not two printable lines")
    }
}

private func checkDuration(_ text: String) {
    guard let duration = try? DurationSyntax.parse(text) else { return }
    check(duration > .zero && duration <= DurationSyntax.longest, "\(text) is \(duration)")
}

private func checkTarget(_ text: String) {
    if let target = try? AttributeTarget(text) {
        check(target.description == text, "a target under another name")
        _ = target.likelyService
    }
    _ = try? serviceUUID(text)
    if let address = BluetoothAddress(text) { check(BluetoothAddress(address.description) == address, "\(address)") }
    if let uuid = BluetoothUUID(text) { check(BluetoothUUID(uuid.description) == uuid, "\(uuid)") }
}

private func checkGlob(_ pattern: String, _ text: String) {
    _ = Glob(pattern).matches(text)
    check(Glob("*").matches(text), "* does not fit everything")
    let literal = text.reduce(into: "") { $0 += "\\\($1)" }
    if literal.count == text.count * 2 { check(Glob(literal).matches(text), "a text does not fit itself") }
}

private func checkNames(_ text: String) {
    // One kind for each text: suggestions take as long as a thousand other things here.
    let kinds = [AssignedNumber.Kind.service, .characteristic, .descriptor]
    let kind = kinds[text.utf8.count % kinds.count]
    _ = AssignedNumbers.uuids(named: text, kinds: [kind])
    check(AssignedNumbers.suggestions(for: text, kinds: [kind], limit: 2).count <= 2, "too many suggestions")
}

// MARK: - Values

private func checkValue(_ text: String) {
    do throws(ValueFormatError) {
        let bytes = try ValueFormat.encode(text)
        guard let colon = text.firstIndex(of: ":"), let format = try? ValueFormat(text[..<colon]) else { return }
        checkRoundTrip(bytes, format, text)
    } catch {
        _ = error.description
    }
}

/// What a value decodes to encodes to something that decodes to the same.
private func checkRoundTrip(_ bytes: [UInt8], _ format: ValueFormat, _ text: String) {
    guard let decoded = try? format.decode(bytes) else {
        return check(bytes.isEmpty || format.kind == .utf16, "\(text) cannot be read back as \(format)")
    }
    checkText(decoded)
    guard let again = try? format.encode(decoded.text) else {
        return check(format.isFloating, "\(decoded.text) of \(format) cannot be written")
    }
    if !format.isFloating { check(again == bytes, "\(decoded.text) of \(format) is written differently") }
    check((try? format.decode(again))?.text == decoded.text, "\(decoded.text) of \(format) is read differently")
}

private func checkFormats(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let name = ValueFormat.names[Int(first & 0x7F) % ValueFormat.names.count] + (first & 0x80 == 0 ? "" : "be")
    guard let format = try? ValueFormat(name) else { return }
    check(format.description == name || first & 0x80 != 0, "\(name) is called \(format)")
    let value = Array(bytes.dropFirst())
    guard (try? format.decode(value)) != nil else { return }
    checkRoundTrip(value, format, "a value")
}

private func checkDecoders(_ bytes: [UInt8]) {
    guard bytes.count >= 2 else { return }
    let uuid = BluetoothUUID(UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
    let value = Array(bytes.dropFirst(2))
    if let decoded = try? CharacteristicValue.decode(value, of: uuid) { checkText(decoded) }
    if let decoded = try? DescriptorValue.decode(value, of: uuid, characteristic: 0x2A19) { checkText(decoded) }
    if let decoded = try? DescriptorValue.decode(value, of: 0x2906, characteristic: uuid) { checkText(decoded) }
}

private func checkText(_ decoded: DecodedValue) {
    checkTerminal(decoded.fullText)
    checkContent(decoded.content, depth: 0)
}

private func checkContent(_ content: DecodedValue.Content, depth: Int) {
    check(depth < 16, "a tree without an end")
    switch content {
    case .null, .bool: break
    case .number(let number):
        check(DecimalNumber(number.description) == number, "\(number) is read differently")
    case .string(let text): checkTerminal(text)
    case .array(let elements): for element in elements { checkContent(element, depth: depth + 1) }
    case .object(let members):
        check(Set(members.map(\.key)).count == members.count, "a key twice in \(members.map(\.key))")
        for member in members { checkContent(member.value, depth: depth + 1) }
    }
}

// MARK: - Text

private func checkTerminal(_ text: String) {
    let escaped = TerminalText.escaped(text)
    check(isPrintable(escaped, lines: 1), "an escaped text with a control character")
    check(TerminalText.escaped(escaped) == escaped, "an escaped text is escaped again")
    let width = TerminalText.width(of: escaped)
    check(width >= 0 && width <= escaped.unicodeScalars.count * 2, "a width of \(width)")
    for columns in [0, 1, 2, 7] {
        let fitted = TerminalText.fitted(escaped, columns: columns)
        check(TerminalText.width(of: fitted) <= columns, "\(TerminalText.width(of: fitted)) of \(columns) columns")
    }
}

private func isPrintable(_ text: String, lines: Int) -> Bool {
    var breaks = 0
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control where scalar == "\n" && lines > 1: breaks += 1
        case .control, .format, .lineSeparator, .paragraphSeparator: return false
        default: continue
        }
    }
    return lines == 1 || breaks == lines
}

extension ValueFormat {
    fileprivate var isFloating: Bool {
        switch kind {
        case .float, .medicalFloat: true
        case .hex, .raw, .utf8, .utf16, .unsigned, .signed: false
        }
    }
}
