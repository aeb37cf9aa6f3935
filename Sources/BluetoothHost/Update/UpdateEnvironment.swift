// SPDX-License-Identifier: MIT

public import Bluetooth

/// What an update needs of its caller: limits of time, and whoever hears of what is done.
package protocol UpdateEnvironment {
    var time: any TimeSource { get }
    /// The time limit of one step, such as a discovery or a request.
    var timeout: Duration { get }

    /// Runs a step within its time limit.
    func withTimeout<Value: Sendable>(
        _ step: String,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value

    /// The device that is meant has been lost, and others that are like it are looked for: those with such a service, and
    /// with the name of the device if that is known.
    func addresses(offering service: BluetoothUUID) async -> [DeviceAddress]

    func happened(_ event: FirmwareUpdateEvent) async throws

    /// The link was lost and is made again; or something odd but harmless has happened.
    func noted(_ note: FirmwareUpdateNote)
}

/// A step of an update that was done, or how far one has come.
public struct FirmwareUpdateEvent: Sendable {
    /// The steps, in the order in which they come.
    public enum Step: String, Sendable, CaseIterable {
        /// The firmware runs already, or is in a slot.
        case present
        /// The device runs its boot loader, which takes the firmware.
        case bootLoader = "boot-loader"
        /// A part was uploaded.
        case progress
        /// All was uploaded.
        case uploaded
        /// The image is started next.
        case chosen
        /// The device was told to start anew.
        case reset
        /// The firmware runs.
        case running
        /// The firmware stays.
        case confirmed
    }

    /// The firmware that the step is about.
    public struct Part: Hashable, Sendable {
        /// The file, or the file in the archive, that it is from.
        public var name: String
        /// The number of the program, of a device with several.
        public var image: Int
        /// What it is, in a few words: its version, or what it replaces.
        public var version: String
        /// The hash by which it is named.
        public var hash: [UInt8]
    }

    /// The step.
    public let step: Step
    /// What it is about.
    public let part: Part
    /// The octets that the device has, and those of the firmware; `nil` for steps without an upload.
    public var octets: (done: Int, total: Int)?
    /// More about the step: how an image is started, or the version that the device states; `nil` for nothing.
    public var detail: Detail?
    /// When it was.
    public let instant: Instant

    /// More about a step.
    public enum Detail: Hashable, Sendable {
        /// The image is started once, or for good.
        case starts(isForGood: Bool)
        /// The device has that address now.
        case address(DeviceAddress)
        /// The device states that version.
        case revision(String)
    }
}

/// What a person may want to know beside the steps.
package enum FirmwareUpdateNote: Sendable {
    /// The link was lost when the device had so many octets.
    case lost(octets: Int, total: Int)
    case waiting
    /// The device sends what is no answer.
    case noAnswer(DecodeError)
}

/// Why an update ended.
public struct FirmwareUpdateError: Error, Sendable {
    /// The kinds of reasons.
    public enum Kind: Sendable {
        /// The firmware is not for this device.
        case badFirmware
        /// The device has none of the services by which firmware is updated.
        case noService
        /// The device refuses, or answers in a way that makes no sense.
        case refused
        /// The device does not answer, or does not come back.
        case timedOut
        /// The device runs something else.
        case notRunning
        /// There is no link to the device, or what else an update needs has failed: `cause`.
        case failed
    }

    /// The kind of the reason.
    public let kind: Kind
    /// The reason in words. It may contain what the device has sent.
    public let reason: String
    /// What helps, in words; `nil` if that follows from the state of the device.
    public let hint: String?
    /// The error below it; `nil` if there is none.
    public internal(set) var cause: (any Error)?
    /// What has become of the device.
    public internal(set) var state = FirmwareUpdateState.untouched

    package init(_ kind: Kind, _ reason: String, hint: String? = nil) {
        (self.kind, self.reason, self.hint) = (kind, reason, hint)
    }
}
