// SPDX-License-Identifier: GPL-2.0-or-later

package import Terminal

/// The name of a chart's file: `--chart FILE.svg`.
package struct ChartFile: Sendable, Equatable {
    package let path: String

    /// The file with that name; `nil` if it does not end in `.svg`.
    package init?(_ path: String) {
        guard path.hasSuffix(".svg"), path.utf8.count > 4, !path.hasSuffix("/.svg") else { return nil }
        self.path = path
    }
}

/// Something that a chart is drawn of while a command runs.
package protocol ChartSource: Sendable {
    var chart: LineChart { get }
}

extension ChartFile {
    /// Runs `body`, and draws the chart afterwards, also after a failure or an interruption. The file is created first.
    package func draw<Result>(
        _ source: some ChartSource,
        _ context: CommandContext,
        of body: () async throws -> Result
    ) async throws -> Result {
        let file = try await context.creating(path)
        let result: Result
        do {
            result = try await body()
        } catch {
            do throws(BlectlError) {
                try file?.write(Array(source.chart.svg.utf8))
            } catch let lost {
                // The failure of the command counts more. An interruption is none.
                if Task.isCancelled { context.diagnostics.error(lost) }
            }
            throw error
        }
        try file?.write(Array(source.chart.svg.utf8))
        return result
    }
}
