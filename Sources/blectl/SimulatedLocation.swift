// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import BluetoothProfiles
import CommandLineInterface
import Glibc
import RadioSharing
import SimulatedRadio
import Toolkit

/// Where the simulated world of a command is.
enum SimulatedLocation: Sendable {
    /// A world of this process.
    case own(SimulatedFiles)
    /// A world that another process keeps alive, whose socket is at the path, with its clock if it is in virtual time.
    case shared(path: String, JoinedClock?)
    /// A world in virtual time that the command asks, without a machine in it.
    case asked(JoinedClock)
    /// A world that cannot be used. A command on the link of a session needs none.
    case unusable(BlectlError)
}

extension SimulatedLocation {
    /// The clock that the command shares with other processes; `nil` for none.
    var clock: JoinedClock? {
        switch self {
        case .shared(_, let clock): clock
        case .asked(let clock): clock
        case .own, .unusable: nil
        }
    }

    /// The longest first packet and the longest later one, in octets.
    static let maximumPacket = max(RemoteRequest.maximumLength, RemotePacket.maximumLength)

    init(_ options: GlobalOptions) throws(BlectlError) {
        let worlds = options.simulatedWorlds
        guard let path = try Self.socket(among: worlds) else {
            do throws(BlectlError) {
                self = .own(try SimulatedFiles(worlds))
            } catch {
                throw error.opening(worlds: worlds)
            }
            return
        }
        if let option = options.privateWorldOption {
            throw BlectlError(
                .usage,
                "'--\(option)' is for a world of this command, and \(path) is one that others share",
                hint: options.faults.isEmpty
                    ? "leave it out, or name the world's properties with 'blectl simulate serve'"
                    : "write it into the 'faults' of a device file or of a world file, and serve that with "
                        + "'blectl simulate serve'"
            )
        }
        self = .shared(path: path, nil)
    }

    /// The only socket among the values of `--simulate`; `nil` if all of them are files.
    private static func socket(among worlds: [String]) throws(BlectlError) -> String? {
        let sockets = worlds.filter(isSocket)
        guard let socket = sockets.first else { return nil }
        guard worlds.count == 1 else {
            throw BlectlError(.usage, "a socket is a whole world: '--simulate=\(socket)' cannot have others beside it")
        }
        return socket
    }

    private static func isSocket(_ path: String) -> Bool {
        // By stat(2), which follows symbolic links: one to a socket is as good.
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}

/// The content of a world of this process. This is where files become devices.
struct SimulatedFiles: Sendable {
    /// The devices of the files; the built-in ones if there are no files.
    let devices: [SimulatedDevice]
    let seed: UInt64?
    let labels: [AssignedNumber]

    static let empty = SimulatedFiles()

    private init() {
        devices = []
        seed = nil
        labels = []
    }

    init(_ files: [String]) throws(BlectlError) {
        guard !files.isEmpty else {
            devices = builtInDevices()
            seed = nil
            labels = []
            return
        }
        let world = try DeviceFiles.world(files)
        var devices: [SimulatedDevice] = []
        for definition in world.devices {
            do {
                devices.append(try SimulatedDevice(definition))
            } catch {
                // The reader has tried it before.
                throw BlectlError(.badData, cannot: "simulate \(definition.label)", "\(error)")
            }
        }
        self.devices = devices
        seed = world.seed
        labels = world.devices.flatMap(\.labels)
    }
}
