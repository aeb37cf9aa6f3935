// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost

extension ConnectedDevice {
    package func read(
        _ target: AttributeTarget,
        within limit: Duration,
        in context: OperationContext
    ) async throws -> AttributeValue {
        let readable = target.attribute(of: peripheral)
        return try await context.withTimeout("read \(target)", within: limit) { try await readable.read() }
    }

    /// Reads several targets at once, if the link has bearers for that; else nothing. The results are in the order of the
    /// targets.
    package func readAhead(
        _ targets: [AttributeTarget],
        within limit: Duration,
        in context: OperationContext
    ) async -> [Result<AttributeValue, any Error>] {
        guard targets.count > 1, await peripheral.requestsAtOnce > 1 else { return [] }
        return await withTaskGroup(of: (Int, Result<AttributeValue, any Error>).self) { group in
            for (index, target) in targets.enumerated() {
                group.addTask {
                    do {
                        return (index, .success(try await read(target, within: limit, in: context)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var results: [Int: Result<AttributeValue, any Error>] = [:]
            for await (index, result) in group { results[index] = result }
            return targets.indices.compactMap { results[$0] }
        }
    }
}
