// SPDX-License-Identifier: MIT

public import Bluetooth

/// All adapters of a machine, or of a simulated world.
public protocol RadioSystem: Sendable {
    /// The clock of all deadlines on its adapters. Their users must have the same clock.
    var time: any TimeSource { get }

    /// Does what has to be done once before an adapter is asked for, and may take time. A second call does nothing.
    func prepare() async throws(RadioError)

    /// Every adapter, usable or not, in the order of its index.
    func adapters() async throws(RadioError) -> [AdapterDescription]

    /// The adapter with that name (`hci0`) or that address (`00:1A:7D:DA:71:13`), or the first one that can be used.
    ///
    /// Throws the reason why none can be used: no support in the kernel, no adapter, not powered, blocked.
    func radio(named name: String?) throws(RadioError) -> any Radio

    /// Opens a channel for switching adapters on and off: on Linux, the management interface of the kernel. Opening
    /// needs no privilege; most commands need `CAP_NET_ADMIN`.
    ///
    /// The channel belongs to the system and not to an adapter, because it also reports adapters that come and go.
    func openManagement() throws(RadioError) -> any ManagementChannel
}

extension RadioSystem {
    /// Does nothing, for systems that are there already.
    public func prepare() async throws(RadioError) {}

    /// The adapter of that name, after what has to be done once.
    package func preparedRadio(named name: String?) async throws(RadioError) -> any Radio {
        try await prepare()
        return try radio(named: name)
    }

    /// Throws, for systems whose adapters cannot be managed.
    public func openManagement() throws(RadioError) -> any ManagementChannel {
        throw RadioError(.noController, during: "management of adapters")
    }
}

/// The purpose of an HCI channel.
public enum HCIUse: Hashable, Sendable {
    /// Scanning, advertising and links: every command and event. Needs `CAP_NET_RAW` on Linux.
    case host
    /// Questions about the controller: answers to commands only. Needs no privilege, but without one the kernel refuses
    /// some commands.
    case questions
    /// The data of links, in which the Security Managers of both ends are observed. Nothing is sent. Needs
    /// `CAP_NET_RAW` on Linux.
    case securityManager
}

/// One adapter, as a source of HCI and ATT channels.
///
/// This protocol and the three kinds of channel are the seam: the code above them is the same for the kernel's sockets
/// and for a simulated world.
public protocol Radio: Sendable {
    /// The adapter's description.
    var adapter: AdapterDescription { get }

    /// Opens a channel for commands to the controller and for its events. Needs `CAP_NET_RAW` on Linux.
    func openHCI() throws(RadioError) -> any HCIChannel

    /// Opens a channel for commands and events, with the rights that the use needs.
    func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel

    /// Connects the ATT channel of a device. Throws at the deadline, or if the task is cancelled.
    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel

    /// Takes the turn at a resource that only one program of the machine can use at a time. Waits for it, if possible
    /// in the order of arrival.
    ///
    /// `onWait` is called with the holder, if known, when the wait begins, and again when another program holds the
    /// turn. Throws at the deadline that the resource is busy; with a deadline in the past it does not wait at all.
    /// Throws also if the task is cancelled.
    func takeTurn(
        _ subject: TurnSubject,
        by deadline: Instant,
        onWait: @escaping @Sendable (ProcessReference?) -> Void
    ) async throws(RadioError) -> any Turn

    /// The device with that address and its address type, if any program of the machine is connected to it. A connected
    /// device usually does not advertise, so that a scan would not find it.
    func connectedDevice(_ address: BluetoothAddress) -> DeviceAddress?

    /// The addresses of the devices that any program of the machine is connected to.
    func connectedAddresses() -> Set<BluetoothAddress>

    /// Listens for centrals, in the peripheral role. Centrals come only if the adapter advertises.
    ///
    /// Throws if another program of the machine serves already.
    func listenATT() throws(RadioError) -> any ATTListener

    /// Opens a credit-based channel to a service of a device, over the present link or a new one. Throws at the
    /// deadline, or if the task is cancelled.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - request: The service, and the limits of this side.
    ///   - deadline: The end of the attempt.
    ///   - onFrame: Sees the frames of the channel, if the radio knows them: the kernel does not show them to a socket.
    func connectL2CAP(
        to device: DeviceAddress,
        _ request: L2CAPRequest,
        deadline: Instant,
        onFrame: FrameObserver?
    ) async throws(RadioError) -> any L2CAPChannel

    /// Offers a service to the devices that are connected, in either role. Others connect only if the adapter
    /// advertises.
    ///
    /// - Parameters:
    ///   - request: The service, and the limits of this side.
    ///   - onFrame: Sees the frames of the channels, if the radio knows them.
    func listenL2CAP(_ request: L2CAPRequest, onFrame: FrameObserver?) throws(RadioError) -> any L2CAPListener

    /// The device at the other end, if the radio is a wire to one device. Such a radio has no controller: `openHCI`
    /// throws, and scanning is not possible.
    var onlyPeer: DeviceAddress? { get }
}

extension Radio {
    /// `nil`, because most radios reach many devices.
    public var onlyPeer: DeviceAddress? { nil }

    /// Opens the same channel for every use, for radios without privileges.
    public func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel { try openHCI() }
}

/// A channel of whole packets.
///
/// `send` is synchronous: it accepts the packet or fails at once, so that the transition of a state machine and its
/// action are one step, and no other task can come between. When the channel ends, `receive` throws a `RadioError`.
public protocol PacketChannel: Sendable {
    /// The next received packet, for one consumer. Throws the reason of the channel's end.
    func receive() async throws(RadioError) -> [UInt8]

    /// All waiting packets in order, or else the next one. Throws like `receive`. A consumer of many packets is woken
    /// once for all of them.
    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]>

    /// The packets of `receiveWaiting`, with their ages: a channel may have kept them for its consumer.
    func receiveAged() async throws(RadioError) -> [TimestampedPacket]

    /// The number of received packets that were dropped because the consumer was slow.
    var droppedCount: Int { get }

    /// Sends a packet, or queues it if the kernel has no room at the moment.
    ///
    /// A failed `send` does not end `receive`: packets may have arrived before. A caller that cannot continue calls
    /// `hangUp`, and receives until the end.
    func send(_ packet: [UInt8]) throws(RadioError)

    /// Suspends until the kernel has accepted all queued packets. This is the back-pressure for writes without
    /// response.
    func drained() async throws(RadioError)

    /// Stops sending, and ends the channel after the packets that have arrived: `receive` returns these before it
    /// throws. If the channel is ending already, its own reason remains; otherwise `reason` is thrown.
    func hangUp(_ reason: RadioError)

    /// Closes the channel. Waiting tasks get `closedLocally`. A second call does nothing.
    func close()
}

extension PacketChannel {
    /// Closes the channel. Sufficient if all arrived packets are in the queue, because closing loses nothing then.
    public func hangUp(_ reason: RadioError) { close() }

    /// Returns one packet at a time.
    public func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> { [try await receive()] }

    /// Returns packets that are new.
    public func receiveAged() async throws(RadioError) -> [TimestampedPacket] {
        try await receiveWaiting().map { TimestampedPacket($0) }
    }
}

/// HCI packets with their packet indicator as first octet: commands out, events in.
///
/// Spec: Core 5.4, Vol 4, Part A, 2
public protocol HCIChannel: PacketChannel {}

/// Packets of the management interface with their headers: commands out, answers and events in.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst
public protocol ManagementChannel: PacketChannel {}

/// ATT PDUs of one bearer.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.2.11
public protocol ATTChannel: PacketChannel {
    /// The device at the other end.
    var peer: DeviceAddress { get }

    /// The handle of the link, if known. HCI commands about the connection need it.
    var connectionHandle: UInt16? { get }

    /// The properties of the link that the channel knows without a command to the controller. Needs no privilege.
    var linkState: LinkState { get }

    /// The largest ATT_MTU that the channel can receive.
    var maximumMTU: UInt16 { get }

    /// Whether the channel holds the peer back while nothing is received, so that nothing is lost. A link does not:
    /// PDUs that come faster than they are read must be dropped.
    var hasFlowControl: Bool { get }

    /// The current security of the link. It can change at any time, so it must be read when it is needed. Unknown
    /// properties count as insecure.
    var security: LinkSecurity { get }

    /// Raises the security of the link to a level, and returns when the link has it. Uses the key of a bond if there is
    /// one. Otherwise the two devices pair, if this machine has a program that answers the questions of a pairing.
    ///
    /// Throws `unsupported` if the link cannot be raised, and is as before; another error if the link ended meanwhile;
    /// `cancelled` if the task was cancelled. The channel is then unusable, because the kernel may suspend it for ever.
    func raiseSecurity(to level: SecurityLevel) async throws(RadioError)

    /// The number of enhanced bearers that the link can have beside this channel; 0 if the radio has none. A server says
    /// by it whether it has them.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.2.11
    var enhancedBearerLimit: Int { get }

    /// Asks the peer for enhanced bearers: channels whose units are ATT PDUs, one PDU each. The ATT_MTU of one is the
    /// smaller of `receiveMTU` and `sendMTU`, and there is no Exchange MTU on it.
    ///
    /// Returns fewer if the peer has fewer, and none if the radio has none. Throws the peer's reason if it refuses all,
    /// and the end of the link. The link must be encrypted.
    func openEnhancedBearers(_ count: Int) async throws(RadioError) -> [any L2CAPChannel]

    /// The next enhanced bearer that the peer opens, for one consumer. A link that nobody has asked for one refuses
    /// them. Throws the reason why no more can come: `unsupported` if the radio has none.
    func acceptEnhancedBearer() async throws(RadioError) -> any L2CAPChannel

    /// Shows the frames of the link's enhanced bearers, and of their signals, from their opening on.
    func observeEnhancedBearers(_ observer: @escaping FrameObserver)
}

extension ATTChannel {
    /// `false`, because the ATT channel of a link has no flow control.
    public var hasFlowControl: Bool { false }

    /// Empty, for channels without knowledge of their link.
    public var linkState: LinkState { LinkState() }

    /// `none`, for channels that do not know their security.
    public var security: LinkSecurity { .none }

    /// Throws `unsupported`: the security of such a channel is fixed.
    public func raiseSecurity(to level: SecurityLevel) async throws(RadioError) {
        throw RadioError(.unsupported, during: "encryption of the link to \(peer.address)")
    }

    /// 0, for radios without enhanced bearers.
    public var enhancedBearerLimit: Int { 0 }

    /// Returns none, for radios without enhanced bearers.
    public func openEnhancedBearers(_ count: Int) async throws(RadioError) -> [any L2CAPChannel] { [] }

    /// Throws `unsupported`, for radios without enhanced bearers.
    public func acceptEnhancedBearer() async throws(RadioError) -> any L2CAPChannel {
        throw RadioError(.unsupported, during: "enhanced bearers of \(peer.address)")
    }

    /// Does nothing, for radios without enhanced bearers.
    public func observeEnhancedBearers(_ observer: @escaping FrameObserver) {}
}

/// The source of ATT channels that centrals open.
public protocol ATTListener: Sendable {
    /// The channel of the next central, for one consumer. Throws the reason why no more can come.
    func accept() async throws(RadioError) -> any ATTChannel

    /// Stops listening. A waiting task gets `closedLocally`. Accepted channels stay open. A second call does nothing.
    func close()
}
