// SPDX-License-Identifier: MIT

/// The number of an adapter, or no adapter.
public struct ManagementIndex: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The index of an adapter; `none` if no adapter can have the number.
    public init(_ index: Int) { rawValue = UInt16(exactly: index) ?? 0xFFFF }

    /// 0xFFFF: the kernel, not an adapter.
    public static let none = Self(rawValue: 0xFFFF)

    /// `hci0`; `kernel` for no adapter.
    public var description: String { self == .none ? "kernel" : "hci\(rawValue)" }
}
