// SPDX-License-Identifier: MIT

package import Bluetooth

/// Reads along what the Security Managers at both ends of a link say to each other.
///
/// The management interface reports each failure of a pairing with the same status. The reason is in a packet of the
/// Security Manager, which a raw socket sees. Only what `SecurityManagerPDU` keeps is passed on: no key is.
package struct SecurityObserver: Sendable {
    private static let limit = 64

    private let channel: any HCIChannel
    /// The PDUs of both directions.
    let pdus = BoundedQueue<SecurityManagerPDU>(limit: limit, overflow: .dropOldest)

    /// Begins to observe a link; `nil` if that is not possible here, usually for lack of the capability.
    ///
    /// - Parameters:
    ///   - radio: The adapter.
    ///   - link: The handle of the link.
    ///   - scope: Runs the task that reads.
    package init?(_ radio: any Radio, link: ConnectionHandle, scope: TaskScope) {
        guard let channel = try? radio.openHCI(for: .securityManager) else { return nil }
        self.channel = channel
        scope.spawn { [pdus] in
            do throws(RadioError) {
                while true {
                    if let pdu = Self.pdu(in: try await channel.receive(), of: link) { pdus.push(pdu) }
                }
            } catch {
                pdus.finish(error)
            }
        }
    }

    /// Ends the observation.
    package func close() { channel.close() }

    /// The PDU in a packet of a link. One that fills several packets is none of interest: it has a public key.
    private static func pdu(in packet: [UInt8], of link: ConnectionHandle) -> SecurityManagerPDU? {
        guard case .acl(let data)? = try? HCIPacket(decoding: packet), data.connection == link,
            data.flags & 0b11 != 0b01, let frame = try? L2CAPFrame(decoding: data.data),
            frame.channel == .securityManager, let pdu = try? SecurityManagerPDU(decoding: frame.payload)
        else { return nil }
        return pdu
    }
}
