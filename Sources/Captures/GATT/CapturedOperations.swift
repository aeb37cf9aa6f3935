// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Toolkit

/// Puts the PDUs of a capture together to operations: a request with its answer, a long value with its parts.
///
/// An operation comes out when it is known to be complete: a read that filled its packet when the client's next request
/// does not go on with it.
package struct CapturedOperations {
    /// The maximum number of links that are followed at a time.
    private static let linkLimit = 256
    /// The octets of prepared parts that are kept for a link. A server has room for some values of 512 octets.
    private static let preparedLimit = 65_536

    /// One direction of a link: a client at one end, its server at the other.
    private struct Side: Hashable {
        let port: CapturedPort
        let connection: ConnectionHandle
        /// The number of the bearer: 0 for that of the fixed channel.
        let bearer: Int
        let isHostClient: Bool
    }

    /// A part of a value that was prepared to be written.
    private struct Part {
        let attribute: CapturedAttribute
        let offset: Int
        let value: [UInt8]
    }

    private struct State {
        /// The request without an answer.
        var request: (pdu: ATTRequest, event: CapturedEvent)?
        /// A read that may go on.
        var read: CapturedOperation?
        /// The parts of long writes that the server has taken.
        var parts: [Part] = []
        var preparedOctets = 0
        var firstPart: (number: Int, time: WallTime)?
        var lastUse = 0
    }

    private var sides: [Side: State] = [:]

    package init() {}

    /// The operations that a packet completes, in the order of their beginning. The event has passed `CapturedGATT`.
    package mutating func add(_ event: CapturedEvent) -> [CapturedOperation] {
        if case .att(_, let pdu?) = event.content, let connection = event.connection {
            return add(pdu, event, connection)
        }
        if event.endsAllLinks { return end { $0.port == event.port } }
        guard event.endsLink || event.beginsLink else { return [] }
        return end { $0.port == event.port && $0.connection == event.connection }
    }

    private mutating func end(_ hasEnded: (Side) -> Bool) -> [CapturedOperation] {
        let ended = sides.filter { hasEnded($0.key) }
        for side in ended.keys { sides[side] = nil }
        return ended.values.flatMap { rest(of: $0) }.sorted { $0.packets.lowerBound < $1.packets.lowerBound }
    }

    /// The operations that are not complete at the end of the capture.
    package mutating func finish() -> [CapturedOperation] {
        end { _ in true }
    }

    private mutating func add(
        _ pdu: ATTPDU,
        _ event: CapturedEvent,
        _ connection: ConnectionHandle
    ) -> [CapturedOperation] {
        let isHostClient = pdu.isFromClient == (event.direction == .sent)
        let side = Side(
            port: event.port,
            connection: connection,
            bearer: event.bearer,
            isHostClient: isHostClient
        )
        switch pdu {
        case .client(.confirmation), .client(.unknown), .server(.unknown): return []
        case .client(.command(let command)):
            let procedure: WriteResult.Procedure =
                if case .signedWrite = command { .signedWriteCommand } else { .writeCommand }
            return makeOperations(.write(procedure), event, isFromHost: isHostClient)
        case .server(.notification), .server(.multipleNotification):
            return makeOperations(.notification, event, isFromHost: !isHostClient)
        case .server(.indication): return makeOperations(.indication, event, isFromHost: !isHostClient)
        case .client(.request(let request)):
            let evicted = makeRoom(for: side)
            // Taken out, so that a change does not copy what the dictionary would still hold.
            var state = sides.removeValue(forKey: side) ?? State()
            state.lastUse = event.number
            let finished = begin(request, event, &state)
            sides[side] = state
            return evicted + finished
        case .server(.response), .server(.error):
            // Without a request there is nothing that it could complete.
            guard var state = sides.removeValue(forKey: side) else { return [] }
            state.lastUse = event.number
            let finished = pdu.answer.map { end($0, event, &state) } ?? []
            sides[side] = state
            return finished
        }
    }

    /// Gives up the side that was used longest ago, if a new one has no room. Returns its operations that are not complete.
    private mutating func makeRoom(for side: Side) -> [CapturedOperation] {
        guard sides[side] == nil, sides.count >= Self.linkLimit,
            let oldest = sides.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
        else { return [] }
        return end { $0 == oldest }
    }

    // MARK: - Requests and answers

    /// A client has sent a request. Returns what is complete by that.
    private func begin(_ request: ATTRequest, _ event: CapturedEvent, _ state: inout State) -> [CapturedOperation] {
        var finished = unanswered(&state)
        var mayGoOn = state.read.map { request.goesOn(with: $0) || request.repeats($0) } ?? true
        // A client asks for longer packets, and then for the value again.
        if case .exchangeMTU = request { mayGoOn = true }
        if let read = state.read, !mayGoOn {
            finished.append(read)
            state.read = nil
        }
        state.request = (request, event)
        return finished
    }

    /// A server has answered. Returns what is complete by that.
    private func end(_ answer: ATTAnswer, _ event: CapturedEvent, _ state: inout State) -> [CapturedOperation] {
        guard let (request, begin) = state.request, event.answered?.number == begin.number else { return [] }
        state.request = nil
        switch (request, answer) {
        case (.read, .success(.read)), (.readBlob, .success(.readBlob)):
            return read(request, event, begin, &state)
        case (.readBlob(let blob), .failure(let error)):
            // The end of a value whose length is a multiple of the packets'.
            guard var read = state.read, blob.offset > 0 else {
                return makeOperations(.read, event, since: begin, isRefused: error.code)
            }
            state.read = nil
            read.mayBeCut = error.code != .invalidOffset && error.code != .attributeNotLong
            return [read] + (read.mayBeCut ? makeOperations(.read, event, since: begin, isRefused: error.code) : [])
        case (.read, .failure(let error)), (.readMultiple, .failure(let error)),
            (.readMultipleVariable, .failure(let error)):
            return makeOperations(.read, event, since: begin, isRefused: error.code)
        case (.readMultiple(let request), .success(.readMultiple(let response))):
            guard let first = event.attributes.first else { return [] }
            return [makeOperation(.readMultiple(request.handles), first, response.values, event, since: begin)]
        case (.readMultipleVariable, .success): return makeOperations(.read, event, since: begin)
        case (.readByType, .failure(let error)):
            // That there is none is an answer to a search.
            guard request.readsValuesByType, error.code != .attributeNotFound else { return [] }
            return makeOperations(.read, event, since: begin, isRefused: error.code)
        case (.readByType, .success):
            guard request.readsValuesByType else { return [] }
            var found = makeOperations(.read, event, since: begin)
            // One value that fills the packet may go on with Read Blob.
            guard found.count == 1, let read = found.popLast() else { return found }
            guard read.mayBeCut else { return [read] }
            let before = state.read.map { [$0] } ?? []
            state.read = read
            return before
        case (.write(let write), .success), (.write(let write), .failure):
            return begin.attributes.map {
                var operation = makeOperation(.write(.writeRequest), $0, write.value, event, since: begin)
                if case .failure(let error) = answer { operation.outcome = .refused(error.code) }
                return operation
            }
        case (.prepareWrite(let part), _): return prepare(part, answer, event, begin, &state)
        case (.executeWrite(let execute), _): return self.execute(execute, answer, event, begin, &state)
        default: return []
        }
    }

    private func read(
        _ request: ATTRequest,
        _ event: CapturedEvent,
        _ begin: CapturedEvent,
        _ state: inout State
    ) -> [CapturedOperation] {
        guard case .att(let octets, _) = event.content, let attribute = begin.attributes.first else {
            return []
        }
        let value = Array(octets.dropFirst())
        let isFull = octets.count >= Int(event.mtu)
        var finished: [CapturedOperation] = []
        if var read = state.read, request.goesOn(with: read) {
            read.value += value
            read.extend(to: event)
            read.mayBeCut = isFull
            state.read = read
        } else {
            var offset = 0
            if case .readBlob(let blob) = request { offset = Int(blob.offset) }
            var read = makeOperation(.read, attribute, value, event, since: begin, offset: offset)
            read.mayBeCut = isFull
            if let before = state.read {
                // A client that has found a long value by its type reads it from the beginning.
                if offset == 0, value.starts(with: before.value) {
                    read.duration +=
                        Instant(nanoseconds: begin.time.nanoseconds) - Instant(nanoseconds: before.time.nanoseconds)
                    read.duration += before.duration
                    read.packets = min(before.packets.lowerBound, read.packets.lowerBound)...read.packets.upperBound
                } else {
                    finished.append(before)
                }
            }
            state.read = read
        }
        guard let read = state.read, !read.mayBeCut || read.value.count > Int(UInt16.max) else { return finished }
        state.read = nil
        return finished + [read]
    }

    private func prepare(
        _ part: PrepareWriteRequest,
        _ answer: ATTAnswer,
        _ event: CapturedEvent,
        _ begin: CapturedEvent,
        _ state: inout State
    ) -> [CapturedOperation] {
        guard let attribute = begin.attributes.first else { return [] }
        if case .failure(let error) = answer {
            var operation = makeOperation(
                .write(.longWrite),
                attribute,
                part.value,
                event,
                since: begin,
                offset: Int(part.offset)
            )
            operation.outcome = .refused(error.code)
            return [operation]
        }
        guard state.preparedOctets + part.value.count <= Self.preparedLimit else { return [] }
        state.preparedOctets += part.value.count
        state.firstPart = state.firstPart ?? (begin.number, begin.time)
        state.parts.append(Part(attribute: attribute, offset: Int(part.offset), value: part.value))
        return []
    }

    /// The prepared parts were written, discarded or refused.
    private func execute(
        _ execute: ExecuteWriteRequest,
        _ answer: ATTAnswer,
        _ event: CapturedEvent,
        _ begin: CapturedEvent,
        _ state: inout State
    ) -> [CapturedOperation] {
        defer {
            state.parts = []
            state.preparedOctets = 0
            state.firstPart = nil
        }
        let outcome: CapturedOperation.Outcome =
            if case .failure(let error) = answer {
                .refused(error.code)
            } else {
                execute.flags == .write ? .success : .discarded
            }
        var finished: [CapturedOperation] = []
        for part in state.parts {
            if let last = finished.last, last.attribute.handle == part.attribute.reference.handle,
                last.offset + last.value.count == part.offset
            {
                finished[finished.count - 1].value += part.value
                continue
            }
            var operation = makeOperation(
                .write(.longWrite),
                part.attribute,
                part.value,
                event,
                since: begin,
                offset: part.offset
            )
            operation.outcome = outcome
            if let first = state.firstPart { operation.begin(at: first.number, first.time) }
            finished.append(operation)
        }
        return finished
    }

    /// What is left of a side at the end of its link.
    private func rest(of state: State) -> [CapturedOperation] {
        var state = state
        let finished = state.read.map { [$0] } ?? []
        return finished + unanswered(&state)
    }

    /// The request that was not answered, as an operation.
    private func unanswered(_ state: inout State) -> [CapturedOperation] {
        guard let (request, event) = state.request else { return [] }
        state.request = nil
        let kind: CapturedOperation.Kind
        switch request {
        case .read, .readBlob, .readByType: kind = .read
        case .readMultiple(let request): kind = .readMultiple(request.handles)
        case .write: kind = .write(.writeRequest)
        case .prepareWrite: kind = .write(.longWrite)
        case .exchangeMTU, .findInformation, .findByTypeValue, .readByGroupType, .executeWrite, .readMultipleVariable:
            return []
        }
        guard let attribute = event.attributes.first else { return [] }
        var operation = makeOperation(kind, attribute, attribute.value ?? [], event, since: event)
        operation.outcome = .unanswered
        return [operation]
    }

    // MARK: - Making operations

    /// An operation for each attribute of a PDU that has its value.
    private func makeOperations(
        _ kind: CapturedOperation.Kind,
        _ event: CapturedEvent,
        isFromHost: Bool
    ) -> [CapturedOperation] {
        event.attributes.map { attribute in
            var operation = makeOperation(kind, attribute, attribute.value ?? [], event, isFromHost: isFromHost)
            operation.mayBeCut = attribute.mayBeCut
            return operation
        }
    }

    /// An operation for each attribute of an answer, or the refusal of the first one.
    private func makeOperations(
        _ kind: CapturedOperation.Kind,
        _ event: CapturedEvent,
        since begin: CapturedEvent,
        isRefused code: ATTErrorCode? = nil
    ) -> [CapturedOperation] {
        guard let code else {
            return event.attributes.map {
                var operation = makeOperation(kind, $0, $0.value ?? [], event, since: begin)
                operation.mayBeCut = $0.mayBeCut
                return operation
            }
        }
        // An error names the first handle of a search.
        guard let attribute = (begin.attributes + event.attributes).first else { return [] }
        var operation = makeOperation(kind, attribute, [], event, since: begin)
        operation.outcome = .refused(code)
        return [operation]
    }

    private func makeOperation(
        _ kind: CapturedOperation.Kind,
        _ attribute: CapturedAttribute,
        _ value: [UInt8],
        _ event: CapturedEvent,
        since begin: CapturedEvent,
        offset: Int = 0
    ) -> CapturedOperation {
        var operation = makeOperation(
            kind,
            attribute,
            value,
            event,
            isFromHost: begin.direction == .sent,
            offset: offset
        )
        operation.begin(at: begin.number, begin.time)
        return operation
    }

    private func makeOperation(
        _ kind: CapturedOperation.Kind,
        _ attribute: CapturedAttribute,
        _ value: [UInt8],
        _ event: CapturedEvent,
        isFromHost: Bool,
        offset: Int = 0
    ) -> CapturedOperation {
        CapturedOperation(
            kind: kind,
            outcome: .success,
            attribute: attribute.reference,
            valueHandle: attribute.valueHandle,
            value: value,
            offset: offset,
            mayBeCut: false,
            packets: event.number...event.number,
            time: event.time,
            elapsed: event.elapsed,
            duration: .zero,
            adapter: event.adapter,
            connection: event.connection,
            privateAddress: event.privateAddress,
            isFromHost: isFromHost,
            isRedacted: event.isRedacted
        )
    }
}

extension CapturedOperation {
    fileprivate mutating func extend(to event: CapturedEvent) {
        duration += Instant(nanoseconds: event.time.nanoseconds) - Instant(nanoseconds: time.nanoseconds)
        (time, elapsed) = (event.time, event.elapsed)
        packets = packets.lowerBound...max(packets.lowerBound, event.number)
    }

    /// Began with an earlier packet.
    fileprivate mutating func begin(at number: Int, _ begin: WallTime) {
        packets = min(number, packets.upperBound)...packets.upperBound
        duration = Instant(nanoseconds: time.nanoseconds) - Instant(nanoseconds: begin.nanoseconds)
    }
}

extension ATTRequest {
    /// Whether it reads the same value from the beginning.
    fileprivate func repeats(_ read: CapturedOperation) -> Bool {
        guard case .read(let request) = self else { return false }
        return read.offset == 0 && request.handle == read.attribute.handle
    }

    /// Whether it reads the octets after those of a read.
    fileprivate func goesOn(with read: CapturedOperation) -> Bool {
        guard case .readBlob(let blob) = self else { return false }
        return blob.handle == read.attribute.handle && Int(blob.offset) == read.offset + read.value.count
    }
}

extension CapturedEvent {
    package var endsAllLinks: Bool {
        if case .hci(let packet) = content { packet.endsAllLinks } else { false }
    }

    package var endsLink: Bool {
        guard case .hci(.event(let packet)) = content, packet.code == .disconnectionComplete,
            case .known(let complete as DisconnectionCompleteEvent)? = try? HCIEvent(packet)
        else { return false }
        return complete.status == .success
    }
}
