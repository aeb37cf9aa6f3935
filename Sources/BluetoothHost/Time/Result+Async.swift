// SPDX-License-Identifier: MIT

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
