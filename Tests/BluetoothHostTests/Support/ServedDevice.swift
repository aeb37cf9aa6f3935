// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization

/// A radio with one device, which serves a database through the product's own server and records the requests.
final class ServedDevice: Radio {
    /// A reaction to a request that replaces the answer.
    enum Whim: Sendable {
        /// Sends something else.
        case answers([UInt8])
        /// Never answers.
        case isSilent
    }

    private struct State {
        var server: GATTServer
        var links: [(client: GATTServer.ClientID, channel: ScriptedChannel)] = []
        var lastClient: UInt32 = 0
        var mtu: [GATTServer.ClientID: UInt16] = [:]
        var log: [String] = []
        var whim: @Sendable (String) -> Whim? = { _ in nil }
    }

    let adapter = AdapterDescription(
        name: "hci7",
        index: 7,
        address: BluetoothAddress(rawValue: 0x0011_2233_4455),
        state: .up,
        bus: "virtual"
    )
    private let state: Mutex<State>
    private let time: VirtualTime
    private let scope: TaskScope
    /// The delay of each answer.
    private let delay: Duration

    init(_ database: GATTDatabase, delay: Duration = .milliseconds(10), _ time: VirtualTime, _ scope: TaskScope) {
        state = Mutex(State(server: GATTServer(database: database)))
        self.delay = delay
        self.time = time
        self.scope = scope
    }

    // MARK: - Use by tests

    /// The requests since the last call by short names, and `connect` for each link.
    func takeLog() -> [String] {
        state.withLock { state in
            defer { state.log = [] }
            return state.log
        }
    }

    /// Sets the function that replaces answers to requests, by their names.
    func setWhim(_ whim: @escaping @Sendable (String) -> Whim?) { state.withLock { $0.whim = whim } }

    /// Replaces the database. Informs connected clients of a range, if one is given.
    func change(to database: GATTDatabase, telling range: HandleRange? = nil) {
        let channels = state.withLock { state in
            state.server = GATTServer(database: database)
            for (client, _) in state.links { _ = state.server.clientConnected(client) }
            return state.links.map(\.channel)
        }
        if let range, let handle = database.characteristic(.serviceChanged)?.valueHandle {
            let value = [range.start, range.end].flatMap { $0.encoded() }
            for channel in channels { channel.push(Hex.string([0x1D] + handle.encoded() + value)) }
        }
    }

    /// Breaks the current link.
    func loseLink() {
        let channels = state.withLock { state in
            defer { state.links = [] }
            return state.links.map(\.channel)
        }
        for channel in channels { channel.end(.linkLost(.connectionTimeout)) }
    }

    // MARK: - Radio

    func openHCI() throws(RadioError) -> any HCIChannel { throw RadioError(.unsupported, during: "test") }

    func listenATT() throws(RadioError) -> any ATTListener { throw RadioError(.unsupported, during: "test") }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        do {
            try await time.sleep(for: delay)
        } catch {
            throw RadioError(.cancelled, during: "test")
        }
        return state.withLock { state in
            state.lastClient += 1
            let client = GATTServer.ClientID(state.lastClient)
            let channel = ScriptedChannel(time, scope) { [self] request in
                received(request, from: client)
                return nil
            }
            state.links.append((client, channel))
            state.log.append("connect")
            _ = state.server.clientConnected(client)
            return channel
        }
    }

    private func received(_ octets: [UInt8], from client: GATTServer.ClientID) {
        let (channel, answers) = state.withLock { state -> (ScriptedChannel?, [[UInt8]]) in
            let name = Self.name(of: octets)
            state.log.append(name)
            let channel = state.links.first { $0.client == client }?.channel
            switch state.whim(name) {
            case .answers(let answer):
                if answer.count == 3, answer[0] == 0x03 {
                    state.mtu[client] = UInt16(answer[1]) | UInt16(answer[2]) << 8
                }
                return (channel, [answer])
            case .isSilent: return (channel, [])
            case nil: break
            }
            guard let pdu = try? ATTClientPDU(decoding: octets) else { return (channel, []) }
            let mtu = state.mtu[client] ?? 23
            if case .request(.exchangeMTU(let request)) = pdu { state.mtu[client] = min(517, request.clientRxMTU) }
            let actions = state.server.requestReceived(pdu, from: .init(client), mtu: mtu, security: .none)
            return (channel, actions.compactMap(Self.packet))
        }
        guard !answers.isEmpty else { return }
        scope.spawn { [time, delay] in
            guard (try? await time.sleep(for: delay)) != nil else { return }
            for answer in answers { channel?.push(Hex.string(answer)) }
        }
    }

    private static func packet(_ action: GATTServer.Action) -> [UInt8]? {
        switch action {
        case .respond(_, let answer): ATTServerPDU(answer).encoded()
        case .notify(_, let pdu): pdu.encoded()
        case .notifySeveral(_, let pdu): pdu.encoded()
        case .indicate(_, let pdu): pdu.encoded()
        default: nil
        }
    }

    /// The short name of a request.
    private static func name(of octets: [UInt8]) -> String {
        let type = octets.count == 7 ? UInt16(octets[5]) | UInt16(octets[6]) << 8 : nil
        switch (octets.first ?? 0, type) {
        case (0x02, _): return "mtu"
        case (0x04, _): return "attributes"
        case (0x06, _): return "service-by-uuid"
        case (0x08, 0x2802): return "includes"
        case (0x08, 0x2803): return "characteristics"
        case (0x08, 0x2B2A): return "hash"
        case (0x08, _): return "read-by-uuid"
        case (0x0A, _): return "read"
        case (0x0C, _): return "blob"
        case (0x10, 0x2800): return "services"
        case (0x10, 0x2801): return "secondary"
        case (0x12, _): return "write"
        case (0x16, _): return "prepare"
        case (0x18, _): return octets.last == 0 ? "cancel" : "execute"
        case (0x1E, _): return "confirm"
        case (0x20, _): return "read-several"
        case (0x52, _): return "command"
        default: return Hex.string(octets)
        }
    }
}

/// A database with every kind of difficulty: a UUID in two services and twice in one, includes, descriptors.
enum ServedDatabase {
    static let long = BluetoothUUID(bits128: 0xB1EC_0101_5EC7_4C3A_9D0E_51A1_B1EC_0001)

    /// - Parameters:
    ///   - hasHash: Whether it has a Generic Attribute service with a Database Hash.
    ///   - first: A service before the batteries, which moves all attributes behind it.
    static func make(hasHash: Bool = true, first: BluetoothUUID? = nil) throws -> GATTDatabase {
        let generic: [ServiceDefinition] = [.genericAccess(name: "Served")] + (hasHash ? [.genericAttribute()] : [])
        return try GATTDatabase(services: generic + (first.map { [ServiceDefinition($0)] } ?? []) + batteries + rest)
    }

    private static let batteries = [
        ServiceDefinition(
            0x180F,
            label: "one",
            characteristics: [
                CharacteristicDefinition(
                    0x2A19,
                    [.read, .notify],
                    value: .fixed([1]),
                    descriptors: [.userDescription("first"), .userDescription("second")]
                )
            ]
        ),
        ServiceDefinition(
            0x180F,
            label: "two",
            characteristics: [
                CharacteristicDefinition(0x2A19, [.read, .write], value: .variable([2])),
                CharacteristicDefinition(0x2A1A, [.read], value: .fixed([4])),
                CharacteristicDefinition(
                    0x2A19,
                    [.read, .writeWithoutResponse, .write],
                    value: .variable([3]),
                    descriptors: [.userDescription("third")]
                ),
            ]
        ),
    ]

    private static let rest = [
        ServiceDefinition(
            0x180D,
            includes: ["two", "hidden"],
            characteristics: [
                CharacteristicDefinition(0x2A37, .notify, value: .fixed([])),
                CharacteristicDefinition(long, [.read, .write], value: .variable(Array(repeating: 7, count: 60))),
                CharacteristicDefinition(0x2A39, .write, value: .variable([])),
            ]
        ),
        ServiceDefinition(
            long,
            isPrimary: false,
            label: "hidden",
            characteristics: [CharacteristicDefinition(0x2A38, .read, value: .fixed([5]))]
        ),
    ]
}
