// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import FirmwareUpdate
import Terminal
import Toolkit

/// The server of MCUmgr of a device, over one link. When the link is lost, another one has to be opened.
struct MCUmgrLink {
    private let link: ATTConnection
    private let observation: Observation
    private let handle: Handle
    private let context: OperationContext
    private let name: String
    private var reassembler = MCUmgrReassembler()
    private var sequence: UInt8 = 0

    /// The octets of a packet.
    let packet: Int

    /// Connects if there is no link, and subscribes to the responses.
    static func open(on device: ConnectedDevice, in context: OperationContext) async throws -> MCUmgrLink {
        let characteristic = device.peripheral.characteristic(.mcumgrData, in: .mcumgrService)
        // Requests are long, so that the MTU is exchanged first.
        try await context.withTimeout("exchange the MTU") { _ = try await device.peripheral.exchangeMTU() }
        let definition = try await context.withTimeout("find the service of MCUmgr") {
            try await characteristic.definition()
        }
        let observation = await device.peripheral.observation()
        do {
            try await context.withTimeout("subscribe to the responses") {
                try await observation.subscribe(to: characteristic)
            }
            let link = try await device.peripheral.connection()
            return MCUmgrLink(link, observation, definition.valueHandle, await link.mtu, device.reference.text, context)
        } catch {
            await observation.end()
            throw error
        }
    }

    private init(
        _ link: ATTConnection,
        _ observation: Observation,
        _ handle: Handle,
        _ mtu: UInt16,
        _ name: String,
        _ context: OperationContext
    ) {
        self.link = link
        self.observation = observation
        self.handle = handle
        self.name = name
        self.context = context
        // Core 5.4, Vol 3, Part F, 3.2.9: a value has at most 512 octets, also where a packet has room for more.
        packet = min(WriteValue.maximumLength(mtu: mtu), GATTLimits.maximumValueLength)
    }

    /// Ends the subscription.
    func close() async { await observation.end() }

    /// Waits until the device has ended the link, or until the moment.
    func waitForEnd(until moment: Instant) async throws {
        let link = link
        try await untilDeadline(moment, context.time) { _ = await link.untilEnded() }
    }

    /// Sends a frame, in as many packets as it needs.
    func send(_ frame: MCUmgrFrame) async throws {
        let octets = frame.encoded()
        for start in stride(from: 0, to: octets.count, by: packet) {
            let part = Array(octets[start..<min(start + packet, octets.count)])
            let (link, handle) = (link, handle)
            try await context.withTimeout("send a request") { try await link.writeWithoutResponse(part, to: handle) }
        }
    }

    /// The next frame of the device; `nil` if none has come until the moment. What is no frame is left out.
    mutating func next(until moment: Instant?) async throws -> MCUmgrFrame? {
        while true {
            let observation = observation
            let event: ObservationEvent?
            if let moment {
                event = try await untilDeadline(moment, context.time) { try await observation.next() }
            } else {
                event = try await observation.next()
            }
            guard let event else {
                // The rest of a frame that has begun does not come any more.
                reassembler.reset()
                return nil
            }
            guard case .value(let value, _) = event.kind else { continue }
            guard !value.isCut else {
                throw BlectlError(
                    .protocolError,
                    "\(name) sends more than the \(GATTLimits.maximumValueLength) octets that a value can have"
                )
            }
            do {
                if let frame = try reassembler.received(value.value) { return frame }
            } catch {
                context.notes.detail("the device sends what is no response of MCUmgr: \(error)")
            }
        }
    }

    /// Carries a request out. Throws the `MCUmgrRefusal` of the server, or a `BlectlError` if there is no answer.
    mutating func perform<Request: MCUmgrRequest>(
        _ request: Request,
        within limit: Duration? = nil
    ) async throws -> Request.Response {
        sequence &+= 1
        let frame = request.frame(sequence: sequence)
        let limit = limit ?? context.timeout
        let deadline = context.time.now + limit
        try await send(frame)
        while let answer = try await next(until: deadline) {
            guard answer.answers(frame) else { continue }
            do {
                return try request.response(in: answer)
            } catch {
                switch error {
                case .refused(let refusal): throw refusal
                case .malformed(let fault):
                    throw BlectlError(.protocolError, "\(name) answers in a form that makes no sense: \(fault)")
                }
            }
        }
        throw BlectlError(.timedOut, "\(name) does not answer a request of MCUmgr within \(limit.text)")
    }

    /// The same; `nil` if the server does not support the request.
    mutating func performIfSupported<Request: MCUmgrRequest>(_ request: Request) async throws -> Request.Response? {
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

extension BlectlError {
    /// The refusal of a server, which does what is said of it.
    init(_ refusal: MCUmgrRefusal, cannot action: String, hint: String? = nil) {
        let isMissing = refusal.shared == .noEntry || refusal == MCUmgrRefusal(group: .settings, code: 3)
        let status: ExitStatus =
            isMissing || refusal == MCUmgrRefusal(group: .files, code: 3) ? .notFound : .protocolError
        self.init(status, cannot: action, "the device answers: \(refusal)", hint: hint)
    }
}
