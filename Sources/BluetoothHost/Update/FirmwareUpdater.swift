// SPDX-License-Identifier: MIT

public import Bluetooth

/// When new firmware for MCUboot is confirmed, so that the boot loader does not put the old one back.
public enum FirmwareConfirmation: Sendable {
    /// When it has run.
    case afterwards
    /// Before it has run.
    case before
    /// Not at all: it does so itself.
    case never
}

/// Updates the firmware of a device: uploads what it lacks, has it started, and sees that it runs.
package struct FirmwareUpdater {
    /// How long a device may be away when it starts anew: a boot loader that swaps large slots takes a minute.
    static let startLimit = Duration.seconds(180)
    /// How long a device may take to end its links after it was told to start anew.
    static let resetLimit = Duration.seconds(10)
    /// Between two attempts to connect to a device that starts.
    private static let startPause = Duration.seconds(1)
    /// How long one of several addresses is tried.
    private static let attemptLimit = Duration.seconds(5)

    /// The device, as it was reached last.
    package internal(set) var peripheral: Peripheral
    package internal(set) var state = FirmwareUpdateState.untouched
    /// The link of the present step, whose answers nobody reads after an error.
    var link: AnsweringLink?
    let environment: any UpdateEnvironment
    let confirmation: FirmwareConfirmation
    /// Whether the device is told to start the image.
    let resets: Bool

    package init(
        _ peripheral: Peripheral,
        _ environment: any UpdateEnvironment,
        confirmation: FirmwareConfirmation = .afterwards,
        resets: Bool = true
    ) {
        self.peripheral = peripheral
        self.environment = environment
        self.confirmation = confirmation
        self.resets = resets
    }

    /// Updates the device. Throws a `FirmwareUpdateError`, a refusal, or the error of a link; `state` says then what has
    /// become of the device.
    package mutating func update(to firmware: Firmware) async throws {
        do {
            switch firmware.content {
            case .images(let images): try await updateByMCUmgr(images)
            case .packages(let packages): try await updateByDFU(packages)
            }
        } catch {
            await link?.close()
            throw error
        }
    }

    var time: any TimeSource { environment.time }

    func report(
        _ step: FirmwareUpdateEvent.Step,
        _ part: FirmwareUpdateEvent.Part,
        octets: (done: Int, total: Int)? = nil,
        _ detail: FirmwareUpdateEvent.Detail? = nil
    ) async throws {
        try await environment.happened(
            FirmwareUpdateEvent(step: step, part: part, octets: octets, detail: detail, instant: time.now)
        )
    }

    /// Connects again to a device that was lost, as soon as it is there.
    ///
    /// - Parameters:
    ///   - addresses: The addresses that it may have, the likely ones first.
    ///   - service: The service by which it is recognised at other addresses; `nil` if it has none of these.
    ///   - open: Makes the link; `nil` if it is not what was looked for.
    mutating func reopen<Link>(
        _ addresses: [DeviceAddress],
        service: BluetoothUUID? = nil,
        _ open: (Peripheral) async throws -> Link?
    ) async throws -> Link {
        environment.noted(.waiting)
        // A link whose end is not known yet would be taken for one.
        await peripheral.abandonLink()
        let deadline = time.now + Self.startLimit
        var (known, last): ([DeviceAddress], (any Error)?) = (addresses, nil)
        var strangers: Set<DeviceAddress> = []
        while true {
            for address in known {
                let isOther = address != peripheral.address || known.count > 1
                let candidate =
                    isOther
                    ? await peripheral.sibling(at: address, connectTimeout: known.count > 1 ? Self.attemptLimit : nil)
                    : peripheral
                do {
                    if let link = try await open(candidate) {
                        peripheral = candidate
                        return link
                    }
                    if !addresses.contains(address) { strangers.insert(address) }
                } catch  where Self.passes(error) {
                    last = error
                }
                await candidate.abandonLink()
            }
            guard time.now < deadline else {
                throw last ?? FirmwareUpdateError(.timedOut, "it has not come back within \(Self.startLimit.text)")
            }
            try await time.sleep(for: Self.startPause)
            if let service {
                let found = await environment.addresses(offering: service).filter { !strangers.contains($0) }
                // Several that look the same are not told apart.
                known = found.count == 1 ? addresses + found.filter { !addresses.contains($0) } : addresses
            }
        }
    }

    /// Whether an error is one of a device that is not there yet.
    private static func passes(_ error: any Error) -> Bool {
        let failure = (error as? ConnectFailure)?.error
        switch failure?.cause {
        case nil: return isLoss(error)
        case .channelBusy, .initiatorBusy, .connectRefused, .tooManyConnections: return true
        default: return failure.map { $0.isLossOfDevice || $0.isTransient } == true
        }
    }

    /// Whether an error is the end of a link, or of a device that answers no more.
    static func isLoss(_ error: any Error) -> Bool {
        error is DeadlineExceeded || (error as? RadioError)?.isLossOfDevice == true
    }
}

/// What has become of the device, for whoever an update leaves alone.
public enum FirmwareUpdateState: Hashable, Sendable {
    /// As it was.
    case untouched
    /// A slot has a part of the new image.
    case uploading(Int, of: Int)
    /// A slot has the new image.
    case uploaded
    /// The image is started once, at the next start.
    case chosen
    /// It is started for good.
    case kept
    /// The device was told to start the image.
    case starting
    /// The new image runs, and goes back at the next start unless it is confirmed.
    case running
    /// The device runs its old image.
    case putBack
    /// The device was told to start its boot loader, which waits for firmware at one of the addresses.
    case enteringBootLoader([DeviceAddress])
    /// The boot loader of Nordic's at an address has a part of the firmware; what was before may be erased. Only some go on
    /// where they were.
    case inBootLoader(DeviceAddress, Int, of: Int, goesOn: Bool)
    /// The boot loader has the whole firmware, and starts it.
    case installed(DeviceAddress)
}
