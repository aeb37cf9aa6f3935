// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A command that the process of a session carries out for the called process, which only passes on the words and
/// prints the replies. The session has already done the setup of the command.
///
/// Only commands that need no more than two streams of the caller's process are carried: no file, no terminal, no
/// capture.
package enum CarriedCommand {
    /// The variables that the meaning of a command line depends on.
    package static let variables = ["BLECTL_DEVICE", "BLECTL_SIMULATE", "HOME", "XDG_CONFIG_HOME"]
    /// The names of the commands that can be carried.
    private static let names = [CommandName.read.rawValue, CommandName.write.rawValue]

    /// An offer of a command line that this process has not parsed: parsing, and the tables for that, would cost more
    /// than all the rest of a short command. The process of the session parses it, and refuses what it does not carry out.
    package struct Offer {
        /// The path of the socket.
        package let path: String
        package let request: [UInt8]

        /// Offers the words to the only session that there is. `nil` if there is none or another one, or if the words
        /// name no such command.
        ///
        /// - Parameters:
        ///   - words: The words after the name of the program.
        ///   - folder: The folder of the sockets.
        ///   - environment: Returns the value of a variable; `nil` if it is not set.
        package init?(_ words: [String], in folder: SessionFolder, environment: (String) -> String?) {
            // Any word may match. The other process refuses the line if it is not the command.
            guard words.contains(where: { names.contains($0) }) else { return nil }
            let entries = folder.entries()
            guard entries.count == 1, let request = line(words, world: nil, environment: environment).request else {
                return nil
            }
            path = entries[0].path
            self.request = request
        }
    }

    /// The command line for the process of a session.
    ///
    /// - Parameter world: The digits of its world; `nil` if it was not parsed.
    static func line(_ words: [String], world: String?, environment: (String) -> String?) -> SessionCommandLine {
        let variables = variables.compactMap { name in
            environment(name).map { SessionCommandLine.Variable(name, $0) }
        }
        return SessionCommandLine(arguments: words, variables: variables, world: world)
    }

    /// Whether a command can be carried.
    static func canCarry(_ request: CommandRequest) -> Bool {
        let options = request.global
        // These need the terminal or the files of the caller, a radio of its own, or figures of its process.
        guard options.streams.verbosity == 0, options.streams.color != .always, options.capture == nil,
            options.diagram == nil, !options.wantsPrivacy, !options.tellsTiming
        else { return false }
        if request.command is ReadCommand { return true }
        guard let write = request.command as? WriteCommand, case .octets = write.options.source else { return false }
        return true
    }

    /// Carries out a command on the link of a session.
    ///
    /// - Parameters:
    ///   - line: The encoded command line.
    ///   - replies: The way back.
    ///   - session: The session of this process.
    ///   - context: The context of the session.
    static func carryOut(
        _ line: [UInt8],
        _ replies: SessionReplies,
        in session: AttachedSession,
        _ context: CommandContext
    ) async {
        guard let request = request(line, session, context) else {
            try? replies.send(.refused)
            return
        }
        // A process that has gone meanwhile may have found another way.
        guard (try? replies.send(.begun)) != nil else { return }
        let status = await withTaskGroup(of: ExitStatus?.self) { group in
            group.addTask { await perform(request, replies, session, context) }
            group.addTask {
                await showLife(replies, every: lifeInterval(request.global.timeout), context.time)
                return nil
            }
            var status: ExitStatus?
            for await ended in group where ended != nil {
                status = ended
                group.cancelAll()
            }
            return status ?? .internalError
        }
        // If the session ends, the command has not succeeded; its process notices the end of the connection.
        guard !Task.isCancelled else { return }
        try? replies.send(.ended(UInt8(truncatingIfNeeded: status.rawValue)))
        try? await replies.drained()
    }

    /// How often this process shows that it is alive, to one that waits as long as `--timeout` for a word of it.
    static func lifeInterval(_ timeout: Duration) -> Duration { min(.seconds(1), timeout / 4) }

    /// Repeats that the command has begun, until the other process is gone or the task is cancelled. Otherwise a
    /// command that takes long would look like a process that hangs.
    private static func showLife(_ replies: SessionReplies, every interval: Duration, _ time: any TimeSource) async {
        while (try? await time.sleep(for: interval)) != nil, (try? replies.send(.begun)) != nil,
            (try? await replies.drained()) != nil
        {}
    }

    /// The command; `nil` if it is not carried out here. Its own process then reports the error.
    private static func request(
        _ line: [UInt8],
        _ session: AttachedSession,
        _ context: CommandContext
    ) -> CommandRequest? {
        do {
            let line = try SessionCommandLine(decoding: line)
            let environment = { (name: String) in line.value(of: name) }
            guard case .run(let arguments) = try Invocation(line.arguments, environment: environment),
                // A path of a format file may be relative to the folder of the other process.
                arguments[GlobalSpec.formats] == nil
            else { return nil }
            var hasRemark = false
            let formats = try FormatFiles.catalogue(for: arguments, environment: environment) { _ in hasRemark = true }
            // The remark is for the standard error of the other process, which makes it itself.
            if hasRemark { return nil }
            let request = try CommandRequest(arguments, formats: formats) { true }
            guard canCarry(request), let device = request.command.device, device.usesSessions,
                request.global.mayUseSessions,
                let world = line.world ?? request.global.portableWorldDigits, world == session.entry.world
            else { return nil }
            let adapters = request.global.adapters
            let choice = SessionChoice(among: [session.description], for: device.selector, adapters: adapters)
            guard choice == .one(session.description),
                // The name means the bonded device, which this radio cannot look for.
                !context.isNamesake(session.description, device.selector)
            else { return nil }
            return request
        } catch {
            return nil
        }
    }

    /// Runs the command with the session's radio, and with the replies in place of standard output and standard
    /// error.
    private static func perform(
        _ request: CommandRequest,
        _ replies: SessionReplies,
        _ session: AttachedSession,
        _ context: CommandContext
    ) async -> ExitStatus {
        let streams = request.global.streams
        return await withTaskScope { scope in
            var own = CommandContext(
                options: request.global,
                system: session.system,
                time: context.time,
                scope: scope,
                output: Output(
                    ReplySink(replies: replies, isOutput: true),
                    isJSON: streams.isJSON,
                    format: streams.format,
                    style: .plain
                ),
                diagnostics: Diagnostics(
                    ReplySink(replies: replies, isOutput: false),
                    style: .plain,
                    isQuiet: streams.isQuiet,
                    verbosity: streams.verbosity,
                    isRedacted: streams.isRedacted
                ),
                // Those of the same user: the socket accepts no other one.
                stores: context.stores
            )
            own.sessions = context.sessions
            own.sessions?.attached = session
            return await CommandRunner.run(request, in: own)
        }
    }
}

extension GlobalOptions {
    /// The digits of the world; `nil` if it depends on the working directory of the process that was called.
    fileprivate var portableWorldDigits: String? {
        let paths: [String] =
            switch radio {
            case .adapters: []
            case .socket(let path): [path]
            case .simulation: simulatedWorlds
            }
        return paths.allSatisfy { $0.hasPrefix("/") } ? worldDigits : nil
    }
}

/// A standard stream of the process whose command is carried out.
private struct ReplySink: ByteSink {
    let replies: SessionReplies
    let isOutput: Bool

    func write(_ bytes: Span<UInt8>) throws(OutputFailure) {
        var rest = bytes.withUnsafeBufferPointer { Array($0) }[...]
        while !rest.isEmpty {
            // A packet of the socket has a largest size, so that long output is sent in pieces.
            let piece = Array(rest.prefix(SessionReply.maximumOctets))
            rest = rest.dropFirst(piece.count)
            do throws(RadioError) {
                try replies.send(isOutput ? .output(piece) : .messages(piece))
            } catch {
                // The other process has gone, like the reader of a pipe.
                throw .brokenPipe
            }
        }
    }

    func room() async throws(OutputFailure) { try await flush() }

    func flush() async throws(OutputFailure) {
        do throws(RadioError) {
            try await replies.drained()
        } catch {
            throw .brokenPipe
        }
    }
}
