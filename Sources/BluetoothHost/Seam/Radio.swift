// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// All adapters that a machine, or a simulated world, has.
public protocol RadioSystem: Sendable {
    /// Every adapter, usable or not, in the order of its index.
    func adapters() async throws(RadioError) -> [AdapterDescription]

    /// The adapter of that name (`hci0`), or the first usable one.
    ///
    /// Throws the reason why none can be used: no support in the kernel, none there, down, blocked.
    func radio(named name: String?) throws(RadioError) -> any Radio

    /// Opens a channel to whoever switches adapters on and off: on Linux the management interface of the kernel. It needs no
    /// privilege; what it is used for may, `CAP_NET_ADMIN`.
    ///
    /// It belongs to the system and not to an adapter, for it tells of adapters that come and go.
    func openManagement() throws(RadioError) -> any ManagementChannel
}

extension RadioSystem {
    /// A system without adapters that could be managed.
    public func openManagement() throws(RadioError) -> any ManagementChannel {
        throw RadioError(.noController, during: "management of adapters")
    }
}

/// What an HCI channel is opened for.
public enum HCIUse: Hashable, Sendable {
    /// To scan, to advertise, to follow links: every command and every event. Needs `CAP_NET_RAW` on Linux.
    case host
    /// To ask the controller what it is: the answers to commands only. Needs no privilege, but then not every question is
    /// answered.
    case questions
}

/// One adapter: where HCI packets and ATT PDUs go in and out.
///
/// This and the three kinds of channel are the seam: everything above is the same on the kernel's sockets and in a simulated world.
public protocol Radio: Sendable {
    /// Which adapter it is.
    var adapter: AdapterDescription { get }

    /// Opens a channel for commands to the controller and for its events. Needs `CAP_NET_RAW` on Linux.
    func openHCI() throws(RadioError) -> any HCIChannel

    /// Opens such a channel for one use.
    func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel

    /// Connects the ATT channel of a device. Ends at the deadline, or when the task is cancelled, with an error.
    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel

    /// Takes the turn at what only one program of the machine can have; waits for it, in the order of arrival where it can.
    ///
    /// `onWait` is called when the wait begins, and again where somebody else turns out to be in the way, with the program
    /// that has it, if that is known. Fails at the deadline with the cause that the subject is busy; a deadline that is past
    /// means not to wait at all. Ends also when the task is cancelled.
    func takeTurn(
        _ subject: TurnSubject,
        by deadline: Instant,
        onWait: @escaping @Sendable (ProgramReference?) -> Void
    ) async throws(RadioError) -> any Turn

    /// The device of that address, with the type of its address, if the machine is connected to it at present, whichever
    /// program wanted that: a device that is connected does not advertise, so no scan finds it.
    func connectedDevice(_ address: BluetoothAddress) -> DeviceAddress?

    /// Listens for centrals that connect: the peripheral role. Somebody has to advertise for them to come.
    ///
    /// Throws where another program of the machine has the place.
    func listenATT() throws(RadioError) -> any ATTListener

    /// The device at the other end, where the radio is a wire to one device and has no controller: `openHCI` throws then,
    /// and there is nothing to scan and nothing to choose from.
    var onlyPeer: DeviceAddress? { get }
}

extension Radio {
    /// Most radios reach many devices.
    public var onlyPeer: DeviceAddress? { nil }

    /// A radio that knows no privileges opens the same channel for every use.
    public func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel { try openHCI() }
}

/// A channel of whole packets; a packet in is a packet out.
///
/// `send` is synchronous: it either takes the packet or fails, so that a state machine's transition and its action are one
/// step. The channel's end, for whatever reason, ends `receive` with a `RadioError`.
public protocol PacketChannel: Sendable {
    /// The packets received, for one consumer. Ends by throwing the reason why the channel closed.
    func receive() async throws(RadioError) -> [UInt8]

    /// The packets that wait, in their order, or else the next one; ends as `receive` does. Who receives many wakes once for
    /// all of them.
    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]>

    /// How many received packets were dropped because the consumer was slow.
    var droppedCount: Int { get }

    /// Sends a packet, or queues it where the kernel has no room for the moment.
    ///
    /// A send that fails says nothing of what was received before: whoever cannot go on calls `hangUp`, and receives on
    /// until the end.
    func send(_ packet: [UInt8]) throws(RadioError)

    /// Suspends until all that was queued is with the kernel: the back-pressure of writes without response.
    func drained() async throws(RadioError)

    /// Sends nothing any more, and ends behind what has come: `receive` hands that out before it throws. A channel whose
    /// end is under way ends for its own reason, any other for this one.
    func hangUp(_ reason: RadioError)

    /// Closes the channel; those who wait get `closedLocally`. Closing twice is no error.
    func close()
}

extension PacketChannel {
    /// Where nothing stands between the other end and the queue, closing loses nothing.
    public func hangUp(_ reason: RadioError) { close() }

    /// One packet at a time is right as well.
    public func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> { [try await receive()] }
}

/// HCI packets with their packet indicator as first octet: commands out, events in.
///
/// Spec: Core 5.4, Vol 4, Part A, 2
public protocol HCIChannel: PacketChannel {}

/// Packets of the management interface, header included: commands out, answers and events in.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst
public protocol ManagementChannel: PacketChannel {}

/// ATT PDUs of one bearer.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.2.11
public protocol ATTChannel: PacketChannel {
    /// The device at the other end.
    var peer: DeviceAddress { get }

    /// The handle of the link below, where it is known: what HCI commands about the connection ask for.
    var connectionHandle: UInt16? { get }

    /// The largest MTU that the channel can receive.
    var maximumMTU: UInt16 { get }

    /// Whether the channel holds its peer back while nothing is received: then nothing is lost, however slow the reader is. A
    /// link does not; what comes too fast for its reader has to be dropped somewhere.
    var hasFlowControl: Bool { get }

    /// How the link below is secured at this moment: encryption may begin at any time, so this is asked when it matters. What
    /// the radio does not know is taken as the weaker.
    var security: LinkSecurity { get }
}

extension ATTChannel {
    /// The ATT channel of a link has no flow control.
    public var hasFlowControl: Bool { false }

    /// A channel that knows of no security has none.
    public var security: LinkSecurity { .none }
}

/// Where ATT channels of centrals come in.
public protocol ATTListener: Sendable {
    /// The channel of the next central, for one consumer. Ends by throwing the reason why nobody can come any more.
    func accept() async throws(RadioError) -> any ATTChannel

    /// Listens no more; who waits gets `closedLocally`. The channels that were accepted stay. Closing twice is no error.
    func close()
}
