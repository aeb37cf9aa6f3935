// SPDX-License-Identifier: MIT

public import Bluetooth
import Synchronization

/// An ATT channel that has opened or ended, for traces and captures.
public struct TappedLink: Sendable {
    /// A change of a channel.
    public enum Change: Sendable, Equatable {
        /// It has opened.
        case opened
        /// It has ended, for that reason; `nil` if this program has closed it. No packet passes after it.
        case ended(RadioError?)
    }

    /// The number of the channel, from 1 in the order of opening.
    public let number: Int
    /// The adapter that has the link.
    public let adapter: ManagementIndex
    /// The device at the other end.
    public let device: DeviceAddress
    /// The handle of the link, if known.
    public let connectionHandle: UInt16?
    /// The role of this host.
    public let role: LERole
    /// The change.
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
    /// The adapter of the packets; `none` for those of the management interface.
    private(set) var adapter: ManagementIndex
    let tap: PacketTap
    let linkTap: LinkTap
    private let numbers = Numbers()

    init(time: any TimeSource, adapter: ManagementIndex, tap: @escaping PacketTap, linkTap: @escaping LinkTap) {
        self.time = time
        self.adapter = adapter
        self.tap = tap
        self.linkTap = linkTap
    }

    /// The same taps for the packets of an adapter. The numbers of channels go on.
    func of(_ adapter: ManagementIndex) -> TapObserver {
        var observer = self
        observer.adapter = adapter
        return observer
    }

    func recorder(_ channel: TappedPacket.Channel, link: Int? = nil) -> TapRecorder {
        TapRecorder(channel: channel, adapter: adapter, link: link, time: time, tap: tap)
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
        let (signals, frames) = (recorder(.l2cap(device), link: number), recorder(.bearer(device), link: number))
        channel.observeEnhancedBearers { observed in
            let recorder = observed.frame.channel == .leSignaling ? signals : frames
            recorder.record(observed.isSent ? .sent : .received, observed.frame.encoded())
        }
        return TappedATTChannel(base: channel, recorder: recorder(.att(device), link: number), link: link)
    }
}

extension TapObserver {
    /// Shows frames of the L2CAP layer, for each link from its first frame on.
    ///
    /// - Parameters:
    ///   - role: The role of this host on the links.
    ///   - device: The device at the other end of a link, by its handle.
    func frames(role: LERole, of device: @escaping @Sendable (UInt16) -> DeviceAddress) -> FrameRecorder {
        FrameRecorder(observer: self, role: role, device: device)
    }

    fileprivate func opened(_ device: DeviceAddress, handle: UInt16?, role: LERole) -> (LinkRecorder, TapRecorder) {
        let number = numbers.next()
        let link = LinkRecorder(
            number: number,
            device: device,
            connectionHandle: handle,
            role: role,
            observer: self
        )
        link.open()
        return (link, recorder(.l2cap(device), link: number))
    }
}

/// Shows the frames of links, and the beginning and the end of each link.
final class FrameRecorder: Sendable {
    private struct Links {
        /// The links by their handles; `nil` stands for one whose handle is not known.
        var open: [UInt16?: (link: LinkRecorder, frames: TapRecorder)] = [:]
        var channels: [UInt16?: Int] = [:]
        /// The links whose end was shown. Later frames are ignored until a channel is requested again.
        var ended: Set<UInt16> = []
    }

    private let observer: TapObserver
    private let role: LERole
    private let device: @Sendable (UInt16) -> DeviceAddress
    private let links = Mutex(Links())

    init(observer: TapObserver, role: LERole, device: @escaping @Sendable (UInt16) -> DeviceAddress) {
        self.observer = observer
        self.role = role
        self.device = device
    }

    func record(_ observed: ObservedFrame) {
        let handle = observed.connectionHandle
        let recorder = links.withLock { links -> TapRecorder? in
            if let known = links.open[handle] { return known.frames }
            guard !links.ended.contains(handle) || observed.frame.isChannelRequest else { return nil }
            links.ended.remove(handle)
            let (link, frames) = observer.opened(device(handle), handle: handle, role: role)
            links.open[handle] = (link, frames)
            return frames
        }
        recorder?.record(observed.isSent ? .sent : .received, observed.frame.encoded())
    }

    /// A channel has opened on a link. Shows the beginning of the link if no frame has: the kernel keeps its frames to
    /// itself.
    func channelOpened(to peer: DeviceAddress, on handle: UInt16?) {
        links.withLock { links in
            links.channels[handle, default: 0] += 1
            guard links.open[handle] == nil else { return }
            if let handle { links.ended.remove(handle) }
            links.open[handle] = observer.opened(peer, handle: handle, role: role)
        }
    }

    /// A channel has ended. Shows that its link has ended, if it was the last one.
    func channelEnded(on handle: UInt16?, _ reason: RadioError?) {
        let link = links.withLock { links -> LinkRecorder? in
            let count = (links.channels.removeValue(forKey: handle) ?? 1) - 1
            if count > 0 { links.channels[handle] = count }
            guard count <= 0, let link = links.open.removeValue(forKey: handle)?.link else { return nil }
            if let handle { links.ended.insert(handle) }
            return link
        }
        link?.end(reason)
    }

    /// Shows that the links have ended.
    func end(_ reason: RadioError?) {
        let open = links.withLock { links in
            defer { links = Links() }
            return links.open
        }
        for (_, recorder) in open.sorted(by: { $0.key ?? 0 < $1.key ?? 0 }) { recorder.link.end(reason) }
    }
}

extension L2CAPFrame {
    /// Whether the frame requests a credit-based channel.
    ///
    /// Spec: Core 5.4, Vol 3, Part A, 4.22
    fileprivate var isChannelRequest: Bool { channel == .leSignaling && payload.first == 0x14 }
}

/// Shows the packets of a channel.
struct TapRecorder: Sendable {
    let channel: TappedPacket.Channel
    let adapter: ManagementIndex
    let link: Int?
    let time: any TimeSource
    let tap: PacketTap

    func record(_ direction: TappedPacket.Direction, _ bytes: [UInt8]) {
        tap(
            TappedPacket(
                channel: channel,
                adapter: adapter,
                link: link,
                direction: direction,
                // The kernel's own commands pass here as well, and those about encryption have the keys.
                bytes: channel == .hci ? HCISecrets.zeroed(bytes) : bytes,
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
                adapter: observer.adapter,
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
