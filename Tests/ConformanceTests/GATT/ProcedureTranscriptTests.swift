// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

/// Single procedures of a client, beginning with their first PDU.
@Suite("GATT procedure transcripts", .timeLimit(.minutes(15)))
struct ProcedureTranscriptTests {
    @Test("the procedure sends the recorded requests", arguments: Vectors.transcripts(.att), Wire.allCases)
    func runsAsRecorded(_ item: Vectors.Case, over wire: Wire) async throws {
        let transcript = item.transcript
        let pdus = transcript.pdusBehindExchange
        guard case .request(let request) = try ATTClientPDU(decoding: try #require(pdus.first)) else {
            throw Unknown(what: "no request is recorded")
        }
        try await connected(to: transcript, over: wire) { connection, server in
            server.play(pdus)
            try await Self.run(transcript, from: request, on: connection)
        }
    }

    private static func run(_ transcript: Transcript, from request: ATTRequest, on connection: ATTConnection)
        async throws
    {
        switch (transcript.function, request) {
        case ("test_search_primary", .readByGroupType(let asked)):
            let found = try await connection.perform(DiscoverServices(in: asked.range))
            #expect(!found.isEmpty)
        case ("test_search_primary", .findByTypeValue(let asked)):
            let uuid = try #require(BluetoothUUID(transcript.uuid))
            // The transcripts write every UUID in the long form; the request shows which form to ask for.
            let isLong = asked.value.count == 16
            let found = try await connection.perform(DiscoverServicesByUUID(uuid, in: asked.range, isLong: isLong))
            #expect(!found.isEmpty && found.allSatisfy { $0.uuid == uuid })
        case ("test_search_included", .readByType(let asked)):
            let found = try await connection.perform(DiscoverIncludedServices(in: asked.range))
            #expect(!found.isEmpty && found.allSatisfy { $0.uuid != nil })
        case ("test_search_chars", .readByType(let asked)):
            let found = try await connection.perform(DiscoverCharacteristics(in: asked.range))
            #expect(!found.isEmpty)
        case ("test_search_descs", .findInformation(let asked)):
            let found = try await connection.perform(DiscoverDescriptors(in: asked.range))
            #expect(!found.isEmpty)
        case ("test_read_by_type", .readByType(let asked)):
            let procedure = ReadByUUID(asked.attributeType, in: asked.range, .all)
            try await expectOutcome(of: transcript) { try await connection.perform(procedure).flatMap(\.value) }
        default:
            throw Unknown(what: "no procedure is known for \(transcript.function)")
        }
    }
}

/// An unknown kind of transcript.
struct Unknown: Error, CustomStringConvertible {
    let what: String
    var description: String { what }
}

/// Expects that the operation ends like the transcript, with its value or its error.
func expectOutcome(of transcript: Transcript, _ operation: () async throws -> [UInt8]) async throws {
    let step = try #require(transcript.step)
    do {
        let value = try await operation()
        #expect(step.succeeds, "it ought to be refused")
        #expect(Hex.string(value) == Hex.string(step.value))
    } catch GATTError.refused(let error) {
        #expect(!step.succeeds && error.code == ATTErrorCode(step.ecode), "it is refused with \(error.code)")
    }
}
