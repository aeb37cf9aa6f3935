// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

/// An element, the structure that carries it, and its text.
struct ElementVector: Sendable, CustomTestStringConvertible {
    let element: ADElement
    let hex: String
    let text: String

    init(_ element: ADElement, _ hex: String, _ text: String) {
        self.element = element
        self.hex = hex
        self.text = text
    }

    var testDescription: String { element.description }

    private static let uart: UInt128 = 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E
    private static let sixteen = "000102030405060708090a0b0c0d0e0f"
    private static let number: UInt128 = 0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100
    private static let device = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random)

    static let all = common + pairing + addressing + rare + mesh

    private static let common: [ElementVector] = [
        ElementVector(
            .flags([.generalDiscoverable, .brEDRNotSupported]),
            "02 01 06",
            "le-general-discoverable, br-edr-not-supported"
        ),
        ElementVector(.services(ADServiceList(.incomplete, .bits16, [0x180D])), "03 02 0d18", "0x180D"),
        ElementVector(
            .services(ADServiceList(.complete, .bits16, [0x180D, 0x180F])),
            "05 03 0d18 0f18",
            "0x180D, 0x180F"
        ),
        ElementVector(
            .services(ADServiceList(.incomplete, .bits32, [BluetoothUUID(bits32: 0x0001_FEAA)])),
            "05 04 aafe0100",
            "0x0001FEAA"
        ),
        ElementVector(
            .services(ADServiceList(.complete, .bits32, [BluetoothUUID(bits32: 0x1234_5678)])),
            "05 05 78563412",
            "0x12345678"
        ),
        ElementVector(
            .services(ADServiceList(.incomplete, .bits128, [BluetoothUUID(bits128: uart)])),
            "11 06 9ecadc240ee5a9e093f3a3b50100406e",
            "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
        ),
        ElementVector(
            .services(ADServiceList(.complete, .bits128, [BluetoothUUID(bits128: uart)])),
            "11 07 9ecadc240ee5a9e093f3a3b50100406e",
            "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
        ),
        ElementVector(.localName(ADLocalName("Str", isComplete: false)), "04 08 537472", "Str"),
        ElementVector(.localName(ADLocalName("Strap é")), "09 09 537472617020c3a9", "Strap é"),
        ElementVector(.txPower(-4), "02 0a fc", "-4 dBm"),
        ElementVector(.classOfDevice(0x24_0404), "04 0d 040424", "0x240404"),
        ElementVector(.appearance(0x0341), "03 19 4103", "0x0341"),
        ElementVector(.serviceData(ADServiceData(0x180F, [0x55])), "04 16 0f18 55", "0x180F 55"),
        ElementVector(
            .serviceData(ADServiceData(BluetoothUUID(bits32: 0x0001_FEAA), [1])),
            "06 20 aafe0100 01",
            "0x0001FEAA 01"
        ),
        ElementVector(
            .serviceData(ADServiceData(BluetoothUUID(bits128: uart), [1, 2])),
            "13 21 9ecadc240ee5a9e093f3a3b50100406e 0102",
            "6e400001-b5a3-f393-e0a9-e50e24dcca9e 0102"
        ),
        ElementVector(
            .manufacturerData(ADManufacturerData(company: 0x004C, [0x10, 0x02])),
            "05 ff 4c00 1002",
            "0x004C 1002"
        ),
        ElementVector(.services(ADServiceList(.solicited, .bits16, [0x1805])), "03 14 0518", "0x1805"),
        ElementVector(
            .services(ADServiceList(.solicited, .bits128, [BluetoothUUID(bits128: uart)])),
            "11 15 9ecadc240ee5a9e093f3a3b50100406e",
            "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
        ),
        ElementVector(
            .services(ADServiceList(.solicited, .bits32, [BluetoothUUID(bits32: 0x0001_FEAA)])),
            "05 1f aafe0100",
            "0x0001FEAA"
        ),
    ]

    private static let pairing: [ElementVector] = [
        ElementVector(.pairingValue(ADPairingValue(.simplePairingHashC192, number)), "11 0e" + sixteen, sixteen),
        ElementVector(.pairingValue(ADPairingValue(.simplePairingRandomizerR192, number)), "11 0f" + sixteen, sixteen),
        ElementVector(.pairingValue(ADPairingValue(.securityManagerTK, number)), "11 10" + sixteen, sixteen),
        ElementVector(.pairingValue(ADPairingValue(.simplePairingHashC256, number)), "11 1d" + sixteen, sixteen),
        ElementVector(.pairingValue(ADPairingValue(.simplePairingRandomizerR256, number)), "11 1e" + sixteen, sixteen),
        ElementVector(
            .pairingValue(ADPairingValue(.leSecureConnectionsConfirmation, number)),
            "11 22" + sixteen,
            sixteen
        ),
        ElementVector(.pairingValue(ADPairingValue(.leSecureConnectionsRandom, number)), "11 23" + sixteen, sixteen),
        ElementVector(
            .deviceID(ADDeviceID(vendorSource: 2, vendor: 0x1D6B, product: 0x0246, version: 0x0542)),
            "09 10 0200 6b1d 4602 4205",
            "USB 1D6B:0246, version 5.4.2"
        ),
        ElementVector(.securityManagerOOBFlags(0x09), "02 11 09", "0x09"),
    ]

    private static let addressing: [ElementVector] = [
        ElementVector(
            .connectionIntervalRange(ADConnectionIntervalRange(minimum: LEInterval(rawValue: 6), maximum: nil)),
            "05 12 0600 ffff",
            "7.5 ms to any"
        ),
        ElementVector(
            .targetAddresses(ADTargetAddresses(.public, [device.address, BluetoothAddress(rawValue: 1)])),
            "0d 17 f5f4f3f2f1f0 010000000000",
            "F0:F1:F2:F3:F4:F5, 00:00:00:00:00:01"
        ),
        ElementVector(
            .targetAddresses(ADTargetAddresses(.random, [device.address])),
            "07 18 f5f4f3f2f1f0",
            "F0:F1:F2:F3:F4:F5"
        ),
        ElementVector(.advertisingInterval(LEInterval(.milliseconds(100))), "03 1a a000", "100 ms"),
        ElementVector(.advertisingIntervalLong(LEInterval(rawValue: 0x01_0000)), "04 2f 000001", "40960 ms"),
        ElementVector(.advertisingIntervalLong(LEInterval(rawValue: 0x0100_0000)), "05 2f 00000001", "10485760 ms"),
        ElementVector(.deviceAddress(device), "08 1b f5f4f3f2f1f0 01", "F0:F1:F2:F3:F4:F5 (random)"),
        ElementVector(.leRole(.peripheralPreferred), "02 1c 02", "peripheral preferred"),
        ElementVector(.leRole(ADLERole(rawValue: 0x77)), "02 1c 77", "unknown (0x77)"),
        ElementVector(.uri(ADURI("https://a.example/x")), "0f 24 17 2f2f612e6578616d706c652f78", "https://a.example/x"),
        ElementVector(.uri(ADURI("unheard:of")), "0c 24 01 756e68656172643a6f66", "unheard:of"),
        ElementVector(.uri(ADURI("ymsgr:x")), "04 24 c2b8 78", "ymsgr:x"),
        ElementVector(
            .leSupportedFeatures([.encryption, .le2MPHY]),
            "03 27 0101",
            "LE Encryption, LE 2M PHY"
        ),
        ElementVector(.leSupportedFeatures([]), "02 27 00", ""),
    ]

    private static let rare: [ElementVector] = [
        ElementVector(.indoorPositioning(ADIndoorPositioning(flags: 0x10, fields: [0x17])), "03 25 10 17", "1017"),
        ElementVector(
            .transportDiscovery(
                ADTransportDiscovery([
                    .init(organization: 1, flags: 0x0A, data: [0xAB]), .init(organization: 2, flags: 0, data: []),
                ])
            ),
            "08 26 01 0a 01 ab 02 00 00",
            "010a01ab020000"
        ),
        ElementVector(
            .channelMapUpdate(ADChannelMapUpdate(channels: LEChannelMap(rawValue: 0x1F_FFFF_FFFF), instant: 0x1234)),
            "08 28 ffffffff1f 3412",
            "channels 0-36 from event 4660"
        ),
        ElementVector(
            .bigInfo([UInt8](repeating: 0xB1, count: 33)),
            "22 2c" + String(repeating: "b1", count: 33),
            String(repeating: "b1", count: 33)
        ),
        ElementVector(
            .bigInfo([UInt8](repeating: 0xB2, count: 57)),
            "3a 2c" + String(repeating: "b2", count: 57),
            String(repeating: "b2", count: 57)
        ),
        ElementVector(.broadcastCode([1, 2, 3, 4]), "05 2d 01020304", "01020304"),
        ElementVector(
            .resolvableSetIdentifier(ADResolvableSetIdentifier(hash: 0x03_0201, random: 0x46_0504)),
            "07 2e 010203 040546",
            "hash 0x030201, random 0x460504"
        ),
        ElementVector(.broadcastName("Gate 7"), "07 30 476174652037", "Gate 7"),
        ElementVector(
            .encryptedData(ADEncryptedData(randomizer: 0x05_0403_0201, payload: [0xAA, 0xBB], mic: 0x0403_0201)),
            "0c 31 0102030405 aabb 01020304",
            "0102030405aabb01020304"
        ),
        ElementVector(
            .periodicResponseTiming(
                ADPeriodicResponseTiming(
                    responseAccessAddress: 0x8E89_BED6,
                    subeventCount: 2,
                    subeventInterval: 6,
                    responseSlotDelay: 1,
                    responseSlotSpacing: 4
                )
            ),
            "09 32 d6be898e 02 06 01 04",
            "d6be898e02060104"
        ),
        ElementVector(.electronicShelfLabel([1, 2]), "03 34 0102", "0102"),
        ElementVector(
            .threeDInformation(ADThreeDInformation(flags: 0x83, pathLossThreshold: 40)),
            "03 3d 83 28",
            "8328"
        ),
        ElementVector(.unknown(ADType(rawValue: 0x42), [1, 2]), "03 42 0102", "0102"),
    ]

    private static let mesh: [ElementVector] = [
        ElementVector(
            .provisioningBearer(ADProvisioningBearer(link: 0x0102_0304, transaction: 5, pdu: [0x03])),
            "07 29 01020304 05 03",
            "010203040503"
        ),
        ElementVector(.meshMessage(ADMeshMessage(ivi: 1, nid: 0x68, payload: [0xCA])), "03 2a e8 ca", "e8ca"),
        ElementVector(
            .meshBeacon(
                .unprovisioned(uuid: BluetoothUUID(bits128: uart), oobInformation: 0x8001, uriHash: 0xDEAD_BEEF)
            ),
            "18 2b 00 6e400001b5a3f393e0a9e50e24dcca9e 8001 deadbeef",
            "unprovisioned device 6e400001-b5a3-f393-e0a9-e50e24dcca9e, OOB information 0x8001"
        ),
        ElementVector(
            .meshBeacon(.unprovisioned(uuid: BluetoothUUID(bits128: uart), oobInformation: 0, uriHash: nil)),
            "14 2b 00 6e400001b5a3f393e0a9e50e24dcca9e 0000",
            "unprovisioned device 6e400001-b5a3-f393-e0a9-e50e24dcca9e, OOB information 0x0000"
        ),
        ElementVector(
            .meshBeacon(
                .secureNetwork(
                    flags: 0x03,
                    networkID: 0x0102_0304_0506_0708,
                    ivIndex: 0x12,
                    authentication: 0x1112_1314_1516_1718
                )
            ),
            "17 2b 01 03 0102030405060708 00000012 1112131415161718",
            "network 0x0102030405060708, IV index 18, flags 0x03"
        ),
        ElementVector(
            .meshBeacon(.privateNetwork([UInt8](repeating: 0xC3, count: 26))),
            "1c 2b 02" + String(repeating: "c3", count: 26),
            "private network " + String(repeating: "c3", count: 26)
        ),
        ElementVector(.meshBeacon(.unknown(kind: 0x7F, [1])), "03 2b 7f 01", "kind 0x7F 01"),
    ]
}

@Suite("Advertising data types (Core Specification Supplement, Part A)")
struct ADElementTests {
    @Test("each element is written and read exactly", arguments: ElementVector.all)
    func exact(_ vector: ElementVector) throws {
        let bytes = octets(vector.hex)
        #expect(Hex.string(vector.element.structure.encoded()) == Hex.string(bytes))
        let data = AdvertisingData(parsing: bytes)
        #expect(data.issue == nil)
        #expect(data.elements == [vector.element])
        #expect(vector.element.valueText == vector.text)
        #expect(vector.element.description == "\(vector.element.name): \(vector.text)")
        #expect(vector.element.type.rawValue == bytes[1])
    }

    @Test("no element is read from fewer octets than it has", arguments: ElementVector.all)
    func prefixes(_ vector: ElementVector) {
        let structure = vector.element.structure
        for length in 0..<structure.data.count {
            let cut = ADStructure(structure.type, Array(structure.data.prefix(length)))
            if case .leSupportedFeatures = vector.element { continue }
            if case .flags = vector.element { continue }
            #expect(cut.element != vector.element, "\(length) octets")
            #expect(cut.element.structure.type == structure.type)
        }
    }

    @Test("every type with a name has a vector, and every vector's type a name")
    func coverage() {
        let named = Set((UInt8.min...UInt8.max).map(ADType.init(rawValue:)).filter { $0.name != nil })
        let tested = Set(ElementVector.all.map(\.element.type)).subtracting([ADType(rawValue: 0x42)])
        #expect(named == tested)
    }

    @Test(
        "octets that make no sense are kept as malformed",
        arguments: [
            "01 0a", "02 19 41", "02 ff 4c", "01 ff", "02 16 0f", "04 20 aafe01",
            "10 21 9ecadc240ee5a9e093f3a3b5010040",
            "07 1b f5f4f3f2f1f0", "06 17 f5f4f3f2f1", "01 24", "05 31 01020304", "02 2b 00", "05 29 01020304",
            "10 0e 000102030405060708090a0b0c0d0e", "12 22 000102030405060708090a0b0c0d0e0f10", "01 1c",
            "05 26 01 00 05 ab", "01 26", "04 12 060006",
        ]
    )
    func malformed(_ hex: String) {
        let structure = AdvertisingData(parsing: octets(hex)).structures.first
        guard let structure, case .malformed(let type, let bytes, _) = structure.element else {
            Issue.record("\(String(describing: structure?.element))")
            return
        }
        #expect(type == structure.type)
        #expect(bytes == structure.data)
        #expect(structure.element.structure == structure)
        #expect(structure.element.valueText.hasPrefix("malformed ("))
    }

    @Test("an incomplete entry at the end of a list is ignored")
    func partialEntries() {
        #expect(
            ADStructure(.completeServices16, [0x0D, 0x18, 0x0F]).element
                == .services(ADServiceList(.complete, .bits16, [0x180D]))
        )
        #expect(
            ADStructure(.completeServices128, [1, 2]).element == .services(ADServiceList(.complete, .bits128, []))
        )
        let targets = ADStructure(.publicTargetAddress, octets("010000000000 0102"))
        #expect(targets.element == .targetAddresses(ADTargetAddresses(.public, [BluetoothAddress(rawValue: 1)])))
    }

    @Test("empty flags are no flags, and octets after a number are ignored")
    func lenient() {
        #expect(ADStructure(.flags, []).element == .flags([]))
        #expect(ADStructure(.flags, [0x06, 0xFF]).element == .flags([.generalDiscoverable, .brEDRNotSupported]))
        #expect(ADStructure(.txPowerLevel, [0x04, 0xFF]).element == .txPower(4))
        #expect(ADFlags(rawValue: 0xFF).names.suffix(3) == ["bit-5", "bit-6", "bit-7"])
        #expect("\(ADFlags([]))" == "none")
    }

    @Test("a Device ID record is told apart from the key whose type it has")
    func deviceID() {
        #expect(ADStructure(.securityManagerTKValue, [UInt8](repeating: 0, count: 8)).element.name == "Device ID")
        let key = ADStructure(.securityManagerTKValue, [UInt8](repeating: 0, count: 16)).element
        #expect(key.name == "Security Manager TK Value")
    }

    @Test("services to be sent go into the shortest lists")
    func lists() {
        let long = BluetoothUUID(bits128: 7)
        #expect(
            ADServiceList.lists(.complete, [long, 0x180D, BluetoothUUID(bits128: BluetoothUUID(0x180F).value)])
                == [ADServiceList(.complete, .bits16, [0x180D, 0x180F]), ADServiceList(.complete, .bits128, [long])]
        )
        #expect(ADServiceList.lists(.complete, []).isEmpty)
        #expect(ADServiceList(.complete, .bits16, [long]).uuids.isEmpty)
    }
}

@Suite("Names that devices choose")
struct ADLocalNameTests {
    @Test("text is repaired, and the octets are kept")
    func repair() {
        let vectors: [(String, String)] = [
            ("4e616d65", "Name"),
            ("ff", "\u{FFFD}"),
            ("41c0af42", "A\u{FFFD}\u{FFFD}B"),
            ("eda080", "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("e282", "\u{FFFD}"),
            ("f09f9880", "\u{1F600}"),
            ("6100ff62", "a"),
            ("00610062", ""),
            ("1b5b33316d", "\u{1B}[31m"),
            ("c29b", "\u{9B}"),
            ("e280ae", "\u{202E}"),
        ]
        for (hex, text) in vectors {
            let name = ADLocalName(octets(hex), isComplete: true)
            #expect(Array(name.text.unicodeScalars) == Array(text.unicodeScalars), "\(hex)")
            #expect(name.bytes == octets(hex))
        }
    }

    @Test("a name of 248 octets")
    func long() {
        let name = ADLocalName(String(repeating: "n", count: 248))
        let data = AdvertisingData(parsing: AdvertisingData([.localName(name)]).encoded())
        #expect(data.name == name)
    }

    @Test("an empty name is no name, and the complete one of two counts")
    func choice() {
        #expect(AdvertisingData(parsing: octets("01 09")).name == nil)
        #expect(AdvertisingData(parsing: octets("02 09 00 02 08 41")).name == ADLocalName("A", isComplete: false))
        #expect(AdvertisingData(parsing: octets("02 08 41 02 09 42 02 09 43")).name == ADLocalName("B"))
    }
}

@Suite("URIs in advertising data")
struct ADURITests {
    @Test("every scheme survives encoding and decoding")
    func schemes() throws {
        for code in 2...0xBA as ClosedRange<UInt32> {
            let scalar = try #require(Unicode.Scalar(code))
            let text = try #require(ADURI(scheme: scalar, rest: "x").text)
            #expect(ADURI(text) == ADURI(scheme: scalar, rest: "x"))
        }
        #expect(ADURI("http://x").scheme == "\u{16}")
        #expect(ADURI("https://x").scheme == "\u{17}")
        #expect(ADURI("sips:x").scheme == "\u{3D}")
        #expect(ADURI("ms-settings-cloudstorage:x").scheme == "\u{BA}")
    }

    @Test("unknown schemes are shown by number", arguments: ["00", "c2bb", "f09f9880"])
    func unknown(_ hex: String) throws {
        let uri = try ADURI(decoding: octets(hex + "78"))
        #expect(uri.text == nil)
        #expect(uri.description.hasSuffix(")x"))
        #expect(uri.encoded() == octets(hex + "78"))
    }
}
