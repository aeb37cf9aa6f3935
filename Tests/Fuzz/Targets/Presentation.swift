// SPDX-License-Identifier: GPL-2.0-or-later

import FoundationEssentials
import Synchronization

@testable import Bluetooth
@testable import BluetoothDevices
@testable import BluetoothHost
@testable import BluetoothProfiles
@testable import Commands
@testable import Records
@testable import Terminal
@testable import Toolkit

/// The first octet selects the presentation. The rest comes from a stranger: values, advertisements, a database, text.
func fuzz(_ bytes: [UInt8]) {
    var input = bytes[...]
    let choice = input.popFirst() ?? 0
    let rest = Array(input)
    switch choice {
    case 1: checkFormats(rest)
    case 2: checkDecoders(rest)
    case 3: checkValue(rest)
    case 4: checkTree(rest)
    case 5: checkTerminal(String(decoding: rest, as: UTF8.self))
    case 6: checkDatabaseFile(rest)
    case 7: checkRequest(rest)
    default: checkScan(rest)
    }
}

// MARK: - Values

private func checkFormats(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let name = ValueFormat.names[Int(first & 0x7F) % ValueFormat.names.count] + (first & 0x80 == 0 ? "" : "be")
    guard let format = try? ValueFormat(name) else { return }
    check(format.description == name || first & 0x80 != 0, "\(name) is called \(format)")
    checkRoundTrip(Array(bytes.dropFirst()), format)
}

/// Checks that a decoded value encodes to octets that decode to the same value.
private func checkRoundTrip(_ bytes: [UInt8], _ format: ValueFormat) {
    guard let decoded = try? format.decode(bytes) else { return }
    checkText(decoded)
    guard let again = try? format.encode(decoded.text) else {
        return check(format.isFloating, "\(decoded.text) of \(format) cannot be written")
    }
    if !format.isFloating { check(again == bytes, "\(decoded.text) of \(format) is written differently") }
    check((try? format.decode(again))?.text == decoded.text, "\(decoded.text) of \(format) is read differently")
}

/// The characteristics and descriptors with known formats.
private let characteristics = CharacteristicFormat.all
private let descriptors = Array(0x2800...0x2803).map { BluetoothUUID($0) } + (0x2900..<0x2910).map { BluetoothUUID($0) }

/// The characteristics that had another edition. Their values are encoded in the edition in force, which rounds what the
/// earlier one has in smaller steps.
private let editions: Set<BluetoothUUID> = [0x2ACD, 0x2ACE, 0x2AD1, 0x2AD2, 0x2AD6]

/// Takes two octets as the number of a characteristic or a descriptor.
private func numbered(_ bytes: ArraySlice<UInt8>) -> BluetoothUUID {
    let number = bytes.reduce(0) { $0 << 8 | Int($1) }
    return number & 0x01 == 0
        ? characteristics[number / 2 % characteristics.count] : descriptors[number / 2 % descriptors.count]
}

private func checkDecoders(_ bytes: [UInt8]) {
    guard bytes.count >= 2 else { return }
    let uuid = numbered(bytes[..<2])
    let value = Array(bytes.dropFirst(2))
    if let format = CharacteristicFormat.of(uuid) {
        let decoded = format.decodeAsFarAsPossible(value)
        checkText(decoded)
        checkContent(decoded.faultContent, depth: 0)
        check((try? format.decode(value)) == (decoded.fault?.isEnd == true ? nil : decoded), "\(uuid) throws")
        if decoded.fault?.isEnd != true, let again = try? format.encode(decoded.content) {
            let second = (try? format.decode(again))?.content
            // The editions have different lengths.
            let isEarlier = editions.contains(uuid) && again.count != value.count - decoded.surplus.count
            check(second == decoded.content || isEarlier, "\(uuid) is encoded differently")
            check(second.flatMap { try? format.encode($0) } == again, "\(uuid) is not encoded the same again")
        }
    }
    for (descriptor, characteristic): (BluetoothUUID, BluetoothUUID) in [(uuid, 0x2A19), (0x2906, uuid)] {
        let decoded = DescriptorValue.decodeAsFarAsPossible(value, of: descriptor, characteristic: characteristic)
        if let decoded { checkText(decoded) }
    }
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

/// Checks the output of `read` for the value of an attribute.
private func checkValue(_ bytes: [UInt8]) {
    guard bytes.count >= 4 else { return }
    let uuid = numbered(bytes[1..<3])
    let isDescriptor = bytes[0] & 0x01 != 0
    let attribute = AttributeReference(
        device: device,
        target: "a target",
        handle: Handle(UInt16(bytes[3])),
        service: nil,
        characteristic: isDescriptor ? 0x2A37 : uuid,
        descriptor: isDescriptor ? uuid : nil
    )
    let name = ValueFormat.names[Int(bytes[3] & 0x7F) % ValueFormat.names.count]
    let format = bytes[0] & 0x02 == 0 ? nil : try? ValueFormat(name)
    guard let presentation = try? ValuePresentation(Array(bytes.dropFirst(4)), of: attribute, format: format) else {
        return
    }
    checkResult(
        ValueResult(
            attribute: attribute,
            presentation: presentation,
            origin: bytes[0] & 0x04 == 0 ? .read : .notification(sequence: 7),
            timestamp: now,
            isLabelled: bytes[0] & 0x08 != 0
        )
    )
}

/// Checks a line of the tree that `inspect` prints, with a value in a format of the user's choice.
private func checkTree(_ bytes: [UInt8]) {
    guard bytes.count >= 8 else { return }
    let value = Array(bytes.dropFirst(8))
    let short = bytes[0] < 2 ? BluetoothUUID(UInt16(bytes[1]) << 8 | UInt16(bytes[2])) : numbered(bytes[1..<3])
    let range = HandleRange(Handle(UInt16(bytes[3])), Handle(UInt16(bytes[4]) << 8))
    let service = GATTService(uuid: short, range: range, isPrimary: bytes[5] == 0)
    let node: TreeResult.Node
    switch bytes[0] % 4 {
    case 0: node = .service
    case 1: node = .include(GATTIncludedService(handle: range.start, range: range, uuid: bytes[5] == 0 ? nil : short))
    case 2:
        let format = try? PresentationFormat(decoding: Array(bytes[1..<8]))
        let read = ValuePresentation(
            value,
            ofCharacteristic: short,
            presentationFormats: format.map { PresentationFormats($0) }
        )
        let characteristic = GATTCharacteristic(
            declaration: range.start,
            valueHandle: range.end,
            properties: CharacteristicProperties(rawValue: bytes[5]),
            uuid: short,
            end: range.end
        )
        node = .characteristic(characteristic, bytes[6] == 0 ? nil : .read(read))
    default:
        let read = ValuePresentation(value, ofDescriptor: short, under: 0x2A37)
        let isRead = bytes[6] & 0x01 == 0
        node = .descriptor(
            GATTDescriptor(handle: range.start, uuid: short),
            of: GATTCharacteristic(
                declaration: range.start,
                valueHandle: range.end,
                properties: CharacteristicProperties(rawValue: bytes[5]),
                uuid: 0x2A37,
                end: range.end
            ),
            isRead ? .read(read) : .refused(ATTErrorCode(bytes[6]))
        )
    }
    let branch = TreeBranch(isLast: bytes[7] == 0)
    checkResult(TreeResult(device: device, service: service, node: node, branch: branch, timestamp: now))
}

/// Checks the output of `serve` for a request.
private func checkRequest(_ bytes: [UInt8]) {
    let handles = RichDatabase.database.attributes.map(\.handle.rawValue)
    guard bytes.count >= 3, let request = try? ATTClientPDU(decoding: Array(bytes.dropFirst(2))) else { return }
    let error = ATTErrorResponse(
        requestOpcode: ATTOpcode(bytes[2]),
        handle: Handle(handles[Int(bytes[0]) % handles.count]),
        code: ATTErrorCode(bytes[1])
    )
    let client = GATTServer.ClientID(1)
    let place = GATTPlace(attribute: 0x2A00, service: 0x1800, characteristic: 0x2A00)
    for answer in [nil, ATTAnswer.failure(error), .success(.read(ReadResponse(value: bytes)))] {
        let exchange = DeviceExchange(client: client, request: request, place: place, answer: answer)
        checkResult(RequestResult(device: device, exchange: exchange, timestamp: now))
    }
}

private let now = Timestamp(wall: WallTime(nanosecondsSince1970: 0), monotonic: .zero)
private let device = DeviceReference(
    address: DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random),
    name: "a \u{1B}[41mdevice"
)

/// Checks that a result is one line of JSON, and as text one line without control characters.
private func checkResult(_ result: some CommandResult) {
    let line = Output.line(of: result)
    check(line.last == UInt8(ascii: "\n"), "a record that is not written")
    check(line.dropLast().allSatisfy { $0 >= 0x20 }, "a record of several lines")
    check(String(validating: line, as: UTF8.self) != nil, "a record that is no UTF-8")
    if let text = result.text(.plain) { checkShown(text) }
    if let text = result.text(TextStyle(usesColor: true, isTerminal: true)) {
        // The attributes that a style uses. The device's name has another one, which must not get through.
        let attributes = [0, 1, 2, 7, 31, 32, 33, 34, 35, 36]
        checkShown(attributes.reduce(text) { $0.replacing("\u{1B}[\($1)m", with: "") })
    }
}

private func checkShown(_ line: String) {
    check(TerminalText.escaped(line) == line, "a line that a terminal may obey: \(TerminalText.escaped(line))")
}

// MARK: - Files

/// Checks that the content of a file of the GATT cache, if valid, is the same after writing and reading.
private func checkDatabaseFile(_ bytes: [UInt8]) {
    guard let file = try? JSONDecoder().decode(DatabaseFile.self, from: Data(bytes)) else { return }
    _ = file.isOf(device.address)
    guard let stored = file.stored else { return }
    let written = DatabaseFile(stored, of: device.address, written: file.written)
    check(written.isOf(device.address), "a file of another device")
    let again = (try? JSONEncoder().encode(written)).flatMap { try? JSONDecoder().decode(DatabaseFile.self, from: $0) }
    check(again?.stored == stored, "\(stored) is read back differently")
    let database = stored.database
    for characteristic in database.declarations {
        guard let found = (try? database.characteristic(at: characteristic.declaration)) ?? nil else { continue }
        check(found.declaration == characteristic.declaration, "\(found) is not at \(characteristic.declaration)")
        _ = try? database.descriptors(of: found)
    }
    for service in database.services { _ = try? database.characteristics(in: service.range) }
    _ = try? database.allServices()
}

// MARK: - Advertisements

/// Steps are reports. They are filtered, written as JSON, and shown in a table on terminals of several sizes.
private func checkScan(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let settings = input.octet()
    let picture = Picture()
    let size = ScreenSize(columns: Int(settings) * 2, rows: Int(settings & 0x0F))
    let order: ScanOrder = settings & 0x10 == 0 ? .rssi : settings & 0x20 == 0 ? .name : .seen
    let output = Output(picture, isJSON: false, style: .plain)
    var live = LiveScan(order: order, start: .zero)
    let lines = DeviceLines(output: output)
    var table = AdvertiserTable(limit: 8)
    var devices: [DeviceAddress: AdvertiserInfo] = [:]
    var instant = Instant.zero
    while let step = input.step() {
        instant = instant + .milliseconds(Int64(step.kind) * 8)
        let report = ScanReport(made(of: step), instant, WallTime(nanosecondsSince1970: 0))
        let info = table.received(report.report, report.data, now: instant)
        devices[info.address] = info
        checkFilter(step, info)
        checkResult(AdvertisementResult(report: report, device: info))
        live.received(report, info)
        try? lines.show(info)
    }
    let known = devices.values.sorted { $0.address.address < $1.address.address }
    picture.clear()
    live.refreshed(known, ScanStatus(now: instant))
    // The keys come from the input, too: every page is drawn.
    var keys = KeyDecoder()
    for octet in ([0x20] + bytes).prefix(64) {
        for key in keys.received([octet]) { _ = live.pressed(key) }
        checkScreen(&live, size)
    }
    for line in LiveScanTable.complete(live.rows, .plain) { checkShown(line) }
    for device in known { try? lines.show(device) }
    picture.checkLines()
}

private func checkScreen(_ live: inout LiveScan, _ size: ScreenSize) {
    let lines = live.lines(size, .plain, message: nil)
    check(lines.count <= max(1, size.rows), "a picture that is higher than the screen")
    for line in lines {
        let text = line.rendered(.plain, columns: size.lineColumns)
        checkShown(text)
        check(TerminalText.width(of: text) <= size.lineColumns, "a line that is wider than the screen")
    }
}

private func made(of step: FuzzInput.Step) -> AdvertisingReport {
    AdvertisingReport(
        address: DeviceAddress(
            BluetoothAddress(rawValue: UInt64(step.kind & 0x0F)),
            step.kind & 0x10 == 0 ? .random : .public
        ),
        properties: AdvertisingReport.Properties(rawValue: UInt16(step.kind >> 3)),
        dataStatus: .complete,
        rssi: step.kind == 0 ? nil : Int8(bitPattern: step.kind),
        data: step.bytes
    )
}

/// Checks that a filter accepts the device that it was made from.
private func checkFilter(_ step: FuzzInput.Step, _ device: AdvertiserInfo) {
    var filter = ScanFilter()
    check(filter.accepts(device), "no filter, and nothing passes")
    filter.devices = [.address(device.address.address)]
    filter.services = Array(device.services.prefix(2))
    filter.manufacturers = Set(device.manufacturerData.map(\.company))
    if let name = device.name?.text {
        let pattern = name.reduce(into: "") { $0 += "\\\($1)" }
        // Skips characters that combine with a backslash, because such a pattern is a different one.
        if pattern.count == name.count * 2 { filter.names = [Glob(pattern)] }
    }
    check(filter.accepts(device), "a device does not pass a filter of its own properties")
}

/// The output, as a terminal receives it.
private final class Picture: ByteSink {
    private let octets = Mutex<[UInt8]>([])

    func write(_ bytes: Span<UInt8>) throws(OutputFailure) {
        octets.withLock { octets in bytes.withUnsafeBufferPointer { octets += $0 } }
    }

    func clear() { octets.withLock { $0 = [] } }

    private var lines: [String] {
        octets.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0) }
    }

    func checkLines() { for line in lines { checkShown(line) } }
}

// MARK: - Text

private func checkTerminal(_ text: String) {
    let escaped = TerminalText.escaped(text)
    check(isPrintable(escaped), "an escaped text with a control character")
    check(TerminalText.escaped(escaped) == escaped, "an escaped text is escaped again")
    let width = TerminalText.width(of: escaped)
    check(width >= 0 && width <= escaped.unicodeScalars.count * 2, "a width of \(width)")
    for columns in [0, 1, 2, 7] {
        let fitted = TerminalText.fitted(escaped, columns: columns)
        check(TerminalText.width(of: fitted) <= columns, "\(TerminalText.width(of: fitted)) of \(columns) columns")
    }
}

private func isPrintable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}

extension ValueFormat {
    fileprivate var isFloating: Bool {
        switch kind {
        case .float, .medicalFloat: true
        case .hex, .raw, .utf8, .utf16, .unsigned, .signed: false
        }
    }
}
