// SPDX-License-Identifier: MIT

/// The received packets of a channel.
///
/// ATT pauses the producer when the queue is full, because the oldest PDU may be a response that a task waits for. A
/// link has no flow control that would hold the peer back, so the kernel then drops and counts what exceeds its own
/// buffer. HCI drops and counts the oldest packet, because advertisements never stop.
public typealias PacketQueue = BoundedQueue<[UInt8]>
