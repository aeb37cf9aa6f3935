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
/// Without a deadline it is `body` alone. The wait ends only when `body` has ended: it has to honour cancellation.
public func withDeadline<Value: Sendable>(
    _ deadline: Instant?,
    _ time: any TimeSource,
    operation: String,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    guard let deadline else { return try await body() }
    return try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try? await time.sleep(until: deadline)
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let value = first else {
            group.cancelAll()
            // The body may have ended in the very moment of the deadline: a result is not thrown away.
            while let late = try? await group.next() {
                if let value = late { return value }
            }
            try Task.checkCancellation()
            throw DeadlineExceeded(operation)
        }
        return value
    }
}

/// Runs `body`, and cancels it when the moment has come: then there is no value, and that is no error.
@discardableResult
public func untilDeadline<Value: Sendable>(
    _ deadline: Instant,
    _ time: any TimeSource,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    do {
        return try await withDeadline(deadline, time, operation: "wait", body)
    } catch is DeadlineExceeded {
        return nil
    }
}
