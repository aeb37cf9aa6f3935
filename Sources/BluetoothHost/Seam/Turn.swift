// SPDX-License-Identifier: MIT

public import Bluetooth

/// A resource of an adapter that only one program of a machine can use at a time.
public enum TurnSubject: Hashable, Sendable {
    /// The ATT channel to a device.
    case device(DeviceAddress)
    /// The search for a device, and the way to its link: the kernel looks for a device by a scan of its own, which ends
    /// that of a program, and a command of a program in between keeps it from connecting to another device for seconds.
    case search
    /// The role of the server of attributes.
    case serving
    /// The only advertisement of a controller without extended advertising.
    case legacyAdvertising
    /// A share of the numbers of advertising sets, from 0.
    case advertising(share: UInt8)
    /// The switching of the adapter's privacy.
    case privacySwitch
    /// One of the programs that need the adapter's privacy, from 0.
    case privacy(user: UInt8)

    /// The cause of an error while another program uses the resource.
    func busyCause(_ holder: ProcessReference?) -> RadioError.Cause {
        switch self {
        case .device: .channelBusy(by: holder)
        case .serving: .servingTaken(by: holder)
        case .legacyAdvertising, .advertising: .advertisingTaken(by: holder)
        case .search, .privacySwitch, .privacy: .adapterBusy
        }
    }

    /// The error of a wait that has failed, or that was not wanted.
    public func busyError(_ holder: ProcessReference?, during operation: String) -> RadioError {
        RadioError(busyCause(holder), during: operation)
    }
}

/// A turn at a `TurnSubject`. During a turn, other programs that take turns wait.
///
/// Only programs that take turns respect them, so the kernel may still refuse because of another program (EBUSY).
public protocol Turn: Sendable {
    /// Ends the turn, so that the next program gets it. A second call does nothing.
    func end()
}

/// A turn on a radio without other users.
public struct FreeTurn: Turn {
    /// Creates a turn without an effect.
    public init() {}
    public func end() {}
}

extension Radio {
    /// A turn without an effect, for radios that no other program shares.
    public func takeTurn(
        _ subject: TurnSubject,
        by deadline: Instant,
        onWait: @escaping @Sendable (ProcessReference?) -> Void
    ) async throws(RadioError) -> any Turn { FreeTurn() }

    /// `nil`, for radios that no other program shares.
    public func connectedDevice(_ address: BluetoothAddress) -> DeviceAddress? { nil }

    /// None, for radios that no other program shares.
    public func connectedAddresses() -> Set<BluetoothAddress> { [] }
}

/// A reference to another program of this machine, with the data that this process may read.
public struct ProcessReference: Hashable, Sendable, CustomStringConvertible {
    /// The longest command line that is shown, in characters.
    private static let limit = 80

    /// The process number (PID).
    public let process: Int32
    /// The command line; empty if unknown. The process can set it to anything, so it must be escaped before a terminal
    /// sees it.
    public let command: String

    /// Creates a reference. Cuts a long command line.
    public init(process: Int32, command: String) {
        self.process = process
        self.command = command.count > Self.limit ? "\(command.prefix(Self.limit - 1))…" : command
    }

    /// `blectl read battery-level (process 4242)`
    public var description: String {
        command.isEmpty ? "process \(process)" : "\(command) (process \(process))"
    }
}
