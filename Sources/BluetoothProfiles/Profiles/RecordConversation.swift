// SPDX-License-Identifier: MIT

/// The conversation with a Record Access Control Point: how many records there are, and then the records.
///
/// Spec: Glucose Profile 1.0.1, 4.6
public struct RecordConversation: Hashable, Sendable {
    /// An order to the owner of the conversation.
    public enum Action: Hashable, Sendable {
        /// Write a request to the control point.
        case write([UInt8])
        /// Nothing: the device has more to say.
        case wait
        /// The conversation is over.
        case end
    }

    /// How a conversation has ended.
    public enum Ending: Hashable, Sendable {
        /// The device has sent everything. `announced` is the number of records that it has reported before; `nil` if
        /// it has not.
        case complete(received: Int, announced: Int?)
        /// No stored record fits.
        case noRecords
        /// The device has refused.
        case refused(RecordAccess.Outcome)
    }

    private enum State: Hashable, Sendable {
        case idle
        case counting
        case reporting
        case ended(Ending)
    }

    private let selection: RecordAccess.Selection
    private var state = State.idle
    private var announced: Int?
    private var received = 0

    /// A conversation about some records, which has not begun.
    public init(_ selection: RecordAccess.Selection) { self.selection = selection }

    /// How it has ended; `nil` if it has not.
    public var ending: Ending? {
        if case .ended(let ending) = state { ending } else { nil }
    }

    /// Begins, or restarts on a new link.
    public mutating func begin() -> Action {
        // The device sends all records again on a new link, so that those of the earlier one do not count.
        self = RecordConversation(selection)
        state = .counting
        return .write(RecordAccess.encode(.count, selection))
    }

    /// A record has come.
    public mutating func recordReceived() { received += 1 }

    /// The device has said something at the control point.
    public mutating func answered(_ bytes: [UInt8]) -> Action {
        switch (state, RecordAccess.answer(bytes)) {
        case (.counting, .count(0)):
            state = .ended(.noRecords)
            return .end
        case (.counting, .count(let count)):
            announced = count
            return report()
        case (.counting, .outcome(of: RecordAccess.Request.count.rawValue, .noRecords)):
            state = .ended(.noRecords)
            return .end
        // It cannot count, but it may report.
        case (.counting, .outcome(of: RecordAccess.Request.count.rawValue, _)):
            return report()
        case (.reporting, .outcome(of: RecordAccess.Request.report.rawValue, let outcome)):
            let ending: Ending =
                switch outcome {
                case .success: .complete(received: received, announced: announced)
                case .noRecords: .noRecords
                default: .refused(outcome)
                }
            state = .ended(ending)
            return .end
        default:
            return .wait
        }
    }

    private mutating func report() -> Action {
        state = .reporting
        return .write(RecordAccess.encode(.report, selection))
    }
}
