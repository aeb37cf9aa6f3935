// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

extension CommandRequest {
    /// Whether a session in the world of the command may have its device, so that the command needs nothing of the
    /// world.
    package func mayRun(onOneOf folder: SessionFolder) -> Bool {
        guard let device = command.device, device.usesSessions, global.mayUseSessions, !name.has(.isShell) else {
            return false
        }
        // When the session ends, such a command needs an adapter of its own.
        guard !device.connection.reconnects else { return false }
        let world = global.worldDigits
        return folder.entries().contains { $0.world == world }
    }
}
