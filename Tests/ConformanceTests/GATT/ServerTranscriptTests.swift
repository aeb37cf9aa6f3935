// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

/// The peripheral role against recorded clients: channel, bearer, server and database together.
@Suite("GATT server transcripts", .timeLimit(.minutes(15)))
struct ServerTranscriptTests {
    @Test("every octet of every answer matches", arguments: Vectors.transcripts(.server), Wire.allCases)
    func answersAsRecorded(_ item: Vectors.Case, over wire: Wire) async throws {
        let transcript = item.transcript
        let database = try #require(item.database, "there is no database \(transcript.database)")
        let device = DeviceImage(
            name: "transcript",
            address: .other,
            advertising: [],
            database: try database.build(hasPlainConfigurations: transcript.writesOddConfiguration(in: database)),
            firmware: TranscriptFirmware(
                values: database.applicationValues,
                told: transcript.step.map { HandleValue($0.handle, $0.value) }
            ),
            maximumMTU: transcript.serverMTU ?? 517
        )
        try await serving(device, over: wire) { served in
            let client = served.client
            var pdus = transcript.pdus[...]
            // The recordings omit the client's MTU request, which asked for the minimum.
            if pdus.first?.first == ATTOpcode.exchangeMTUResponse.rawValue {
                pdus = [ExchangeMTURequest(clientRxMTU: 23).encoded()] + pdus
            }
            while let request = pdus.popFirst() {
                if !request.isEmpty { try client.send(request) }
                // If the server must be silent, a PDU that it sends is found in the place of its next answer.
                guard let expected = pdus.popFirst(), !expected.isEmpty else { continue }
                let answer = try await client.receive()
                #expect(Hex.string(answer) == Hex.string(expected), "to \(ATTPDU.describe(request))")
            }
            try await served.expectNothingMore()
        }
    }

    /// The recorded server accepts any octets in a Client Characteristic Configuration: three (GAW/SR/BV-08-C) and
    /// nineteen (GAW/SR/BV-09-C). The specification gives the descriptor two octets, so this server refuses others. The
    /// two transcripts run against a plain value of the same handle and permissions. They are the only exceptions.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 3.3.3.3, table 3.10; Vol 3, Part F, 3.4.5.1 and 3.4.6.3
    @Test("a configuration of other than two octets is refused", arguments: Wire.allCases)
    func refusesOddConfigurations(over wire: Wire) async throws {
        let ours = try #require(Vectors.transcripts(.server).first { $0.transcript.name == "/TP/GAW/SR/BV-08-C/small" })
        let database = try #require(ours.database)
        let device = DeviceImage(
            name: "transcript",
            address: .other,
            advertising: [],
            database: try database.build()
        )
        let part = String(repeating: "ff", count: 18)
        try await serving(device, over: wire) { served in
            try await served.expect("12 0400 010203", answers: ["01 12 0400 0d"])
            try await served.expect("12 0400 01", answers: ["01 12 0400 0d"])
            try await served.expect("16 0400 0000 \(part)", answers: ["17 0400 0000 \(part)"])
            try await served.expect("16 0400 1200 ff", answers: ["17 0400 1200 ff"])
            try await served.expect("18 01", answers: ["01 18 0400 0d"])
            try await served.expect("0a 0400", answers: ["0b 0000"])
        }
        let exceptions = Vectors.transcripts(.server).filter { item in
            item.origin == nil && item.database.map { item.transcript.writesOddConfiguration(in: $0) } ?? false
        }
        #expect(exceptions.map(\.transcript.name) == ["/TP/GAW/SR/BV-08-C/small", "/TP/GAW/SR/BV-09-C/small"])
    }

    @Test("a database of transcripts has the hash that an independent implementation computes")
    func hashesTheLargeDatabase() throws {
        let item = try #require(Vectors.transcripts(.server).first { $0.transcript.name == "/robustness/hash-db" })
        let database = try #require(item.database).build()
        #expect(Hex.string(database.hash) == "56b8e5c671aebdff2678e5bc5f3194dd")
    }
}

extension Transcript {
    /// The MTU that the recorded server offers.
    fileprivate var serverMTU: UInt16? {
        guard let first = pdus.first, let response = try? ExchangeMTUResponse(decoding: first) else { return nil }
        return response.serverRxMTU
    }

    /// Whether the client writes a Client Characteristic Configuration of other than two octets successfully.
    fileprivate func writesOddConfiguration(in database: TranscriptDatabase) -> Bool {
        let configurations = Set(
            database.attributes.filter { $0.type == .clientCharacteristicConfiguration }.map(\.handle)
        )
        return pdus.contains { pdu in
            guard case .request(let request)? = try? ATTClientPDU(decoding: pdu) else { return false }
            switch request {
            case .write(let write): return configurations.contains(write.handle) && write.value.count != 2
            case .prepareWrite(let write):
                return configurations.contains(write.handle) && Int(write.offset) + write.value.count != 2
            default: return false
            }
        }
    }
}
