// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@Suite("HCI return parameters (Vol 4, Part E, 7)")
struct ReturnParameterTests {
    private let link: ConnectionHandle = 0x0040

    @Test("each command's return parameters are written and read exactly")
    func exact() {
        expectWire(
            HCIReadLocalVersionInformation.ReturnParameters(
                hciVersion: .core5_4,
                hciSubversion: 0x1234,
                lmpVersion: BluetoothVersion(rawValue: 0x0C),
                company: 0x0059,
                lmpSubversion: 0xABCD
            ),
            "0d 3412 0c 5900 cdab"
        )
        expectWire(
            HCIReadLocalSupportedFeatures.ReturnParameters(features: 0x0123_4567_89AB_CDEF),
            "efcdab8967452301"
        )
        expectWire(
            [.encryption, .extendedAdvertising] as LEReadLocalSupportedFeatures.ReturnParameters,
            "0110000000000000"
        )
        expectWire(HCIReadBDADDR.ReturnParameters(BluetoothAddress(rawValue: 0xC0FF_EE01_0203)), "030201eeffc0")
        expectWire(HCIReadRSSI.ReturnParameters(link, rssi: -61), "4000 c3")
        expectWire(HCIReadRSSI.ReturnParameters(link, rssi: nil), "4000 7f")
        expectWire(HCIReadTransmitPowerLevel.ReturnParameters(link, power: 8), "4000 08")
        expectWire(HCIReadTransmitPowerLevel.ReturnParameters(link, power: nil), "4000 7f")
        expectWire(LEReadBufferSize.ReturnParameters(packetLength: 251, packetCount: 8), "fb00 08")
        expectWire(LEReadSupportedStates.ReturnParameters(states: 0x0000_03FF_FFFF_FFFF), "ffffffffff030000")
        expectWire(LEReadTransmitPower.ReturnParameters(minimum: -40, maximum: 8), "d8 08")
        expectWire(LEReadAdvertisingPhysicalChannelTxPower.ReturnParameters(power: -20), "ec")
        expectWire(LESetExtendedAdvertisingParameters.ReturnParameters(selectedTxPower: 7), "07")
        expectWire(LEReadMaximumAdvertisingDataLength.ReturnParameters(length: 1_650), "7206")
        expectWire(LEReadNumberOfSupportedAdvertisingSets.ReturnParameters(count: 16), "10")
        expectWire(LEReadFilterAcceptListSize.ReturnParameters(size: 25), "19")
        expectWire(
            LEReadChannelMap.ReturnParameters(link, channels: LEChannelMap(rawValue: 0x1F_0040_01FF)),
            "4000 ff0140001f"
        )
        expectWire(LEConnectionReturnParameters(link), "4000")
        let small = LEDataLength(octets: 27, microseconds: 328)
        let large = LEDataLength(octets: 251, microseconds: 17_040)
        expectWire(large as LEReadSuggestedDefaultDataLength.ReturnParameters, "fb00 9042")
        expectWire(LEReadMaximumDataLength.ReturnParameters(transmit: small, receive: large), "1b00 4801 fb00 9042")
        expectWire(LEReadPHY.ReturnParameters(link, transmit: .le2M, receive: .coded), "4000 02 03")
        expectWire(HCINoReturnParameters(), "")
    }

    @Test("octets that a later specification appends are ignored")
    func appended() throws {
        let returned = try HCIReadRSSI.returnParameters(decoding: octets("4000 c3 ffff"))
        #expect(returned == HCIReadRSSI.ReturnParameters(link, rssi: -61))
        #expect(try HCIReset.returnParameters(decoding: [1, 2, 3]) == HCINoReturnParameters())
    }

    @Test("a trace shows return parameters, and malformed ones in hexadecimal")
    func description() {
        let event = CommandCompleteEvent(HCIReadRSSI.self, HCIReadRSSI.ReturnParameters(link, rssi: -61))
        #expect("\(event)" == "Command Complete: Read RSSI: success, connection 0x0040, -61 dBm")
        let short = CommandCompleteEvent(opcode: HCIReadRSSI.opcode, returnParameters: [0x00, 0x40])
        #expect("\(short)" == "Command Complete: Read RSSI: success, 40")
        let foreign = CommandCompleteEvent(opcode: HCIOpcode(rawValue: 0xFC01), returnParameters: [0x00, 0xAB])
        #expect("\(foreign)" == "Command Complete: command 0xFC01: success, ab")
    }

    @Test("random octets never trap in any command's return parameters")
    func random() {
        var generator = SeededGenerator(seed: 0x5245_5453)
        for type in HCICommandCatalog.all {
            for _ in 0..<200 {
                let bytes = [0x00] + generator.octets(upTo: 70)
                let event = CommandCompleteEvent(opcode: type.opcode, returnParameters: bytes)
                #expect(event.description.hasPrefix("Command Complete: \(type.name)"))
            }
        }
    }
}

@Suite("LE features (Vol 6, Part B, 4.6)")
struct LEFeaturesTests {
    @Test("features have the specification's names")
    func names() {
        let features: LEFeatures = [.encryption, .le2MPHY, .codedPHY, .extendedAdvertising]
        #expect(features.names == ["LE Encryption", "LE 2M PHY", "LE Coded PHY", "LE Extended Advertising"])
        #expect(LEFeatures(rawValue: 1 << 44).names == ["Periodic Advertising with Responses - Scanner"])
        #expect(LEFeatures(rawValue: 1 << 62).names == ["bit 62"])
        #expect("\(features)" == "0x0000000000001901")
    }
}

@Suite("Channel maps (Vol 6, Part B, 1.4.1)")
struct LEChannelMapTests {
    @Test("channels are shown as ranges")
    func ranges() {
        #expect("\(LEChannelMap(rawValue: 0x1F_FFFF_FFFF))" == "0-36")
        #expect("\(LEChannelMap(rawValue: 0x1F_0040_01FF))" == "0-8,22,32-36")
        #expect("\(LEChannelMap(rawValue: 0))" == "none")
        #expect(LEChannelMap(rawValue: 0xE0_0000_0001).channels == [0])
    }
}
