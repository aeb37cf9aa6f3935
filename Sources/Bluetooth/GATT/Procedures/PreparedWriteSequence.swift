// SPDX-License-Identifier: MIT

/// Prepares parts one after the other, checks the echo of each, and executes them all. If anything goes wrong, it
/// cancels the parts prepared so far. Long and reliable writes differ only in their parts.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.6
struct PreparedWriteSequence: GATTProcedure {
    struct Item: Hashable, Sendable {
        var handle: Handle
        var offset: Int
        var value: [UInt8]
    }

    private enum State: Sendable {
        case idle
        case preparing(PrepareWriteRequest, rest: ArraySlice<PrepareWriteRequest>)
        case executing
        /// The queue is being cancelled. Any answer then ends the procedure with this error.
        case cancelling(GATTError)
        case ended
    }

    private let items: [Item]
    private var state = State.idle

    init(_ items: [Item]) { self.items = items }

    mutating func start(mtu: UInt16) -> GATTStep<Void> {
        // Checked before anything is sent: a server need not refuse before the parts are executed.
        for item in items where item.offset + item.value.count > GATTLimits.maximumValueLength {
            let maximum = max(0, GATTLimits.maximumValueLength - item.offset)
            return .failed(.valueTooLong(length: item.value.count, maximum: maximum))
        }
        // The opcode, the handle and the offset take five octets of the PDU.
        let parts = items.flatMap { $0.parts(of: max(1, Int(mtu) - 5)) }
        return prepare(parts[...])
    }

    private mutating func prepare(_ parts: ArraySlice<PrepareWriteRequest>) -> GATTStep<Void> {
        guard let part = parts.first else {
            state = .executing
            return .send(.executeWrite(ExecuteWriteRequest(flags: .write)))
        }
        state = .preparing(part, rest: parts.dropFirst())
        return .send(.prepareWrite(part))
    }

    mutating func received(_ answer: ATTAnswer, mtu: UInt16) -> GATTStep<Void> {
        switch (state, answer) {
        case (.preparing(let part, let rest), .success(.prepareWrite(let echo))):
            guard echo.handle == part.handle, echo.offset == part.offset, echo.value == part.value else {
                return cancel(.invalidResponse(.echoDiffers(part.handle, offset: Int(part.offset))))
            }
            return prepare(rest)
        case (.preparing, .success(let response)):
            return cancel(.invalidResponse(.unexpected(response.opcode)))
        case (.preparing, .failure(let error)):
            return cancel(.refused(error))
        case (.executing, .success(.executeWrite)):
            state = .ended
            return .done(())
        case (.cancelling(let error), _):
            state = .ended
            return .failed(error)
        case (.executing, .failure(let error)):
            state = .ended
            return .failed(.refused(error))
        case (.executing, .success(let response)), (.idle, .success(let response)), (.ended, .success(let response)):
            state = .ended
            return .failed(.invalidResponse(.unexpected(response.opcode)))
        case (.idle, .failure(let error)), (.ended, .failure(let error)):
            state = .ended
            return .failed(.refused(error))
        }
    }

    private mutating func cancel(_ error: GATTError) -> GATTStep<Void> {
        state = .cancelling(error)
        return .send(.executeWrite(ExecuteWriteRequest(flags: .cancel)))
    }

    /// Needed until the last answer, because the sequence does not know whether its last request was sent or was still
    /// waiting when it was abandoned. Cancelling a queue that was executed already changes nothing.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.6.3
    func abort() -> ATTRequest? {
        switch state {
        case .preparing, .executing, .cancelling: .executeWrite(ExecuteWriteRequest(flags: .cancel))
        case .idle, .ended: nil
        }
    }

    var preparesWrites: Bool { true }
}

extension PreparedWriteSequence.Item {
    /// The parts of the value that fit into one request each; an empty value is one empty part.
    fileprivate func parts(of length: Int) -> [PrepareWriteRequest] {
        guard !value.isEmpty else {
            return [PrepareWriteRequest(handle: handle, offset: UInt16(clamping: offset), value: [])]
        }
        return stride(from: 0, to: value.count, by: length).map { start in
            PrepareWriteRequest(
                handle: handle,
                offset: UInt16(clamping: offset + start),
                value: Array(value[start..<min(start + length, value.count)])
            )
        }
    }
}
