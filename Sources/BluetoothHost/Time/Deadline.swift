// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// A wait came to its deadline.
public struct DeadlineExceeded: Error, Equatable, Sendable {
    /// What was waited for, as a noun phrase.
    public let operation: String

    /// Makes an error.
    public init(_ operation: String) { self.operation = operation }
}

/// Runs `body`, and cancels it when the deadline has come before it ended.
///
/// Without a deadline it is `body` alone. The wait ends only when `body` has ended: it has to honour cancellation. A value
/// that it returns nevertheless, in the very moment of the deadline, is not thrown away. Where the caller was cancelled
/// that is the error, and not the deadline.
public func withDeadline<Value: Sendable>(
    _ deadline: Instant?,
    _ time: any TimeSource,
    operation: String,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    guard let deadline else { return try await body() }
    guard let value = try await value(of: body, by: deadline, time) else { throw DeadlineExceeded(operation) }
    return value
}

/// Runs `body`, and cancels it when the moment has come: then there is no value, and that is no error.
///
/// A deadline of its own that `body` fails to meet is an error like any other.
@discardableResult
public func untilDeadline<Value: Sendable>(
    _ deadline: Instant,
    _ time: any TimeSource,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    try await value(of: body, by: deadline, time)
}

/// What `body` returns; `nil` where the deadline came first.
private func value<Value: Sendable>(
    of body: @escaping @Sendable () async throws -> Value,
    by deadline: Instant,
    _ time: any TimeSource
) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try? await time.sleep(until: deadline)
            return nil
        }
        defer { group.cancelAll() }
        if let value = try await group.next() ?? nil { return value }
        // The sleeper woke, at the deadline or because the caller was cancelled. An error of the body now is about that.
        group.cancelAll()
        if let late = try? await group.next() ?? nil { return late }
        try Task.checkCancellation()
        return nil
    }
}
