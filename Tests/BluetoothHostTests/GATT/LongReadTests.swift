// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Testing

/// A value longer than one answer is read whole, however it was asked for.
@Suite("ATTConnection: values longer than an answer")
struct LongReadTests {
    private static func hex(_ range: Range<Int>) -> String { Hex.string(range.map { UInt8(truncatingIfNeeded: $0) }) }

    /// What a read brings, and whether the script was played to its end.
    private func outcome(
        _ script: Script,
        _ read: @escaping @Sendable (ATTConnection) async throws -> AttributeValue?
    ) throws -> (value: AttributeValue?, isPlayed: Bool) {
        try inVirtualTime { time, scope in
            let channel = ScriptedChannel(script, time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            return (try await read(connection), channel.isPlayed)
        }
    }

    @Test("by its UUID: the list cuts it, and with a larger MTU it is read from the beginning")
    func byUUID() throws {
        let (value, isPlayed) = try outcome([
            turn("08 0100 ffff 002a", "09 15 0300 \(Self.hex(0..<19))"), turn("02 0502", "03 4000"),
            turn("0a 0300", "0b \(Self.hex(0..<63))"), turn("0c 0300 3f00", "0d \(Self.hex(63..<100))"),
        ]) { try await $0.read(0x2A00) }
        #expect(value?.value == [UInt8](0..<100) && value?.handle == 3 && value?.isCut == false)
        #expect(isPlayed)
    }

    @Test("by its UUID, where the device keeps the MTU of 23")
    func byUUIDWithTheLeastMTU() throws {
        let (value, isPlayed) = try outcome([
            turn("08 0100 ffff 002a", "09 15 0300 \(Self.hex(0..<19))"), turn("02 0502", "01 02 0000 06"),
            turn("0a 0300", "0b \(Self.hex(0..<22))"), turn("0c 0300 1600", "0d \(Self.hex(22..<44))"),
            turn("0c 0300 2c00", "0d"),
        ]) { try await $0.read(0x2A00) }
        #expect(value?.value == [UInt8](0..<44) && value?.isCut == false)
        #expect(isPlayed)
    }

    @Test("by its UUID: a value that fills the 19 octets of the list is read again, and may end there")
    func byUUIDAndNoLonger() throws {
        let (value, isPlayed) = try outcome([
            turn("08 0100 ffff 002a", "09 15 0300 \(Self.hex(0..<19))"), turn("02 0502", "03 4000"),
            turn("0a 0300", "0b \(Self.hex(0..<19))"),
        ]) { try await $0.read(0x2A00) }
        #expect(value?.value == [UInt8](0..<19))
        #expect(isPlayed)
    }

    @Test("by its UUID: a value shorter than the list's limit takes one request")
    func byUUIDAndShort() throws {
        let (value, isPlayed) = try outcome([
            turn("08 0100 ffff 002a", "09 14 0300 \(Self.hex(0..<18))")
        ]) { try await $0.read(0x2A00) }
        #expect(value?.value == [UInt8](0..<18))
        #expect(isPlayed)
    }

    @Test("by its handle: with a larger MTU from the beginning")
    func byHandle() throws {
        let (value, isPlayed) = try outcome([
            turn("0a 0300", "0b \(Self.hex(0..<22))"), turn("02 0502", "03 4000"),
            turn("0a 0300", "0b \(Self.hex(0..<63))"), turn("0c 0300 3f00", "0d \(Self.hex(63..<126))"),
            turn("0c 0300 7e00", "0d \(Self.hex(126..<130))"),
        ]) { try await $0.read(at: 3) }
        #expect(value?.value == [UInt8](0..<130) && value?.isCut == false)
        #expect(isPlayed)
    }

    @Test("by its handle: with the same MTU from where the first answer ended")
    func byHandleWithTheLeastMTU() throws {
        let (value, isPlayed) = try outcome([
            turn("0a 0300", "0b \(Self.hex(0..<22))"), turn("02 0502", "03 1700"),
            turn("0c 0300 1600", "0d \(Self.hex(22..<23))"),
        ]) { try await $0.read(at: 3) }
        #expect(value?.value == [UInt8](0..<23) && value?.isCut == false)
        #expect(isPlayed)
    }

    @Test("by its handle: an answer in transit during the exchange of the MTU is read again")
    func byHandleWhileTheDeviceExchanges() throws {
        let (value, isPlayed) = try outcome([
            turn("0a 0300", reactions: [.packet("02 4000"), .packet("0b \(Self.hex(0..<22))", after: .seconds(1))]),
            turn("03 0502"), turn("02 0502", "03 4000"), turn("0a 0300", "0b \(Self.hex(0..<60))"),
        ]) { try await $0.read(at: 3) }
        #expect(value?.value == [UInt8](0..<60))
        #expect(isPlayed)
    }

    /// Some servers write the length of the part that fits in place of the length of the value.
    @Test("among several: the last value of a full answer is read again, because it may be cut")
    func amongSeveral() throws {
        let (value, isPlayed) = try outcome([
            turn("02 0502", "03 2000"), turn("20 0300 0500", "21 0100 aa 1a00 \(Self.hex(0..<26))"),
            turn("0a 0500", "0b \(Self.hex(0..<30))"),
        ]) { connection in
            let values = try await connection.read([3, 5])
            return try values.last?.get()
        }
        #expect(value?.value == [UInt8](0..<30) && value?.handle == 5)
        #expect(isPlayed)
    }

    @Test("by its handle: a value of 512 octets is read whole")
    func byHandleToTheLast() throws {
        let (value, isPlayed) = try outcome([
            turn("02 0502", "03 0002"), turn("0a 0300", "0b \(Self.hex(0..<511))"),
            turn("0c 0300 ff01", "0d \(Self.hex(511..<512))"),
        ]) { connection in
            try await connection.exchangeMTU()
            return try await connection.read(at: 3)
        }
        #expect(value?.value.count == 512 && value?.isCut == false)
        #expect(isPlayed)
    }

    @Test("by its handle: a value shorter than an answer's limit takes one request")
    func byHandleAndShort() throws {
        let (value, isPlayed) = try outcome([turn("0a 0300", "0b \(Self.hex(0..<21))")]) { try await $0.read(at: 3) }
        #expect(value?.value == [UInt8](0..<21))
        #expect(isPlayed)
    }
}
