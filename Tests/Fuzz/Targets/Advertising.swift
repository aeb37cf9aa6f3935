// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Steps are reports: the kind selects the properties and the address, the octets are the data.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var table = AdvertiserTable(limit: 3)
    var decryptor = AdvertisingDecryptor(keys)
    var reassembler = ExtendedReportReassembler(limit: 2)
    var now = Instant.zero
    var reports = 0
    var out = 0
    while let step = input.step() {
        checkPayload(step.bytes)
        now = now + .milliseconds(Int64(step.kind) * 4)
        reports += 1
        for whole in reassembler.received(report(step), now: now) {
            out += 1
            take(whole, into: &table, &decryptor, now: now)
        }
        check(out <= reports, "more advertisements than reports")
    }
    for whole in reassembler.flush() {
        out += 1
        take(whole, into: &table, &decryptor, now: now)
    }
    check(out <= reports, "more advertisements than reports")
    check(reassembler.flush().isEmpty, "a flushed reassembler still holds something")
}

private func report(_ step: FuzzInput.Step) -> AdvertisingReport {
    let kind = step.kind
    return AdvertisingReport(
        address: DeviceAddress(
            BluetoothAddress(rawValue: UInt64(kind & 0x03)),
            kind & 0x04 == 0 ? .random : .anonymous
        ),
        properties: AdvertisingReport.Properties(rawValue: UInt16(kind >> 1 & 0x1F)),
        dataStatus: AdvertisingReport.DataStatus(rawValue: kind >> 5 & 0x03) ?? .complete,
        advertisingSID: kind & 0x80 == 0 ? nil : kind & 0x0F,
        rssi: kind == 0 ? nil : Int8(bitPattern: kind),
        data: step.bytes
    )
}

/// The keys of the addresses that reports have. The first octet is zero, which a message of Victron repeats.
private let keys: AdvertisingKeys = {
    let material = EncryptedDataKeyMaterial(sessionKey: SecurityKey(1), vector: [UInt8](repeating: 0, count: 8))
    let device = AdvertisingKeys.Device(key: SecurityKey(1), material: material)
    return AdvertisingKeys(Dictionary(uniqueKeysWithValues: (0..<4).map { (BluetoothAddress(rawValue: $0), device) }))
}()

private func take(
    _ report: AdvertisingReport,
    into table: inout AdvertiserTable,
    _ decryptor: inout AdvertisingDecryptor,
    now: Instant
) {
    check(
        report.data.count <= max(ExtendedReportReassembler.maximumDataLength, 0xFFFF),
        "\(report.data.count) octets of advertising data"
    )
    checkPayload(report.data)
    _ = report.description
    var data = decryptor.opened(AdvertisingData(parsing: report.data), from: report.address.address)
    if let device = table.advertiser(of: report) { data = data.completed(by: device) }
    check(data.encoded() == AdvertisingData(parsing: report.data).encoded(), "decryption changes the octets")
    for beacon in data.beacons { _ = beacon.description }
    let info = table.received(report, data, now: now)
    check(table.count <= 3, "the table grows without limit")
    check(info.services.count <= AdvertiserInfo.Limit.services, "too many services")
    check(info.solicitedServices.count <= AdvertiserInfo.Limit.services, "too many solicited services")
    check(info.manufacturerData.count <= AdvertiserInfo.Limit.manufacturers, "too many manufacturers")
    check(info.serviceData.count <= AdvertiserInfo.Limit.serviceData, "too much service data")
    check(info.beacons.count <= AdvertiserInfo.Limit.beacons, "too many beacons")
    for service in data.services.prefix(AdvertiserInfo.Limit.services) where info.services.contains(service) {
        check(info.advertises(service), "does not advertise what it lists")
    }
}

/// Checks that parsing loses no octet, and that the decoded elements survive encoding.
private func checkPayload(_ bytes: [UInt8]) {
    let data = AdvertisingData(parsing: bytes)
    let encoded = data.encoded()
    check(bytes.starts(with: encoded), "the octets come out as others")
    check(bytes.dropFirst(encoded.count).allSatisfy { $0 == 0 }, "octets that are no padding are lost")
    check(AdvertisingData(parsing: encoded) == data, "it reads its own octets differently")
    check((data.issue == nil) == data.tail.isEmpty, "a tail without an issue, or the other way round")
    _ = data.issue?.description
    for structure in data.structures {
        let element = structure.element
        _ = element.description
        let sent = element.structure
        check(sent.type == structure.type, "\(structure.type) is sent as \(sent.type)")
        check(sent.element.structure == sent, "\(element) changes each time it is sent")
        guard let beacon = Beacon(element) else { continue }
        _ = beacon.description
        let again = beacon.elements.compactMap { Beacon($0.structure.element) }
        check(again == [beacon], "\(beacon) comes back as \(again)")
    }
    _ = (data.name, data.flags, data.txPower, data.appearance, data.services, data.solicitedServices, data.beacon)
}
