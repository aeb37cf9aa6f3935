// SPDX-License-Identifier: GPL-2.0-or-later

/// Prepares parts one after the other, checks that each is echoed as it was sent, and executes them all; or cancels what it
/// has prepared, where anything goes wrong. Long and reliable writes are this with different parts.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.6
struct PreparedWriteSequence: GATTProcedure {
    /// A value and where it goes.
    struct Item: Hashable, Sendable {
        var handle: Handle
        var offset: Int
        var value: [UInt8]
    }

    private enum State: Sendable {
        case idle
        case preparing(PrepareWriteRequest, rest: ArraySlice<PrepareWriteRequest>)
        case executing
        /// Cancels, and fails with this then, whatever the answer.
        case cancelling(GATTError)
        case ended
    }

    private let items: [Item]
    private var state = State.idle

    init(_ items: [Item]) { self.items = items }

    mutating func start(mtu: UInt16) -> GATTStep<Void> {
        for item in items where item.offset + item.value.count > GATTLimits.maximumValueLength {
            let maximum = max(0, GATTLimits.maximumValueLength - item.offset)
            return .failed(.valueTooLong(length: item.value.count, maximum: maximum))
        }
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

    /// Until the last answer: whether the request before it was sent, or still stood in line when it was given up, is not
    /// known here. To cancel a queue that was executed already changes nothing.
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
    /// The value in parts that fit a request; an empty value is one empty part.
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
