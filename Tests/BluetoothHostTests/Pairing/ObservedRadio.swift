// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// A radio whose channel shows the PDUs of Security Managers when the test says so.
final class ObservedRadio: Radio, HCIChannel {
    let adapter = AdapterDescription(
        name: "hci0",
        index: 0,
        address: BluetoothAddress(rawValue: 1),
        state: .up,
        bus: "virtual"
    )
    private let packets = PacketQueue(limit: 64, overflow: .pauseProducer)

    /// Shows a PDU that the central has sent.
    func show(_ pdu: SecurityManagerPDU, on link: ConnectionHandle) {
        let frame = L2CAPFrame(.securityManager, pdu.encoded())
        packets.push(HCIPacket.acl(HCIACLPacket(frame, on: link, isFromHost: false)).encoded())
    }

    func openHCI() throws(RadioError) -> any HCIChannel { self }
    func connectedAddresses() -> Set<BluetoothAddress> { [] }
    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        throw RadioError(.unsupported, during: "test")
    }
    func listenATT() throws(RadioError) -> any ATTListener { throw RadioError(.unsupported, during: "test") }

    func receive() async throws(RadioError) -> [UInt8] { try await packets.next() }
    var droppedCount: Int { 0 }
    func send(_ packet: [UInt8]) throws(RadioError) {}
    func drained() async throws(RadioError) {}
    func close() { packets.finish(RadioError(.closedLocally, during: "test")) }
}
