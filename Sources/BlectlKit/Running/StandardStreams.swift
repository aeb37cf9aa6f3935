// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Glibc

/// The three standard streams of the process, as a command's output and diagnostics.
package struct StandardStreams: Sendable {
    /// Results.
    package let output: Output
    /// Messages.
    package let diagnostics: Diagnostics

    /// Styles standard output and standard error as the options and the environment say.
    ///
    /// - Parameter writer: Writes to both.
    package init(
        _ options: GlobalOptions.StreamOptions,
        environment: (String) -> String?,
        writer: any StandardWriter
    ) {
        self.init(options, environment: environment, writer: writer, lineOf: nil)
    }

    /// The same for a line of a shell that has these diagnostics; `nil` for none.
    init(
        _ options: GlobalOptions.StreamOptions,
        environment: (String) -> String?,
        writer: any StandardWriter,
        lineOf shell: Diagnostics?
    ) {
        let terminal = TerminalCapabilities(environment: environment)
        func style(_ descriptor: Int32) -> TextStyle {
            // A dumb terminal counts as a file, because it shows the movements of a cursor as text.
            let isTerminal = isatty(descriptor) == 1 && terminal.movesCursor
            let usesColor =
                switch options.color {
                case .always: true
                case .never: false
                case .automatic: isTerminal && terminal.mayColor
                }
            var style = TextStyle(usesColor: usesColor, isTerminal: isTerminal)
            style.hasManyColors = terminal.hasManyColors
            // The locale is about the terminal. A file or a pipe gets UTF-8 in any case.
            style.usesUnicode = terminal.usesUnicode || isatty(descriptor) != 1
            if isTerminal { style.columns = Self.terminalSize(descriptor).columns }
            return style
        }
        output = Output(
            writer.sink(.output),
            isJSON: options.isJSON,
            format: options.format,
            style: style(1)
        )
        diagnostics = Diagnostics(
            lineOf: shell,
            writer.sink(.messages),
            style: style(2),
            isQuiet: options.isQuiet,
            verbosity: options.verbosity,
            isRedacted: options.isRedacted,
            columns: { Self.terminalSize(2).columns }
        )
    }

    /// Writes text synchronously, for messages before or after a command.
    package static func write(_ text: String, to descriptor: Int32) throws(OutputFailure) {
        try write(Array(text.utf8), to: descriptor)
    }

    /// Prints a remark before a command begins, unless the options want none.
    package static func remark(_ text: String, _ options: GlobalOptions.StreamOptions) {
        // As other remarks, it may have a name.
        guard !options.isQuiet, !options.isRedacted else { return }
        // A message that cannot be written fails no command.
        try? write("blectl: \(TerminalText.escaped(text))\n", to: 2)
    }

    /// Writes octets synchronously.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(OutputFailure) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + start }, $0.count - start)
            }
            if count >= 0 {
                start += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EPIPE: throw .brokenPipe
            case EAGAIN:
                // Another process has made the shared descriptor non-blocking.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                while poll(&entry, 1, -1) < 0, errno == EINTR {}
            default: throw .failed(String(cString: strerror(errno)))
            }
        }
    }

    /// Opens /dev/null in the place of closed standard streams, so that no file or socket gets their numbers and no
    /// message is written to a radio. Reading from them and writing to them still fails.
    package static func occupyClosed() {
        for descriptor in [0, 1, 2] as [Int32] where fcntl(descriptor, F_GETFD) < 0 {
            // open(2) takes the lowest free number, which is this one.
            // Opened for the wrong direction, so that its use still fails with EBADF, as with a closed stream.
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    /// Whether the process can open that many more descriptors.
    package static func canOpen(_ count: Int) -> Bool {
        // The event loop of the Swift runtime traps or hangs if it gets no descriptors, so they are counted before it
        // starts.
        var places: [Int32] = []
        defer { for place in places { close(place) } }
        while places.count < count {
            let place = fcntl(2, F_DUPFD_CLOEXEC, 0)
            guard place >= 0 else { return false }
            places.append(place)
        }
        return true
    }

    /// The size of the terminal on standard output or standard error; 80 by 24 if it is not a terminal.
    package static func terminalSize(_ descriptor: Int32 = 1) -> (columns: Int, rows: Int) {
        var size = winsize()
        // A pseudo-terminal whose size was never set reports 0 by 0.
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// The width of text for a person, in columns: `$COLUMNS`, as shells and scripts set it, or that of the terminal.
    package static func textWidth(_ environment: (String) -> String?) -> Int {
        environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? terminalSize().columns
    }

    /// Reads a file, or standard input for `-`. Stops after the block that exceeds `limit` octets.
    package static func read(_ path: String, limit: Int) throws(BlectlError) -> [UInt8] {
        guard let bytes = try readIfThere(path, limit: limit) else {
            throw BlectlError(.cannotOpenInput, "cannot open \(path): \(String(cString: strerror(ENOENT)))")
        }
        return bytes
    }

    /// Reads a value of an attribute from a file, or from standard input for `-`. Throws if it is too long for one.
    ///
    /// - Parameter action: The purpose, to follow "cannot".
    static func readValue(_ path: String, doing action: String) throws(BlectlError) -> [UInt8] {
        let limit = GATTLimits.maximumValueLength
        let value = try read(path, limit: limit)
        guard value.count <= limit else {
            throw BlectlError(
                .badData,
                cannot: action,
                "\(path == "-" ? "standard input" : path) has more than the \(limit) octets that an attribute can hold"
            )
        }
        return value
    }

    /// Like `read`, but returns `nil` if the file does not exist.
    static func readIfThere(_ path: String, limit: Int) throws(BlectlError) -> [UInt8]? {
        let isInput = path == "-"
        let descriptor = isInput ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw BlectlError(.cannotOpenInput, "cannot open \(path): \(String(cString: strerror(errno)))")
        }
        defer { if !isInput { close(descriptor) } }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        // The surplus shows the caller that the file is too long, and an endless file such as /dev/zero still ends.
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw BlectlError(
                    .ioError,
                    "cannot read \(isInput ? "standard input" : path): \(String(cString: strerror(errno)))"
                )
            }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }
}

extension StandardStreams {
    /// Throws if octets that were read are no value of a format.
    ///
    /// - Parameter action: The purpose, to follow "cannot".
    static func check(
        _ value: [UInt8],
        in format: CharacteristicFormat,
        doing action: String
    ) throws(BlectlError) {
        do throws(TypedValueError) {
            try TypedValue.check(value, in: format)
        } catch {
            throw BlectlError(.badData, cannot: action, error.description, hint: "--raw takes it all the same")
        }
    }
}
