// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Bluetooth

@Suite("GATT server transcripts")
struct ServerTranscriptTests {
    @Test("our folder holds the transcripts")
    func vectorsAreThere() {
        #expect(Transcripts.sets.first?.transcripts.count == 112)
        #expect(Transcripts.sets.first?.databases.count == 4)
        #expect(Transcripts.sets.allSatisfy { $0.files > 0 }, "a folder has no *.jsonl")
    }

    @Test("every octet of every answer matches", arguments: Transcripts.cases(.server))
    func answersAsRecorded(_ item: Transcripts.Case) throws {
        let database = try #require(item.database, "the transcript names a database that is not there")
        var bench = ServerBench(
            try database.build(hasPlainConfigurations: item.transcript.writesOddConfiguration(in: database)),
            configuration: .forTranscripts
        )
        bench.mtu[ServerBench.first] = 512
        bench.security = .ofTranscripts
        bench.values = database.applicationValues()

        // The exchange begins with the client's MTU request, which the recordings leave out.
        var pdus = item.transcript.pdus[...]
        if pdus.first?.hasPrefix("03") == true { pdus = ["020002"] + pdus }
        while let request = pdus.popFirst() {
            var answer: [String]
            if request.isEmpty {
                let step = try #require(item.transcript.step)
                answer = bench.run(bench.server.notify(octets(step.value), of: Handle(step.handle)))
            } else {
                answer = bench.send(request)
            }
            let expected = pdus.popFirst() ?? ""
            if answer.isEmpty { answer = [""] }
            #expect(answer == [expected], "to \(ATTPDU.describe(Hex.bytes(request) ?? []))")
        }
    }

    /// The recorded server keeps any octets in a Client Characteristic Configuration: it takes three (GAW/SR/BV-08-C) and
    /// nineteen (GAW/SR/BV-09-C). The descriptor has two octets, so ours does not; those two transcripts run against a plain
    /// value of the same handle and permissions, and this is the specification's answer.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 3.3.3.3, table 3.10; Vol 3, Part F, 3.4.5.1 and 3.4.6.3
    @Test("a configuration of other than two octets is refused")
    func refusesOddConfigurations() throws {
        let database = try #require(Transcripts.sets.first?.databases[1])
        var bench = ServerBench(try database.build(hasPlainConfigurations: false), configuration: .forTranscripts)
        #expect(bench.send("12 0400 010203") == ["011204000d"])
        #expect(bench.send("12 0400 01") == ["011204000d"])
        let part = String(repeating: "ff", count: 18)
        #expect(bench.send("16 0400 0000 \(part)") == ["1704000000\(part)"])
        #expect(bench.send("16 0400 1200 ff") == ["1704001200ff"])
        #expect(bench.send("18 01") == ["011804000d"])
        #expect(bench.send("0a 0400") == ["0b0000"])
        let exceptions = Transcripts.sets[0].transcripts.filter { $0.writesOddConfiguration(in: database) }
        #expect(exceptions.map(\.name) == ["/TP/GAW/SR/BV-08-C/small", "/TP/GAW/SR/BV-09-C/small"])
    }

    @Test("a database of transcripts has the hash that an independent implementation computes")
    func hashesTheLargeDatabase() throws {
        let database = try #require(Transcripts.sets.first?.databases[5]).build(hasPlainConfigurations: false)
        #expect(Hex.string(database.hash) == "56b8e5c671aebdff2678e5bc5f3194dd")
    }
}

extension LinkSecurity {
    /// The recorded server tells a lack of encryption from a lack of authentication, as on a link that is not encrypted but
    /// has a key without protection against a man in the middle.
    ///
    /// Spec: Core 5.4, Vol 3, Part C, 10.3.1.1
    static let ofTranscripts = LinkSecurity(hasBond: true)
}

extension GATTServer.Configuration {
    /// The recorded server's MTU.
    fileprivate static var forTranscripts: GATTServer.Configuration {
        var configuration = GATTServer.Configuration()
        configuration.maximumMTU = 512
        return configuration
    }
}

extension TranscriptDatabase {
    func applicationValues() -> [Handle: Result<[UInt8], ATTRefusal>] {
        var values: [Handle: Result<[UInt8], ATTRefusal>] = [:]
        for attribute in attrs where attribute.err != 0 {
            values[Handle(attribute.h)] =
                attribute.err > 0
                ? .failure(ATTRefusal(ATTErrorCode(UInt8(truncatingIfNeeded: attribute.err))))
                : .success(octets(attribute.value))
        }
        return values
    }
}

extension Transcript {
    /// Whether the client writes a Client Characteristic Configuration of other than two octets and is told it did.
    func writesOddConfiguration(in database: TranscriptDatabase) -> Bool {
        guard role == .server else { return false }
        let configurations = Set(
            database.attrs.filter { $0.type.hasPrefix("00002902") }.map { Handle($0.h) }
        )
        return pdus.contains { pdu in
            guard let octets = Hex.bytes(pdu), case .request(let request)? = try? ATTClientPDU(decoding: octets) else {
                return false
            }
            switch request {
            case .write(let write): return configurations.contains(write.handle) && write.value.count != 2
            case .prepareWrite(let write):
                return configurations.contains(write.handle) && Int(write.offset) + write.value.count != 2
            default: return false
            }
        }
    }
}
