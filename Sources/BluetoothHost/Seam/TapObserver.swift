// SPDX-License-Identifier: MIT

public import Bluetooth
import Synchronization

/// An ATT channel that has opened or ended, for traces and captures.
public struct TappedLink: Sendable {
    /// What has happened to a channel.
    public enum Change: Sendable, Equatable {
        /// It has opened.
        case opened
        /// It has ended, for that reason; `nil` if this program has closed it. No packet passes after it.
        case ended(RadioError?)
    }

    /// The number of the channel, from 1 in the order of opening.
    public let number: Int
    /// The device at the other end.
    public let device: DeviceAddress
    /// The handle of the link, if known.
    public let connectionHandle: UInt16?
    /// The role of this host.
    public let role: LERole
    /// What has happened.
    public let change: Change
    /// When it happened, on the monotonic clock.
    public let instant: Instant
    /// The same time on the wall clock.
    public let wall: WallTime
}

/// A function that sees when ATT channels open and end.
public typealias LinkTap = @Sendable (TappedLink) -> Void

/// The taps of a system, and the numbers of its ATT channels.
struct TapObserver: Sendable {
    private final class Numbers: Sendable {
        private let last = Mutex(0)

        func next() -> Int {
            last.withLock { last in
                last += 1
                return last
            }
        }
    }

    let time: any TimeSource
    let tap: PacketTap
    let linkTap: LinkTap
    private let numbers = Numbers()

    init(time: any TimeSource, tap: @escaping PacketTap, linkTap: @escaping LinkTap) {
        self.time = time
        self.tap = tap
        self.linkTap = linkTap
    }

    func recorder(_ channel: TappedPacket.Channel, link: Int? = nil) -> TapRecorder {
        TapRecorder(channel: channel, link: link, time: time, tap: tap)
    }

    /// Shows that an ATT channel has opened, and from now on its packets and its end.
    func channel(_ channel: any ATTChannel, to device: DeviceAddress, role: LERole) -> any ATTChannel {
        let number = numbers.next()
        let link = LinkRecorder(
            number: number,
            device: device,
            connectionHandle: channel.connectionHandle,
            role: role,
            observer: self
        )
        link.open()
        return TappedATTChannel(base: channel, recorder: recorder(.att(device), link: number), link: link)
    }
}

/// Shows the packets of a channel.
struct TapRecorder: Sendable {
    let channel: TappedPacket.Channel
    let link: Int?
    let time: any TimeSource
    let tap: PacketTap

    func record(_ direction: TappedPacket.Direction, _ bytes: [UInt8]) {
        tap(
            TappedPacket(
                channel: channel,
                link: link,
                direction: direction,
                bytes: bytes,
                instant: time.now,
                wall: time.wallClock
            )
        )
    }
}

/// Shows the beginning and the end of an ATT channel, the end once.
final class LinkRecorder: Sendable {
    private let number: Int
    private let device: DeviceAddress
    private let connectionHandle: UInt16?
    private let role: LERole
    private let observer: TapObserver
    private let hasEnded = Mutex(false)

    init(number: Int, device: DeviceAddress, connectionHandle: UInt16?, role: LERole, observer: TapObserver) {
        self.number = number
        self.device = device
        self.connectionHandle = connectionHandle
        self.role = role
        self.observer = observer
    }

    func open() { show(.opened) }

    /// Shows the end, unless it was shown before.
    func end(_ reason: RadioError?) {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        if isFirst { show(.ended(reason)) }
    }

    private func show(_ change: TappedLink.Change) {
        observer.linkTap(
            TappedLink(
                number: number,
                device: device,
                connectionHandle: connectionHandle,
                role: role,
                change: change,
                instant: observer.time.now,
                wall: observer.time.wallClock
            )
        )
    }
}
