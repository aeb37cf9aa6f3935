// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// An honest device for one client: the product's own server with a variety of services, without any waiting.
///
/// Octets in, octets out. `Manners` changes them on the way.
struct ModelDevice {
    static let longValue = (0..<300).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
    /// 300 octets.
    static let long = numbered(0x0101)
    static let writable = numbered(0x0102)
    static let commandOnly = numbered(0x0103)
    /// Indicates.
    static let indicating = numbered(0x0104)
    /// Notifies.
    static let notifying = numbered(0x0105)
    static let label = "0x2901"
    /// The number of values after a subscription.
    static let valueCount = 3

    private static func numbered(_ number: UInt16) -> BluetoothUUID {
        BluetoothUUID(bits128: 0xC0DE_0000_5EC7_4C3A_9D0E_51A1_B1EC_0001 | UInt128(number) << 96)
    }

    private var server: GATTServer
    private let client = GATTServer.ClientID(1)
    private var mtu: UInt16 = 23
    /// The value to indicate, and the number of remaining indications.
    private var indications: (handle: Handle, left: Int)?

    init(_ services: [ServiceDefinition]) throws {
        var configuration = GATTServer.Configuration()
        // Small, so that long values take several packets.
        configuration.maximumMTU = 100
        server = GATTServer(database: try GATTDatabase(services: services), configuration: configuration)
        _ = server.clientConnected(client)
    }

    static let services: [ServiceDefinition] = [
        .genericAccess(name: "Model"),
        .genericAttribute(),
        ServiceDefinition(
            0x180D,
            characteristics: [
                CharacteristicDefinition(0x2A37, .notify, value: .fixed([0x00, 0x48])),
                CharacteristicDefinition(0x2A38, .read, value: .fixed([0x01])),
                CharacteristicDefinition(0x2A39, .write, value: .variable([])),
            ]
        ),
        ServiceDefinition(
            0x180F,
            characteristics: [CharacteristicDefinition(0x2A19, [.read, .notify], value: .fixed([87]))]
        ),
        ServiceDefinition(
            numbered(0x0100),
            includes: ["inner"],
            characteristics: [
                CharacteristicDefinition(
                    long,
                    [.read, .write],
                    value: .variable(longValue),
                    descriptors: [.userDescription("long")]
                ),
                CharacteristicDefinition(writable, [.read, .write], value: .variable([1, 2, 3])),
                CharacteristicDefinition(commandOnly, .writeWithoutResponse, value: .variable([])),
                CharacteristicDefinition(indicating, .indicate, value: .fixed([7])),
                CharacteristicDefinition(notifying, .notify, value: .fixed([9])),
            ]
        ),
        ServiceDefinition(
            numbered(0x0200),
            isPrimary: false,
            label: "inner",
            characteristics: [CharacteristicDefinition(0x2A2B, .read, value: .fixed([UInt8](repeating: 1, count: 10)))]
        ),
    ]

    /// The PDUs that it sends in answer to a PDU: the answer, and the values that follow.
    mutating func received(_ bytes: [UInt8]) -> [[UInt8]] {
        guard let pdu = try? ATTClientPDU(decoding: bytes) else { return [] }
        let size = mtu
        if case .request(.exchangeMTU(let request)) = pdu {
            mtu = max(23, min(request.clientRxMTU, server.configuration.maximumMTU))
        }
        if case .confirmation = pdu { return nextIndication() }
        return server.requestReceived(pdu, from: .init(client), mtu: size, security: .none).flatMap { sends(for: $0) }
    }

    private mutating func sends(for action: GATTServer.Action) -> [[UInt8]] {
        switch action {
        case .respond(_, let answer): return [ATTServerPDU(answer).encoded()]
        case .notify(_, let pdu): return [pdu.encoded()]
        case .notifySeveral(_, let pdu): return [pdu.encoded()]
        case .indicate(_, let pdu): return [pdu.encoded()]
        case .subscriptionChanged(_, let handle, let configuration):
            guard let value = server.database[handle]?.value else { return [] }
            if configuration.contains(.notification) {
                let pdu = HandleValueNotification(handle: handle, value: value).encoded()
                return Array(repeating: pdu, count: Self.valueCount)
            }
            indications = configuration.contains(.indication) ? (handle, Self.valueCount) : nil
            return nextIndication()
        case .read, .write, .valueWritten, .indicationConfirmed, .indicationDropped:
            return []
        }
    }

    private mutating func nextIndication() -> [[UInt8]] {
        guard let (handle, left) = indications, left > 0, let value = server.database[handle]?.value else { return [] }
        indications = (handle, left - 1)
        return [HandleValueIndication(handle: handle, value: value).encoded()]
    }
}
