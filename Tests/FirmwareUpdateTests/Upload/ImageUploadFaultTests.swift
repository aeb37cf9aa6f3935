// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import FirmwareUpdate

/// The upload to a server on a bad link, in which anything may get lost, come twice, or be refused.
@Suite("Upload of an image, with random faults")
struct ImageUploadFaultTests {
    /// A server as Zephyr's: it wants the parts in their order, and answers each with what it has.
    private struct Server {
        var hash: [UInt8] = []
        var flash: [UInt8] = []
        var length = 0

        mutating func answer(_ request: MCUmgrFrame) -> MCUmgrFrame {
            let fields = request.fields
            let data = fields["data"]?.bytes ?? []
            if request.start == 0 {
                let sha = fields["sha"]?.bytes ?? []
                if sha.isEmpty || sha != hash || flash.isEmpty {
                    (hash, flash, length) = (sha, data, fields["len"]?.count ?? 0)
                }
            } else if request.start == flash.count, length > 0 {
                flash += data
            }
            return request.response(CBORMap(["off": CBORValue(flash.count)]))
        }
    }

    /// What happens to a frame.
    private enum Fate: CaseIterable { case lost, twice, refused, restarted, cut, forgotten }

    /// Uploads a file with faults of a probability. Returns how it ended, and what the server has then.
    private static func run(seed: UInt64, faults: Double) -> (ImageUpload.Ending?, isWhole: Bool, requests: Int) {
        var random = TestGenerator(seed: seed)
        let file = (0..<Int.random(in: 1...20_000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
        }
        let limits = ImageUpload.Limits(
            buffers: .init(
                size: Int.random(in: 0...2_500, using: &random),
                count: Int.random(in: 0...8, using: &random)
            ),
            packet: Int.random(in: 150...509, using: &random)
        )
        var upload = ImageUpload(file, image: nil, limits: limits, sequence: UInt8.random(in: 0...255, using: &random))
        var server = Server()
        var now = Instant.zero
        var requests = 0
        var queue = upload.linkMade(now: now)
        while true {
            var answers: [MCUmgrFrame] = []
            var isCut = false
            for action in queue {
                guard case .send(let request) = action else {
                    if case .ended(let ending) = action { return (ending, server.flash == file, requests) }
                    continue
                }
                requests += 1
                guard requests < 20_000 else { return (nil, false, requests) }
                let fate =
                    Double.random(in: 0..<1, using: &random) < faults
                    ? Fate.allCases.randomElement(using: &random) : nil
                switch fate {
                case nil: answers.append(server.answer(request))
                case .lost: break
                // The request was served, and the answer is missing.
                case .forgotten: _ = server.answer(request)
                case .twice: answers += [server.answer(request), server.answer(request)]
                case .refused: answers.append(request.response(MCUmgrRefusal.shared(.busy).fields))
                case .restarted: server = Server()
                case .cut: isCut = true
                }
            }
            queue = []
            now = now + .milliseconds(50)
            if isCut {
                queue = upload.linkLost()
                if queue.isEmpty { queue = upload.linkMade(limits, now: now) }
                continue
            }
            for answer in answers { queue += upload.received(answer, now: now) }
            if answers.isEmpty, queue.isEmpty {
                guard let deadline = upload.deadline else { return (nil, false, requests) }
                now = max(now, deadline)
                queue = upload.timerFired(now: now)
            }
        }
    }

    @Test("Every upload ends, and one that is complete is whole", arguments: [0.0, 0.02, 0.1, 0.5])
    func faults(_ probability: Double) {
        var complete = 0
        for seed in 0..<250 {
            let (ending, isWhole, _) = Self.run(seed: UInt64(seed), faults: probability)
            switch ending {
            case nil: Issue.record("seed \(seed) does not end")
            case .complete:
                complete += 1
                #expect(isWhole, "seed \(seed)")
            case .stalled, .refused(.shared(.busy)): break
            case let ending?: Issue.record("seed \(seed) ends with \(ending)")
            }
        }
        // Few faults are got over.
        if probability <= 0.02 { #expect(complete == 250) }
        #expect(complete > 0)
    }
}
