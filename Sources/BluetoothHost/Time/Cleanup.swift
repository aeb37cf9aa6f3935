// SPDX-License-Identifier: MIT

/// Runs `body` and then `cleanup`, whether `body` returned or threw, and returns or throws what `body` did.
///
/// It is a `defer` that can wait. A cancelled task stays cancelled in `cleanup`: work there that has to wait for the
/// device belongs in `TaskScope.cleanUp`.
public func withCleanup<Value, Failure: Error>(
    _ body: () async throws(Failure) -> Value,
    cleanup: () async -> Void
) async throws(Failure) -> Value {
    let result = await Result(catching: body)
    await cleanup()
    return try result.get()
}

extension Result {
    /// What `body` returns or throws, to be passed on as a value.
    package init(catching body: () async throws(Failure) -> Success) async {
        do throws(Failure) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
