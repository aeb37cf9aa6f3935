// SPDX-License-Identifier: MIT

import Bluetooth
package import FirmwareUpdate

/// The server of MCUmgr of a device, over one link. When the link is lost, another one has to be opened.
package struct MCUmgrLink {
    /// How often a request is sent that may come twice: a server without a free buffer drops it.
    private static let attempts = 3

    let link: AnsweringLink
    private var reassembler = MCUmgrReassembler()
    private var sequence: UInt8 = 0

    /// The octets of a packet.
    package var packet: Int { link.packet }

    /// Connects if there is no link, and subscribes to the responses.
    package static func open(
        _ peripheral: Peripheral,
        _ environment: any UpdateEnvironment
    ) async throws -> MCUmgrLink {
        let characteristic = peripheral.service(.mcumgrService).characteristic(.mcumgrData)
        return MCUmgrLink(try await AnsweringLink.open(peripheral, characteristic, environment))
    }

    private init(_ link: AnsweringLink) { self.link = link }

    package func close() async { await link.close() }

    func waitForEnd(until moment: Instant) async throws { try await link.waitForEnd(until: moment) }

    /// Sends a frame, in as many packets as it needs.
    func send(_ frame: MCUmgrFrame) async throws {
        let octets = frame.encoded()
        try await link.send(
            whole: stride(from: 0, to: octets.count, by: packet).map { start in
                Array(octets[start..<min(start + packet, octets.count)])
            }
        )
    }

    /// The next frame of the device; `nil` if none has come until the moment. What is no frame is left out.
    mutating func next(until moment: Instant?) async throws -> MCUmgrFrame? {
        while let value = try await link.next(until: moment) {
            do {
                if let frame = try reassembler.received(value) { return frame }
            } catch {
                link.environment.noted(.noAnswer(error))
            }
        }
        // The rest of a frame that has begun does not come any more.
        reassembler.reset()
        return nil
    }

    /// Carries a request out. Throws the `MCUmgrRefusal` of the server, or a `FirmwareUpdateError` if there is no answer.
    package mutating func perform<Request: MCUmgrRequest>(
        _ request: Request,
        within limit: Duration? = nil
    ) async throws -> Request.Response {
        sequence &+= 1
        let attempts = Request.mayRepeat ? Self.attempts : 1
        let answer = try await answer(to: request.frame(sequence: sequence), within: limit, attempts)
        do {
            return try request.response(in: answer)
        } catch {
            switch error {
            case .refused(let refusal): throw refusal
            case .malformed(let fault):
                throw FirmwareUpdateError(.refused, "it answers in a form that makes no sense: \(fault)")
            }
        }
    }

    private mutating func answer(
        to frame: MCUmgrFrame,
        within limit: Duration?,
        _ attempts: Int
    ) async throws -> MCUmgrFrame {
        let limit = limit ?? link.environment.timeout
        let start = link.environment.time.now
        for attempt in 1...attempts {
            try await send(frame)
            while let answer = try await next(until: start + limit * attempt / attempts) {
                if answer.answers(frame) { return answer }
            }
        }
        throw FirmwareUpdateError(.timedOut, "it does not answer a request of MCUmgr within \(limit.text)")
    }

    /// The same; `nil` if the server does not support the request.
    package mutating func performIfSupported<Request: MCUmgrRequest>(_ request: Request) async throws
        -> Request.Response?
    {
        do {
            return try await perform(request)
        } catch let refusal as MCUmgrRefusal where refusal.shared == .notSupported || refusal.shared == .noEntry {
            return nil
        }
    }

    /// The sequence number of the next request, for an upload that numbers its own.
    var nextSequence: UInt8 { sequence &+ 1 }

    /// Continues behind the requests of an upload.
    mutating func skip(_ count: Int) { sequence &+= UInt8(truncatingIfNeeded: count) }
}
