// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// What only one program of a machine can have of an adapter at a time.
public enum TurnSubject: Hashable, Sendable {
    /// The ATT channel to a device.
    case device(DeviceAddress)
    /// The place of the one who serves attributes.
    case serving

    /// What is the matter while somebody else has it.
    func busyCause(_ holder: ProgramReference?) -> RadioError.Cause {
        switch self {
        case .device: .channelBusy(by: holder)
        case .serving: .servingTaken(by: holder)
        }
    }

    /// The error of a wait that was in vain, or that nobody wanted to wait.
    public func busyError(_ holder: ProgramReference?, during operation: String) -> RadioError {
        RadioError(busyCause(holder), during: operation)
    }
}

/// A turn at a `TurnSubject`: while it lasts, the other programs that take turns wait.
///
/// It orders those who take part in it. The kernel's own refusals (EBUSY) remain: other programs know nothing of turns.
public protocol Turn: Sendable {
    /// Lets the next one have it. Ending twice is no error.
    func end()
}

/// A turn where nobody else is in the way.
public struct FreeTurn: Turn {
    /// A turn that costs nothing.
    public init() {}
    public func end() {}
}

extension Radio {
    /// A radio that no other program shares has turns for everybody.
    public func takeTurn(
        _ subject: TurnSubject,
        by deadline: Instant,
        onWait: @escaping @Sendable (ProgramReference?) -> Void
    ) async throws(RadioError) -> any Turn { FreeTurn() }

    /// A radio that no other program shares has no links of others.
    public func connectedDevice(_ address: BluetoothAddress) -> DeviceAddress? { nil }
}

/// Another program of this machine, as far as one may know.
public struct ProgramReference: Hashable, Sendable, CustomStringConvertible {
    /// The longest command line that is told, in characters.
    private static let limit = 80

    /// Its process.
    public let process: Int32
    /// Its command line; it says itself what it is, so it may be anything. Empty where it is not known.
    public let command: String

    /// Makes a reference; cuts a long command line.
    public init(process: Int32, command: String) {
        self.process = process
        self.command = command.count > Self.limit ? "\(command.prefix(Self.limit - 1))…" : command
    }

    /// `blectl read battery-level (process 4242)`
    public var description: String {
        command.isEmpty ? "process \(process)" : "\(command) (process \(process))"
    }
}
