// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@Suite("Application errors of services")
struct ApplicationErrorsTests {
    @Test(
        arguments: [
            (0x80, 0x180D, "control point not supported"), (0x80, 0x1805, "data field ignored"),
            (0x81, 0x181A, "condition not supported"), (0x80, 0x181C, "user data access not permitted"),
            (0x82, 0x1825, "concurrency limit exceeded"), (0xA0, 0x1811, "command not supported"),
            (0x80, 0x1808, "procedure already in progress"),
        ] as [(UInt8, UInt16, String)]
    )
    func `a code has the name of its service`(_ code: UInt8, _ service: UInt16, _ name: String) {
        #expect(AssignedNumbers.applicationError(ATTErrorCode(code), ofService: BluetoothUUID(service)) == name)
    }

    @Test func `a code that a service does not define has no name`() {
        #expect(AssignedNumbers.applicationError(ATTErrorCode(0x81), ofService: 0x180D) == nil)
        #expect(AssignedNumbers.applicationError(ATTErrorCode(0x80), ofService: 0x180F) == nil)
        #expect(AssignedNumbers.applicationError(ATTErrorCode(0x80), ofService: BluetoothUUID(bits128: 1)) == nil)
    }

    @Test func `no name hides one of the protocol`() {
        for service in 0x1800...0x18FF as ClosedRange<UInt16> {
            for code in 0...0xFF as ClosedRange<UInt8>
            where AssignedNumbers.applicationError(
                ATTErrorCode(code),
                ofService: BluetoothUUID(service)
            ) != nil {
                #expect((0x80...0xA0).contains(code))
            }
        }
    }

    @Test func `a service has its characteristics, those of several services too`() {
        #expect(AssignedNumbers.characteristics(ofService: 0x180F)?.contains(0x2A19) == true)
        #expect(AssignedNumbers.characteristics(ofService: 0x180F)?.contains(0x2A37) == false)
        #expect(AssignedNumbers.characteristics(ofService: 0x1816)?.contains(0x2A55) == true)
        #expect(AssignedNumbers.characteristics(ofService: 0xFFF0) == nil)
        let uart = BluetoothUUID(bits128: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E)
        let receive = BluetoothUUID(bits128: 0x6E40_0002_B5A3_F393_E0A9_E50E_24DC_CA9E)
        #expect(AssignedNumbers.characteristics(ofService: uart)?.first == receive)
        for service in 0x1800...0x18FF as ClosedRange<UInt16> {
            for uuid in AssignedNumbers.characteristics(ofService: BluetoothUUID(service)) ?? [] {
                // Battery Level State was withdrawn, and has no name here.
                guard uuid != 0x2A1B else { continue }
                #expect(AssignedNumbers.name(ofCharacteristic: uuid) != nil, "\(uuid)")
            }
        }
    }
}
