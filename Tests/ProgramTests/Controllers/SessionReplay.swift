// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Synchronization

/// The controller of a recorded session: says what it has said then, each packet when the host has sent as many as before it.
///
/// A host that says something else, because something else was heard, is waited for a second each time.
final class SessionReplay: PacketChannel {
    /// Octets that the controller says.
    struct Saying: Hashable, Sendable {
        /// The packets of the host that go before.
        let after: Int
        let pause: Duration
        var octets: [UInt8]
    }

    private static let patience = Duration.seconds(1)

    private let time: any TimeSource
    private let octets = PacketQueue(limit: 1_000_000, overflow: .dropOldest)
    private let sent = Mutex(0)
    private let news = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    init(_ time: any TimeSource) { self.time = time }

    var droppedCount: Int { octets.droppedCount }
    func receive() async throws(RadioError) -> [UInt8] { try await octets.next() }
    func drained() async throws(RadioError) {}
    func hangUp(_ reason: RadioError) { octets.finish(reason) }
    func close() { octets.finish(RadioError(.closedLocally, during: "replay")) }

    func send(_ packet: [UInt8]) throws(RadioError) {
        if let end = octets.endReason { throw end }
        sent.withLock { $0 += 1 }
        news.continuation.yield()
    }

    /// Says everything in pieces of that length; then it is silent, or the transport ends.
    func play(_ sayings: [Saying], inPiecesOf length: Int, thenEnds: Bool) async {
        var lacking = 0
        for saying in sayings {
            let deadline = time.now + Self.patience
            while sent.withLock({ $0 }) + lacking < saying.after {
                let isNews = try? await untilDeadline(deadline, time) { [news] in
                    for await _ in news.stream { return true }
                    return false
                }
                guard isNews != true else { continue }
                lacking = saying.after - sent.withLock { $0 }
            }
            try? await time.sleep(until: time.now + saying.pause)
            for start in stride(from: 0, to: saying.octets.count, by: length) {
                octets.push(Array(saying.octets[start..<min(saying.octets.count, start + length)]))
            }
        }
        if thenEnds { octets.finish(RadioError(.controllerGone, during: "replay")) }
    }
}

extension RecordedSession {
    /// What the controller has said.
    var sayings: [SessionReplay.Saying] {
        var (result, after, pause): ([SessionReplay.Saying], Int, Duration) = ([], 0, .zero)
        for packet in packets {
            pause += packet.pause
            guard !packet.isFromHost else {
                after += 1
                continue
            }
            result.append(.init(after: after, pause: pause, octets: packet.octets))
            pause = .zero
        }
        return result
    }
}

/// What happens to the octets of a controller on their way.
struct LineNoise: Sendable, CustomStringConvertible {
    enum Kind: CaseIterable {
        case octetLost, octetDoubled, octetChanged, bitChanged, octetAdded, packetLost, packetDoubled, packetsSwapped,
            cut
    }

    private(set) var sayings: [SessionReplay.Saying]
    private(set) var description = ""
    let pieceLength: Int
    let endsTransport: Bool

    /// One to three faults.
    init(_ sayings: [SessionReplay.Saying], _ random: inout SeededGenerator) {
        self.sayings = sayings
        pieceLength = [1, 5, 64, 4_096].randomElement(using: &random) ?? 1
        endsTransport = Bool.random(using: &random)
        // Mostly those after which the packets still have their borders, because others end everything soon.
        let kinds = Kind.allCases + [.octetChanged, .bitChanged, .octetChanged, .bitChanged]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            guard let kind = kinds.randomElement(using: &random) else { continue }
            let index = Int.random(in: 0..<self.sayings.count, using: &random)
            apply(kind, to: index, &random)
            description += "\(kind) \(index), "
        }
        description += "pieces of \(pieceLength), then \(endsTransport ? "gone" : "silent")"
    }

    private mutating func apply(_ kind: Kind, to index: Int, _ random: inout SeededGenerator) {
        let count = sayings[index].octets.count
        guard count > 0 else { return }
        let place = Int.random(in: 0..<count, using: &random)
        switch kind {
        case .octetLost: sayings[index].octets.remove(at: place)
        case .octetDoubled: sayings[index].octets.insert(sayings[index].octets[place], at: place)
        case .octetChanged: sayings[index].octets[place] = .random(in: 0...255, using: &random)
        case .bitChanged: sayings[index].octets[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case .octetAdded: sayings[index].octets.insert(.random(in: 0...255, using: &random), at: place)
        case .packetLost: sayings[index].octets = []
        case .packetDoubled: sayings[index].octets += sayings[index].octets
        case .packetsSwapped:
            (sayings[index].octets, sayings[place % sayings.count].octets) = (
                sayings[place % sayings.count].octets, sayings[index].octets
            )
        case .cut:
            sayings[index].octets.removeLast(count - place)
            sayings.removeLast(sayings.count - 1 - index)
        }
    }
}
