// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothProfiles
import CommandLineInterface
import Glibc
package import Records
package import Terminal

/// The three standard streams of the process, as a command's output and diagnostics.
package struct StandardStreams: Sendable {
    package let output: Output
    package let diagnostics: Diagnostics

    /// Styles standard output and standard error as the options and the environment say.
    package init(
        _ options: GlobalOptions.StreamOptions,
        environment: (String) -> String?,
        writer: any StandardWriter
    ) {
        self.init(options, environment: environment, writer: writer, lineOf: nil)
    }

    /// The same for a line of a shell that has these diagnostics; `nil` for none.
    package init(
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
            if isTerminal { style.columns = StandardDescriptors.terminalSize(descriptor).columns }
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
            columns: { StandardDescriptors.terminalSize(2).columns }
        )
    }

    /// Prints a remark before a command begins, unless the options want none.
    package static func remark(_ text: String, _ options: GlobalOptions.StreamOptions) {
        // As other remarks, it may have a name.
        guard !options.isQuiet, !options.isRedacted else { return }
        // A message that cannot be written fails no command.
        try? StandardDescriptors.write("blectl: \(TerminalText.escaped(text))\n", to: 2)
    }

    /// Reads a file, or standard input for `-`. Stops after the block that exceeds `limit` octets.
    package static func read(_ path: String, limit: Int) throws(BlectlError) -> [UInt8] {
        guard let bytes = try readIfThere(path, limit: limit) else { throw BlectlError(unopened: path, ENOENT) }
        return bytes
    }

    /// Reads a value of an attribute from a file, or from standard input for `-`. Throws if it is too long for one.
    ///
    /// - Parameter action: The purpose, to follow "cannot".
    package static func readValue(_ path: String, doing action: String) throws(BlectlError) -> [UInt8] {
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
        guard let descriptor = try openIfThere(path) else { return nil }
        defer { if !isInput { close(descriptor) } }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        // The surplus shows the caller that the file is too long, and an endless file such as /dev/zero still ends.
        while bytes.count <= limit {
            awaitOctets(of: descriptor)
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
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
    /// Whether a read of a file, or of standard input for `-`, may wait for a program or a person.
    static func mayWait(_ path: String) -> Bool {
        var status = stat()
        guard (path == "-" ? fstat(0, &status) : stat(path, &status)) == 0 else { return false }
        return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    /// Opens a file for reading, or returns standard input for `-`; `nil` if there is no such file. A folder, which has no
    /// octets, is an input that cannot be opened. A pipe is opened without its writer: `awaitOctets` waits for it.
    static func openIfThere(_ path: String) throws(BlectlError) -> Int32? {
        let isInput = path == "-"
        let descriptor = isInput ? 0 : open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw BlectlError(unopened: path, errno)
        }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            if !isInput { close(descriptor) }
            throw BlectlError(unopened: isInput ? "standard input" : path, EISDIR)
        }
        if !isInput { _ = fcntl(descriptor, F_SETFL, 0) }
        return descriptor
    }

    /// Waits until a descriptor has octets, or has come to its end. Without that, a read of a pipe that no writer has
    /// opened yet would find its end, and one of standard input fail that another program has made non-blocking.
    static func awaitOctets(of descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, -1) < 0, errno == EINTR {}
    }

    /// Throws if octets that were read are no value of a format.
    ///
    /// - Parameter action: The purpose, to follow "cannot".
    package static func check(
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

extension BlectlError {
    /// The error for an input that cannot be opened.
    ///
    /// - Parameter number: The error number of the system.
    package init(unopened path: String, _ number: Int32) {
        self.init(.cannotOpenInput, "cannot open \(path): \(String(cString: strerror(number)))")
    }
}
