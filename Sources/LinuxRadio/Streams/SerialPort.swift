// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ
import Glibc

/// A serial port that leads to a controller: raw, with eight bits and no parity, as H4 needs it.
///
/// Spec: Core 5.4, Vol 4, Part A, 4
enum SerialPort {
    /// The constants of termios(3) for the speeds that ports have.
    private static let speeds: [UInt32: speed_t] = [
        9_600: speed_t(B9600), 19_200: speed_t(B19200), 38_400: speed_t(B38400), 57_600: speed_t(B57600),
        115_200: speed_t(B115200), 230_400: speed_t(B230400), 460_800: speed_t(B460800), 921_600: speed_t(B921600),
        1_000_000: speed_t(B1000000), 1_500_000: speed_t(B1500000), 2_000_000: speed_t(B2000000),
        3_000_000: speed_t(B3000000), 4_000_000: speed_t(B4000000),
    ]

    /// Opens a port for this process alone, and drops what has waited there. Others that lock it (flock(2)) find it taken.
    ///
    /// - Parameters:
    ///   - path: The path of the port.
    ///   - speed: The speed in bits a second.
    ///   - hasFlowControl: Whether the two sides stop each other by RTS and CTS.
    static func open(
        _ path: String,
        speed: UInt32,
        hasFlowControl: Bool,
        during operation: String
    ) throws(RadioError) -> OwnedFileDescriptor {
        guard let constant = speeds[speed] else {
            throw RadioError(.attachment(.oddSpeed(speed, known: speeds.keys.sorted())), during: operation)
        }
        do throws(Errno) {
            let port = try OwnedFileDescriptor { blectl_open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) }
            let descriptor = port.rawValue
            var settings = termios()
            try systemCall { tcgetattr(descriptor, &settings) }
            // TIOCEXCL would outlast this process where another one keeps the port open, as emulators of ports do.
            try systemCall { flock(descriptor, LOCK_EX | LOCK_NB) }
            cfmakeraw(&settings)
            settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
            if hasFlowControl {
                settings.c_cflag |= BLECTL_CRTSCTS
            } else {
                settings.c_cflag &= ~BLECTL_CRTSCTS
            }
            try systemCall { cfsetspeed(&settings, constant) }
            try systemCall { tcsetattr(descriptor, TCSANOW, &settings) }
            try systemCall { tcflush(descriptor, TCIOFLUSH) }
            return port
        } catch {
            switch error.rawValue {
            case EACCES, EPERM: throw RadioError(.attachment(.notPermitted(port: path)), during: operation)
            case EBUSY, EWOULDBLOCK:
                let user = MachineFolders().program(using: path)
                throw RadioError(.attachment(.busy(by: user)), during: operation)
            // There is nothing, or something that is no serial port.
            case ENOENT, ENOTDIR, ENODEV, ENXIO, ENOTTY, EISDIR, EIO:
                throw RadioError(.controllerUnreachable, during: operation)
            default: throw RadioError(error, in: .transport, call: "open", during: operation)
            }
        }
    }
}
