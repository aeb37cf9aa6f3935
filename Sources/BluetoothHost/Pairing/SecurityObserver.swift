// SPDX-License-Identifier: MIT

package import Bluetooth

/// Observes the traffic between the Security Managers of a link, or of all links.
///
/// The management interface reports each failure of a pairing with the same status. The reason is in a packet of the
/// Security Manager, which a raw socket sees. Only the fields of `SecurityManagerPDU` are passed on, which contain no
/// key.
package struct SecurityObserver: Sendable {
    struct Observation: Hashable, Sendable {
        /// The link, on which it went in one of the directions.
        let link: ConnectionHandle
        let pdu: SecurityManagerPDU
    }

    /// The number of PDUs that wait for a reader. Beyond it the oldest are dropped, because raw sockets have no flow
    /// control.
    private static let limit = 64

    private let channel: any HCIChannel
    /// The decoded PDUs of both directions.
    let observations = BoundedQueue<Observation>(limit: limit, overflow: .dropOldest)

    /// Begins to observe; `nil` if that is not possible here, usually for lack of the capability.
    ///
    /// - Parameters:
    ///   - link: The handle of the link; `nil` for all links of the adapter.
    ///   - scope: Runs the task that reads.
    package init?(_ radio: any Radio, link: ConnectionHandle? = nil, scope: TaskScope) {
        guard let channel = try? radio.openHCI(for: .securityManager) else { return nil }
        self.channel = channel
        scope.spawn { [observations] in
            do throws(RadioError) {
                while true {
                    guard let seen = Self.observation(in: try await channel.receive()),
                        link == nil || seen.link == link
                    else { continue }
                    observations.push(seen)
                }
            } catch {
                observations.finish(error)
            }
        }
    }

    package func close() { channel.close() }

    /// The PDU in a packet. One that takes several packets is ignored, because only one with a public key is so long.
    private static func observation(in packet: [UInt8]) -> Observation? {
        // The flag 0b01 marks a continuation, which has no header of L2CAP.
        guard case .acl(let data)? = try? HCIPacket(decoding: packet),
            data.flags & 0b11 != 0b01, let frame = try? L2CAPFrame(decoding: data.data),
            frame.channel == .securityManager, let pdu = try? SecurityManagerPDU(decoding: frame.payload)
        else { return nil }
        if case .other = pdu { return nil }
        return Observation(link: data.connection, pdu: pdu)
    }
}
