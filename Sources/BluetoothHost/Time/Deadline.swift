// SPDX-License-Identifier: MIT

public import Bluetooth

/// A wait has reached its deadline.
public struct DeadlineExceeded: Error, Equatable, Sendable {
    /// The operation that did not end in time, as a noun phrase.
    public let operation: String
    /// The time that the operation had; `nil` if it is unknown.
    public let limit: Duration?

    /// Creates an error about that operation.
    public init(_ operation: String, limit: Duration? = nil) {
        self.operation = operation
        self.limit = limit
    }

    /// The failure in words: `timed out after 10 s`.
    public var reason: String { "timed out" + (limit.map { " after \($0.text)" } ?? "") }
}

/// Runs `body`, and cancels it if it has not ended at the deadline.
///
/// Without a deadline it only runs `body`. It returns only after `body` has ended, so `body` must react to
/// cancellation. If `body` returns a value at the very moment of the deadline, that value is returned, because its
/// effects have happened. If the caller was cancelled, that is the error, rather than the deadline.
public func withDeadline<Value: Sendable>(
    _ deadline: Instant?,
    _ time: any TimeSource,
    operation: String,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    guard let deadline else { return try await body() }
    let limit = (deadline - time.now).inMilliseconds
    guard let value = try await value(of: body, by: deadline, time) else {
        throw DeadlineExceeded(operation, limit: limit)
    }
    return value
}

extension Duration {
    /// The duration in whole milliseconds, unless that is none. The caller has set the deadline some microseconds
    /// before: an error is about the time that the caller has given.
    fileprivate var inMilliseconds: Duration {
        let nanoseconds = clampedNanoseconds
        guard nanoseconds >= 500_000, nanoseconds < .max - 500_000 else { return self }
        return .milliseconds((nanoseconds + 500_000) / 1_000_000)
    }
}

/// Runs `body`, and cancels it at the deadline. The result is then `nil` rather than an error.
///
/// If `body` misses an inner deadline, that error is thrown like any other.
@discardableResult
public func untilDeadline<Value: Sendable>(
    _ deadline: Instant,
    _ time: any TimeSource,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    try await value(of: body, by: deadline, time)
}

/// The result of `body`; `nil` if the deadline came first.
private func value<Value: Sendable>(
    of body: @escaping @Sendable () async throws -> Value,
    by deadline: Instant,
    _ time: any TimeSource
) async throws -> Value? {
    // A cancelled sleep has to return like one that is over; `until` distinguishes the two.
    try await until({ try? await time.sleep(until: deadline) }, body)
}

/// Runs `body`, and cancels it when `end` returns. The result is then `nil` rather than an error.
///
/// It returns only after `body` has ended. If `body` returns a value nevertheless, that value is the result. If the
/// caller was cancelled, it throws that error; `end` must return then.
public func until<Value: Sendable>(
    _ end: @escaping @Sendable () async -> Void,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            await end()
            return nil
        }
        defer { group.cancelAll() }
        if let value = try await group.next() ?? nil { return value }
        // The end has come, or the caller was cancelled. An error of the body now results from that.
        group.cancelAll()
        if let late = try? await group.next() ?? nil { return late }
        try Task.checkCancellation()
        return nil
    }
}
