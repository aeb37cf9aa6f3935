// SPDX-License-Identifier: MIT

/// A group of commands.
///
/// Spec: Zephyr, SMP Protocol Specification, Management groups
package struct MCUmgrGroup: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The operating system: echo, reset, tasks, time, parameters.
    package static let os = MCUmgrGroup(rawValue: 0)
    package static let image = MCUmgrGroup(rawValue: 1)
    package static let statistics = MCUmgrGroup(rawValue: 2)
    package static let settings = MCUmgrGroup(rawValue: 3)
    package static let files = MCUmgrGroup(rawValue: 8)
    /// Commands of the device's shell.
    package static let shell = MCUmgrGroup(rawValue: 9)

    package var description: String {
        switch self {
        case .os: "os"
        case .image: "image"
        case .statistics: "statistics"
        case .settings: "settings"
        case .files: "files"
        case .shell: "shell"
        default: "group \(rawValue)"
        }
    }
}
