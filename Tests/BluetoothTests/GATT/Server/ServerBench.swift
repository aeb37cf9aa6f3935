// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

/// A server with clients that send and receive octets. The bench does the work of the bearers and of the application.
struct ServerBench {
    var server: GATTServer
    var mtu: [GATTServer.ClientID: UInt16] = [:]
    var security = LinkSecurity.none
    /// The application's answers to reads; a missing entry means no answer.
    var values: [Handle: Result<[UInt8], ATTRefusal>] = [:]
    /// The writes that the application refuses.
    var refusals: [Handle: ATTErrorCode] = [:]
    /// Whether the application answers writes at once.
    var answersWrites = true
    /// All actions so far that are not PDUs.
    private(set) var events: [GATTServer.Action] = []

    init(_ database: GATTDatabase, configuration: GATTServer.Configuration = .init()) {
        server = GATTServer(database: database, configuration: configuration)
    }

    static let first = GATTServer.ClientID(1)
    static let second = GATTServer.ClientID(2)

    /// Connects a client. Returns the PDUs that the server sends, in hexadecimal.
    mutating func comes(_ client: GATTServer.ClientID, as identity: DeviceAddress?) -> [String] {
        run(server.clientConnected(client, security: security, identity: identity))
    }

    /// Sends octets to the server. Returns the PDUs that it sends to any client, in hexadecimal.
    mutating func send(_ octets: [UInt8], from client: GATTServer.ClientID = first) -> [String] {
        do {
            let pdu = try ATTClientPDU(decoding: octets)
            let actions = server.requestReceived(pdu, from: .init(client), mtu: mtu[client] ?? 23, security: security)
            return run(actions)
        } catch {
            // Like a bearer: refuses a malformed request, and drops any other malformed PDU.
            guard let first = octets.first.map(ATTOpcode.init(rawValue:)) else { return [] }
            guard case .request? = ATTCatalog.format(of: first)?.kind else { return [] }
            let error = ATTErrorResponse(requestOpcode: first, handle: .invalid, code: .invalidPDU)
            return [Hex.string(error.encoded())]
        }
    }

    /// Sends a PDU in hexadecimal to the server.
    mutating func send(_ hex: String, from client: GATTServer.ClientID = first) -> [String] {
        send(octets(hex), from: client)
    }

    /// Performs actions. Returns the PDUs among them, in hexadecimal.
    mutating func run(_ actions: [GATTServer.Action]) -> [String] {
        var sent: [String] = []
        for action in actions {
            switch action {
            case .respond(_, let answer): sent.append(Hex.string(ATTServerPDU(answer).encoded()))
            case .notify(_, let pdu): sent.append(Hex.string(pdu.encoded()))
            case .notifySeveral(_, let pdu): sent.append(Hex.string(pdu.encoded()))
            case .indicate(_, let pdu): sent.append(Hex.string(pdu.encoded()))
            case .read(let token, let context):
                events.append(action)
                if let answer = values[context.handle] { sent += run(server.readAnswered(token, answer)) }
            case .write(let token, let context):
                events.append(action)
                guard answersWrites else { continue }
                let refusal = refusals[context.handle].map(ATTRefusal.init)
                sent += run(server.writeAnswered(token, refusal))
            case .valueWritten, .subscriptionChanged, .indicationConfirmed, .indicationDropped:
                events.append(action)
            }
        }
        return sent
    }
}

extension DeviceAddress {
    static let phone = DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_01), .random)
    static let tablet = DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_02), .random)
}

extension LinkSecurity {
    /// Encrypted with the key of a bond.
    static let bonded = LinkSecurity(isEncrypted: true, keySize: 16, hasBond: true)
}
