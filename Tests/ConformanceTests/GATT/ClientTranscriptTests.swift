// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

/// The recorded clients discover the whole database first, in their own order, which the specification leaves open. So
/// this client's discovery is answered by a server with the transcript's database, and then its procedure by the
/// recorded answers.
@Suite("GATT client transcripts", .timeLimit(.minutes(15)))
struct ClientTranscriptTests {
    @Test("a client's procedure after discovery", arguments: Vectors.transcripts(.client), Wire.allCases)
    func runsAsRecorded(_ item: Vectors.Case, over wire: Wire) async throws {
        let transcript = item.transcript
        let database = try item.database?.build()
        try await connected(to: transcript, over: wire) { connection, server in
            guard let database else { return #expect(transcript.step == nil, "there is no database to discover") }
            server.serve(database, mtu: await connection.mtu)
            let descriptors = try await discover(database, through: connection)
            server.play([])
            guard transcript.step != nil else { return }
            try await run(transcript, on: connection, server, descriptors)
        }
    }

    private func run(
        _ transcript: Transcript,
        on connection: ATTConnection,
        _ server: TranscriptServer,
        _ descriptors: [Handle: [GATTDescriptor]]
    ) async throws {
        let step = try #require(transcript.step)
        let written = { @Sendable () in step.value }
        switch step.op {
        case "test_read":
            try await perform(ReadValue(step.handle), transcript, connection, server) { $0.value }
        case "test_long_read":
            try await perform(ReadLongValue(step.handle), transcript, connection, server) { $0.value }
        case "test_multiple_read":
            let procedure = ReadMultipleValues([step.handle, step.end])
            try await perform(procedure, transcript, connection, server) { $0.values }
        case "test_write":
            try await perform(WriteValue(step.value, to: step.handle), transcript, connection, server) { written() }
        case "test_long_write":
            try await perform(WriteLongValue(step.value, to: step.handle), transcript, connection, server) {
                written()
            }
        case "test_reliable_write":
            let procedure = ReliableWrite([HandleValue(step.handle, step.value)])
            try await perform(procedure, transcript, connection, server) { _ in written() }
        case "test_write_without_response", "test_signed_write_seclevel":
            // On an encrypted link a signed write is a plain one: Core 5.4, Vol 3, Part C, 10.2.4.
            let command = try WriteWithoutResponse(step.value, to: step.handle).command(mtu: await connection.mtu)
            try await send(command, transcript, connection, server)
        case "test_signed_write":
            let write = try #require(SignedWrite(step.value, to: step.handle, key: Self.signingKey, counter: 0))
            try await send(try write.command(mtu: await connection.mtu), transcript, connection, server)
        case "test_notification", "test_indication":
            try await subscribe(transcript, connection, server, descriptors)
        default:
            throw Unknown(what: "no procedure is known for \(step.op)")
        }
    }

    /// The key by which the recorded client signs, least significant octet first.
    private static let signingKey = octets("d8515948451fea320dc05a2e88308188")

    /// Runs the procedure against the recording.
    private func perform<Procedure: GATTProcedure>(
        _ procedure: Procedure,
        _ transcript: Transcript,
        _ connection: ATTConnection,
        _ server: TranscriptServer,
        _ value: (Procedure.Output) -> [UInt8]
    ) async throws {
        var first = procedure
        guard case .send(let request) = first.start(mtu: await connection.mtu) else {
            throw Unknown(what: "the procedure sends nothing")
        }
        server.play(try transcript.pdus(from: request.encoded()))
        try await expectOutcome(of: transcript) {
            transcript.name.hasSuffix("/auto")
                ? value(try await connection.perform(SecuredInBetween(base: procedure)))
                : value(try await connection.perform(procedure))
        }
    }

    private func send(
        _ command: ATTCommand,
        _ transcript: Transcript,
        _ connection: ATTConnection,
        _ server: TranscriptServer
    ) async throws {
        server.play(try transcript.pdus(from: command.encoded()))
        try await connection.send(command)
    }

    private func subscribe(
        _ transcript: Transcript,
        _ connection: ATTConnection,
        _ server: TranscriptServer,
        _ descriptors: [Handle: [GATTDescriptor]]
    ) async throws {
        let step = try #require(transcript.step)
        let isNotification = step.op == "test_notification"
        let descriptor = try #require(
            descriptors[step.handle]?.first { $0.uuid == .clientCharacteristicConfiguration }
        )
        // The recorded indication belongs to another characteristic than the subscription.
        let values = await connection.values()
        try await perform(
            WriteValue(isNotification ? .notification : .indication, toDescriptor: descriptor.handle),
            transcript,
            connection,
            server
        ) { step.value }
        let told = try await values.next()
        #expect(told.kind == (isNotification ? .notification : .indication))
        #expect(transcript.tells(HandleValue(told.handle, step.value)))
        #expect(Hex.string(told.value) == Hex.string(step.value))
    }

    /// Discovers the whole database from a server, and expects all its attributes.
    private func discover(
        _ database: GATTDatabase,
        through connection: ATTConnection
    ) async throws -> [Handle: [GATTDescriptor]] {
        let primary = try await connection.perform(DiscoverServices())
        let secondary = try await connection.perform(DiscoverServices(primary: false))
        #expect(Set(primary + secondary) == Set(database.services))
        var descriptors: [Handle: [GATTDescriptor]] = [:]
        for service in database.services {
            guard let contents = service.contents else { continue }
            let included = try await connection.perform(DiscoverIncludedServices(in: contents))
            let declared = database.attributes(in: contents).filter { $0.type == .include }
            #expect(included.map(\.handle) == declared.map(\.handle))
            let characteristics = try await connection.perform(DiscoverCharacteristics(in: contents))
            #expect(characteristics == database.characteristics(in: service.range))
            for characteristic in characteristics {
                guard let range = characteristic.descriptorRange else { continue }
                let found = try await connection.perform(DiscoverDescriptors(in: range))
                #expect(found.map(\.handle) == database.attributes(in: range).map(\.handle))
                descriptors[characteristic.valueHandle] = found
            }
        }
        return descriptors
    }
}

extension Transcript {
    /// Whether the recorded server sends the value without a request.
    fileprivate func tells(_ value: HandleValue) -> Bool {
        pdus.contains { pdu in
            switch try? ATTServerPDU(decoding: pdu) {
            case .notification(let told): HandleValue(told.handle, told.value) == value
            case .indication(let told): HandleValue(told.handle, told.value) == value
            default: false
            }
        }
    }

    /// The PDUs behind the recorded discovery, beginning with `pdu`.
    fileprivate func pdus(from pdu: [UInt8]) throws -> [[UInt8]] {
        let discovery: Set<ATTOpcode> = [
            .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest,
            .readByGroupTypeRequest,
        ]
        let turns = Array(stride(from: 0, to: pdus.count, by: 2))
        let last = turns.last { discovery.contains(ATTOpcode(pdus[$0].first ?? 0)) } ?? -2
        let start = try #require(
            turns.first { $0 > last && pdus[$0] == pdu },
            "no \(Hex.string(pdu)) is recorded behind the discovery"
        )
        return Array(pdus[start...])
    }
}

/// A procedure that sends its request once more if it is refused for lack of security, as if the host had secured the
/// link in between.
private struct SecuredInBetween<Base: GATTProcedure>: GATTProcedure {
    var base: Base
    private var last: ATTRequest?
    private var isSecured = false

    init(base: Base) { self.base = base }

    var preparesWrites: Bool { base.preparesWrites }

    mutating func start(mtu: UInt16) -> GATTStep<Base.Output> { keep(base.start(mtu: mtu)) }

    mutating func received(_ answer: ATTAnswer, mtu: UInt16) -> GATTStep<Base.Output> {
        if case .failure(let error) = answer, !isSecured, let last,
            [.insufficientAuthentication, .insufficientEncryption].contains(error.code)
        {
            isSecured = true
            return .send(last)
        }
        return keep(base.received(answer, mtu: mtu))
    }

    func abort() -> ATTRequest? { base.abort() }

    private mutating func keep(_ step: GATTStep<Base.Output>) -> GATTStep<Base.Output> {
        if case .send(let request) = step { last = request }
        return step
    }
}
