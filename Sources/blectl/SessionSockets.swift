// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import LinuxRadio
import RadioSharing
import Toolkit

extension PacketSocket: RemoteConnector {}
extension PacketListener: RemoteListening {}

struct SessionSockets: SessionSystem {
    private func socket(_ path: String) -> PacketSocket {
        PacketSocket(path: path, maximumLength: SimulatedLocation.maximumPacket)
    }

    func connector(at path: String) -> any RemoteConnector { socket(path) }

    func listen(at path: String) throws(RadioError) -> any RemoteListening { try socket(path).listen() }
}
