// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@Suite("Advertising data (Vol 3, Part C, 11)")
struct AdvertisingDataTests {
    @Test("structures are read in their order")
    func structures() {
        let data = AdvertisingData(parsing: octets("020106 0303aafe 01ff 020af6"))
        #expect(
            data.structures == [
                ADStructure(.flags, [0x06]), ADStructure(.completeServices16, [0xAA, 0xFE]),
                ADStructure(.manufacturerSpecificData, []), ADStructure(.txPowerLevel, [0xF6]),
            ]
        )
        #expect(data.issue == nil)
        #expect(AdvertisingData(parsing: []).structures.isEmpty)
        #expect(AdvertisingData(parsing: []).issue == nil)
    }

    @Test("a structure longer than the remaining data is kept as a tail")
    func truncated() {
        let data = AdvertisingData(parsing: octets("020106 0809 4e616d65"))
        #expect(data.structures == [ADStructure(.flags, [0x06])])
        #expect(data.tail == octets("0809 4e616d65"))
        #expect(data.issue == .truncated(.completeLocalName, needed: 8, available: 5))
        #expect(data.issue?.description == "Complete Local Name: says 8 octets, 5 left")
        #expect(data.encoded() == octets("020106 0809 4e616d65"))
        let bare = AdvertisingData(parsing: octets("020106 05"))
        #expect(bare.issue == .truncated(nil, needed: 5, available: 0))
        #expect(bare.tail == [0x05])
    }

    @Test("truncated data keep the structures before the cut")
    func everyPrefix() {
        let bytes = octets("020106 0303aafe 05094e616d65 020af6")
        let ends = [3, 7, 13, 16]
        for length in 0...bytes.count {
            let data = AdvertisingData(parsing: Array(bytes.prefix(length)))
            #expect(data.structures.count == ends.filter { $0 <= length }.count)
            #expect((data.issue == nil) == (length == 0 || ends.contains(length)))
            #expect(data.encoded() == Array(bytes.prefix(length)))
        }
    }

    @Test("a length of zero ends the data; zeros are padding, anything else is an issue")
    func earlyTermination() {
        let padded = AdvertisingData(parsing: octets("020106 000000000000"))
        #expect(padded.structures.count == 1)
        #expect(padded.issue == nil)
        #expect(padded.tail.isEmpty)
        let more = AdvertisingData(parsing: octets("020106 00 020af6"))
        #expect(more.structures.count == 1)
        #expect(more.issue == .dataAfterEnd(count: 3))
        #expect(more.tail == octets("00 020af6"))
        #expect(more.issue?.description == "3 octets after the end of the data")
    }

    @Test("each length octet at its extremes", arguments: [0, 1, 25, 255] as [UInt8])
    func lengths(_ length: UInt8) {
        let data = AdvertisingData(parsing: [length, 0x09] + [UInt8](repeating: 0x41, count: 29))
        switch length {
        case 0: #expect(data.issue == .dataAfterEnd(count: 30))
        case 1:
            #expect(data.structures.first == ADStructure(.completeLocalName, []))
            #expect(data.issue == .truncated(ADType(rawValue: 0x41), needed: 0x41, available: 28))
        case 25: #expect(data.structures.first?.data.count == 24)
        default: #expect(data.issue == .truncated(.completeLocalName, needed: 255, available: 30))
        }
    }

    @Test("31 times 0xFF is one truncated structure")
    func allOnes() {
        let data = AdvertisingData(parsing: [UInt8](repeating: 0xFF, count: 31))
        #expect(data.structures.isEmpty)
        #expect(data.issue == .truncated(.manufacturerSpecificData, needed: 255, available: 30))
        #expect(data.tail.count == 31)
    }

    @Test("a structure holds no more than its length octet can express")
    func oversized() {
        let structure = ADStructure(.completeLocalName, [UInt8](repeating: 0x41, count: 300))
        #expect(structure.data.count == 254)
        #expect(structure.encoded().count == 256)
        #expect(AdvertisingData(parsing: structure.encoded()).structures == [structure])
    }

    @Test("a requested structure is found at any position")
    func accessors() {
        let data = AdvertisingData([
            .localName(ADLocalName("Str", isComplete: false)), .txPower(-4), .appearance(0x0341),
            .services(ADServiceList(.incomplete, .bits16, [0x180D])), .localName(ADLocalName("Strap")),
            .services(ADServiceList(.complete, .bits128, [BluetoothUUID(bits128: 1)])),
            .services(ADServiceList(.solicited, .bits16, [0x1805])),
            .manufacturerData(ADManufacturerData(company: 0x0059, [1, 2])),
            .serviceData(ADServiceData(0x180F, [0x55])), .flags([.generalDiscoverable]),
        ])
        let read = AdvertisingData(parsing: data.encoded())
        #expect(read.name == ADLocalName("Strap"))
        #expect(read.txPower == -4)
        #expect(read.appearance == 0x0341)
        #expect(read.services == [0x180D, BluetoothUUID(bits128: 1)])
        #expect(read.solicitedServices == [0x1805])
        #expect(read.manufacturerData == [ADManufacturerData(company: 0x0059, [1, 2])])
        #expect(read.serviceData == [ADServiceData(0x180F, [0x55])])
        #expect(read.flags == [.generalDiscoverable])
        #expect(read == data)
    }

    @Test("random octets never trap, and only padding is lost")
    func random() {
        var generator = SeededGenerator(seed: 0x4144_5641)
        for _ in 0..<30_000 {
            let bytes = generator.octets(upTo: 64)
            let data = AdvertisingData(parsing: bytes)
            let written = data.encoded()
            #expect(written + [UInt8](repeating: 0, count: bytes.count - written.count) == bytes)
            for element in data.elements { #expect(element.description.contains(": ")) }
        }
    }
}
