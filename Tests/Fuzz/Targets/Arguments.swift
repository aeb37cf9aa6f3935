// SPDX-License-Identifier: GPL-2.0-or-later

@testable import Bluetooth
@testable import BluetoothDevices
@testable import BluetoothProfiles
@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

/// The first octet selects the parser, in most cases that of the command line. The rest is text; NUL separates words.
func fuzz(_ bytes: [UInt8]) {
    var input = bytes[...]
    let choice = input.popFirst() ?? 0
    let text = String(decoding: input, as: UTF8.self)
    let words = input.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    switch choice {
    case 1: checkDuration(text)
    case 2: checkValue(text)
    case 3: checkTarget(text)
    case 4: checkGlob(words.first ?? "", words.count > 1 ? words[1] : "")
    case 7: checkNames(text)
    case 8: checkFault(text)
    default: checkInvocation(words)
    }
}

// MARK: - The command line

private func checkInvocation(_ words: [String]) {
    checkCompletion(
        CompletionRequest(after: words.dropLast(), words.last ?? "", of: CommandSet.all.table),
        of: words.last
    )
    do throws(UsageError) {
        let invocation = try Invocation(words, of: .all) { $0 == "BLECTL_DEVICE" ? words.last : nil }
        if let text = invocation.immediateText(width: 40 + words.count) { return check(!text.isEmpty, "no text") }
        if case .offer(let request) = invocation { return checkCompletion(request) }
        if case .generatedFile = invocation { return }
        guard case .run(let parsed) = invocation else { return check(false, "neither a text nor a command") }
        check(parsed[GlobalSpec.timeout] > .zero, "a timeout of nothing")
        _ = try CommandRequest(parsed, of: .all)
        check(!(parsed[GlobalSpec.quiet] && parsed[GlobalSpec.verbose] > 0), "quiet and verbose")
    } catch {
        guard error.reason != .nothingGiven else { return }
        check(error.text.hasPrefix("blectl: "), "\(error.text)")
        check(isPrintable(error.text, lines: 2), "an error that is not two printable lines")
    }
}

/// - Parameter last: The word that is completed, if it is known.
private func checkCompletion(_ request: CompletionRequest, of last: String? = nil) {
    let offers = CompletionOffers(devices: { [Choice(word: $0, summary: "")] }, database: { _ in nil })
    guard let answer = offers.answer(to: request) else { return }
    check(last.map { $0 == answer.before + answer.typed } ?? true, "\(answer.before) and \(answer.typed)")
    let lines = answer.text.split(separator: "\n", omittingEmptySubsequences: false).count
    check(lines == 1 || lines == 5 + answer.words.count, "\(lines) lines for \(answer.words.count) words")
}

private func checkDuration(_ text: String) {
    guard let duration = try? DurationSyntax.parse(text) else { return }
    check(duration > .zero && duration <= DurationSyntax.longest, "\(text) is \(duration)")
}

private func checkTarget(_ text: String) {
    if let target = try? AttributeTarget(text) {
        check(target.description == text, "a target under another name")
        _ = target.likelyService(in: .assigned)
    }
    _ = try? serviceUUID(text)
    if let address = BluetoothAddress(text) { check(BluetoothAddress(address.description) == address, "\(address)") }
    if case .address(let address)? = try? DeviceIdentifier(text) {
        check((try? DeviceIdentifier(address.description)) == .address(address), "\(address)")
    }
    if let uuid = BluetoothUUID(text) { check(BluetoothUUID(uuid.description) == uuid, "\(uuid)") }
}

private func checkFault(_ text: String) {
    do throws(FaultTextError) {
        let fault = try FaultText(parsing: text)
        check(fault.rule.problem == nil, "\(fault.rule.problem ?? "")")
        // A text with both kinds of quotes cannot be quoted.
        if text.contains("'"), text.contains("\"") { return }
        check((try? FaultText(parsing: fault.description)) == fault, "\(text) is \(fault)")
    } catch {
        check((1...(text.count + 1)).contains(error.column), "\(text): column \(error.column)")
    }
}

private func checkGlob(_ pattern: String, _ text: String) {
    _ = Glob(pattern).matches(text)
    check(Glob("*").matches(text), "* does not fit everything")
    let literal = text.reduce(into: "") { $0 += "\\\($1)" }
    if literal.count == text.count * 2 { check(Glob(literal).matches(text), "a text does not fit itself") }
}

private func checkNames(_ text: String) {
    // One kind for each text, because suggestions take as long as a thousand other parses.
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
        let isReadable = (try? format.decode(bytes)) != nil
        check(isReadable || bytes.isEmpty || format.kind == .utf16, "\(text) cannot be read back as \(format)")
    } catch {
        _ = error.description
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
