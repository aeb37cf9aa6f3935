// SPDX-License-Identifier: GPL-2.0-or-later

package import Foundation

/// A folder that is removed when its user has finished.
package enum TemporaryFolder {
    package static func use<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("blectl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: url) }
        return try await body(url)
    }
}
