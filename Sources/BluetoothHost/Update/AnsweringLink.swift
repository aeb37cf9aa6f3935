// SPDX-License-Identifier: MIT

import Bluetooth

/// A link to a device that answers by values of one characteristic. When it is lost, another one has to be opened.
struct AnsweringLink {
    let connection: ATTConnection
    let handle: Handle
    /// The octets of a value that is written without response.
    let packet: Int
    private let observation: Observation
    private let scope: TaskScope
    let environment: any UpdateEnvironment

    /// Connects if there is no link, and subscribes to the answers.
    static func open(
        _ peripheral: Peripheral,
        _ characteristic: Characteristic,
        _ environment: any UpdateEnvironment
    ) async throws -> AnsweringLink {
        // What is written is long, so that the MTU is exchanged first.
        try await environment.withTimeout("exchange the MTU") { _ = try await peripheral.exchangeMTU() }
        let definition = try await environment.withTimeout("find the service for updates") {
            try await characteristic.definition()
        }
        let observation = await peripheral.observation()
        do {
            try await environment.withTimeout("subscribe to the answers") {
                try await observation.subscribe(to: characteristic)
            }
            let connection = try await peripheral.connection()
            return AnsweringLink(
                connection: connection,
                handle: definition.valueHandle,
                // Core 5.4, Vol 3, Part F, 3.2.9: a value has at most 512 octets, also where a packet has room for more.
                packet: min(WriteValue.maximumLength(mtu: await connection.mtu), GATTLimits.maximumValueLength),
                observation: observation,
                scope: peripheral.scope,
                environment: environment
            )
        } catch {
            await observation.end()
            throw error
        }
    }

    func close() async { await observation.end() }

    func waitForEnd(until moment: Instant) async throws {
        let connection = connection
        try await untilDeadline(moment, environment.time) { _ = await connection.untilEnded() }
    }

    /// Writes without response.
    func send(_ octets: [UInt8], to handle: Handle) async throws {
        let connection = connection
        try await environment.withTimeout("send to the device") {
            try await connection.writeWithoutResponse(octets, to: handle)
        }
    }

    /// Writes the packets of one message without response: all of them, also if the task is cancelled meanwhile.
    ///
    /// Half a message would wait for its rest in the device, and be taken for the start of the next one: a link may outlast the
    /// program, for the kernel ends it later.
    func send(whole packets: [[UInt8]]) async throws {
        let (connection, handle) = (connection, handle)
        let (time, limit) = (environment.time, environment.timeout)
        try await scope.shielded {
            try await withDeadline(time.now + limit, time, operation: "send to the device") {
                for packet in packets { try await connection.writeWithoutResponse(packet, to: handle) }
            }
        }
        try Task.checkCancellation()
    }

    /// Writes an order, and waits until it is confirmed.
    func order(_ octets: [UInt8]) async throws {
        let (connection, handle) = (connection, handle)
        try await environment.withTimeout("write an order") { _ = try await connection.write(octets, to: handle) }
    }

    /// The next value; `nil` if none has come until the moment.
    func next(until moment: Instant?) async throws -> [UInt8]? {
        while true {
            let observation = observation
            let event: ObservationEvent?
            if let moment {
                event = try await untilDeadline(moment, environment.time) { try await observation.next() }
            } else {
                event = try await observation.next()
            }
            guard let event else { return nil }
            guard case .value(let value, _) = event.kind else { continue }
            guard !value.isCut else {
                throw FirmwareUpdateError(
                    .refused,
                    "it sends more than the \(GATTLimits.maximumValueLength) octets that a value can have"
                )
            }
            return value.value
        }
    }
}

extension RadioError {
    /// Whether a link was lost that can be made again.
    package var isLossOfDevice: Bool {
        switch cause {
        case .linkLost, .closedByPeer, .connectTimedOut, .connectFailed: true
        default: false
        }
    }
}
