// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// The shell: takes lines, and runs them as commands on devices whose links last.
actor ShellSession {
    struct Background {
        let task: ScopedTask
        /// Whether only a person or the end of the shell ends it.
        let isEndless: Bool
        var waiters: [AsyncStream<Never>.Continuation] = []
    }

    /// The consequence of a line.
    private enum Next {
        case line
        case exit
    }

    let options: ShellOptions
    let context: CommandContext
    let host: ShellHost
    let environment: [String: String]
    let knowledge: CompletionCache

    var devices: [ShellDevice] = []
    var nextDevice = 0
    /// The numbers of lines that use the devices now.
    var uses: [Int: Int] = [:]
    /// The device that a line means which names none.
    var current: ShellDevice?
    var jobs = ShellJobs()
    var background: [Int: Background] = [:]
    /// The devices whose links are looked after.
    var watched: Set<Int> = []
    var central: Central?
    /// The databases of the devices, for completion.
    var databases: [DeviceAddress: DiscoveredDatabase] = [:]
    /// That of the last line.
    var status = ExitStatus.success
    /// Whether a command runs in the foreground, which reports changes of its link itself.
    private(set) var isBusy = false
    /// The trace of the packets of lines that do not say otherwise; `nil` without `-v`.
    private var shellTrace: PacketTap?

    init(_ options: ShellOptions, _ context: CommandContext, _ host: ShellHost) {
        self.options = options
        self.context = context
        self.host = host
        knowledge = CompletionCache(context.commands.table)
        environment = context.environment
    }

    var isInteractive: Bool { host.terminal != nil }

    // MARK: - Lines

    /// The trace of the packets from now on; `nil` without `-v`.
    private func trace(_ diagnostics: Diagnostics) -> PacketTap? {
        PacketTrace.tap(diagnostics, since: context.time.now, on: context.options.adapters)
    }

    private func beginTrace() {
        shellTrace = trace(context.diagnostics)
        host.packets.set(shellTrace)
    }

    /// Reads lines from a terminal to the end. Returns the status of the last one.
    func run(on terminal: ShellTerminal) async -> ExitStatus {
        beginTrace()
        let history = options.isPlain ? nil : history()
        let reader = await reader(history)
        if let device = options.device { await begin(with: device, on: terminal) }
        while !Task.isCancelled {
            await lookAfterLinks()
            await refreshKnowledge()
            let outcome = await terminal.line(reader, prompt: await prompt()) { [knowledge] in
                knowledge.effect(behind: $0)
            }
            guard case .line(let text) = outcome else {
                if outcome == .end { break }
                continue
            }
            if ShellHistory.isKept(text) {
                reader.remember(text)
                await history?.add(text)
            }
            guard await execute(text) == .line else { break }
        }
        await end()
        return status
    }

    /// Runs lines to their end. Returns the status of the last one.
    func run(_ lines: LineSource) async throws -> ExitStatus {
        var lines = lines
        beginTrace()
        return try await withCleanup {
            if let device = options.device { current = try await heldDevice(for: device) }
            var isLeft = false
            while let text = try await lines.next() {
                isLeft = await execute(text) == .exit
                if isLeft { break }
                try Task.checkCancellation()
                if let failure = context.output.failure { throw failure }
            }
            if !isLeft { try await awaitBackground() }
            for job in jobs.running { context.diagnostics.note("stopped at the end of the input: \(job.line)") }
            return status
        } cleanup: {
            await end()
        }
    }

    private func execute(_ text: String) async -> Next {
        let line: ShellLine
        do {
            line = try ShellLine(text)
        } catch {
            return after(report(UsageError(.impossible(error.text, hint: Self.helpHint), command: nil)))
        }
        var words = line.words.map(\.text)
        if words.first == "blectl" { words.removeFirst() }
        guard let first = words.first else { return .line }
        do throws(UsageError) {
            if let builtin = ShellBuiltin(word: first), builtin != .help || words.count == 1 || isOwn(words[1]) {
                guard !line.isBackground else {
                    throw UsageError(
                        .impossible("'\(first)' does not run in the background", hint: Self.helpHint),
                        command: nil
                    )
                }
                return try await run(builtin, Array(words.dropFirst()))
            }
            return after(try await run(words, text, isBackground: line.isBackground))
        } catch {
            return after(report(error, of: words))
        }
    }

    private func isOwn(_ word: String) -> Bool {
        ShellBuiltin(word: word) != nil && context.commands.table.name(word) == nil
    }

    /// - Parameter status: That of the line; `nil` if Ctrl-C has ended it.
    private func after(_ status: ExitStatus?) -> Next {
        guard let status else { return .line }
        self.status = status
        return options.exitsOnError && status != .success ? .exit : .line
    }

    /// Runs a command of the shell itself. A bad argument is a usage error and leaves the shell running.
    private func run(_ builtin: ShellBuiltin, _ arguments: [String]) async throws(UsageError) -> Next {
        guard arguments.count <= builtin.argumentLimit else {
            let error = UsageError(
                .unexpectedArguments(Array(arguments.dropFirst(builtin.argumentLimit))),
                command: nil
            )
            guard builtin.takesDevice, !arguments.contains(where: { $0.hasPrefix("-") }) else { throw error }
            let hint = "a name of several words is quoted, as in: \(builtin.rawValue) 'My Sensor'"
            throw UsageError(.impossible(error.message, hint: hint), command: nil)
        }
        if builtin == .exit {
            if let text = arguments.first {
                guard let number = Int32(text), let status = ExitStatus(rawValue: number) else {
                    throw UsageError(
                        .impossible(
                            "\(Prose.quoted(text)) is not a status of blectl",
                            hint: "EXIT STATUS in blectl(1)"
                        ),
                        command: nil
                    )
                }
                self.status = status
            }
            return .exit
        }
        return after(await perform(builtin, arguments.first))
    }

    // MARK: - Commands

    /// Runs a command of blectl, and returns its status; `nil` if Ctrl-C has ended it.
    private func run(_ words: [String], _ text: String, isBackground: Bool) async throws(UsageError) -> ExitStatus? {
        let identifier = await current?.identifier
        let invocation = try Invocation(words, of: context.commands) { name in
            name == DeviceSpec.device.spec.environment ? identifier : nil
        }
        guard case .run(let arguments) = invocation else {
            if let text = invocation.immediateText(width: StandardDescriptors.textWidth { environment[$0] }) {
                await show(String(text.last == "\n" ? text.dropLast() : text[...]))
            }
            return .success
        }
        guard arguments.command != .shell else {
            throw arguments.impossible("a shell cannot run in a shell", hint: "'connect DEVICE' adds a device")
        }
        // Empty input would be a value: an empty one.
        guard !arguments.files(without: []).contains("-") else {
            throw arguments.impossible("a line of a shell has no standard input", hint: "a value in a file is @FILE")
        }
        let global = try context.options.forLine(
            arguments,
            of: context.commands,
            isReconnecting: options.connection.reconnects
        )
        let request = try CommandRequest(arguments, of: context.commands, formats: context.options.formats)
        // A device is found by the adapter of the shell, and may have its link already.
        if request.command.linkedDevice != nil, arguments.isGiven(GlobalSpec.adapter) {
            throw arguments.impossible(
                "'--\(GlobalSpec.adapter.spec.long)' is for the shell as a whole where a device is meant",
                hint: "leave the shell, and give it after 'blectl shell'"
            )
        }
        guard isBackground else {
            return await inForeground { await self.status(of: request, global, isBackground: false) }
        }
        var line = text[...]
        if let sign = line.lastIndex(of: "&") { line = line[..<sign] }
        return await start(request, global, String(line.reversed().drop { $0 == " " || $0 == "\t" }.reversed()))
    }

    /// Runs work that Ctrl-C ends; returns `nil` if it did.
    func inForeground(_ body: @escaping @Sendable () async -> ExitStatus) async -> ExitStatus? {
        isBusy = true
        defer { isBusy = false }
        guard let terminal = host.terminal else { return await body() }
        return await terminal.foreground(body)
    }

    /// Runs a command to its end.
    ///
    /// - Parameter onReady: Called when the command observes its device; never by a command that does not.
    private func status(
        of request: CommandRequest,
        _ global: GlobalOptions,
        isBackground: Bool,
        onReady: (@Sendable () -> Void)? = nil
    ) async -> ExitStatus {
        let streams = StandardStreams(
            global.streams,
            environment: { [environment] in environment[$0] },
            writer: LineWriter(writer: host.writer, showsProgress: !isBackground),
            lineOf: self.context.diagnostics
        )
        // From before the device of the line is looked for.
        let redaction = global.streams.isRedacted ? self.context.diagnostics.redaction : nil
        redaction?.begin()
        defer { redaction?.end() }
        let mayAsk = request.name == .pair && !isBackground
        let timing = global.tellsTiming ? context.runState.timedLinks?.begin(.used) : nil
        defer { timing?.end() }
        var caller = context.caller
        caller.onReady = onReady
        let context = lineContext(global, streams, timing, mayAsk: mayAsk)
        let verbosity = global.streams.verbosity
        // A line without an option of its own continues the trace of the shell, with its times.
        let isOther = verbosity != self.context.options.streams.verbosity
        let traced = host.packets.begin(verbosity, isOther ? trace(streams.diagnostics) : shellTrace)
        defer { host.packets.end(traced) }
        var device: ShellDevice?
        if let wanted = request.command.linkedDevice {
            context.diagnostics.conceal(wanted.selector?.givenName)
            do {
                let wantedDevice = try await heldDevice(for: wanted, timedBy: timing, within: global.timeout)
                begin(using: wantedDevice)
                device = wantedDevice
                caller.held = wantedDevice.connection.timed(by: timing, within: global.timeout)
            } catch {
                let described = BlectlError(describing: error, doing: request.command.action)
                guard let described else { return .success }
                return await CommandRunner.report(
                    described,
                    of: request,
                    context.output,
                    context.diagnostics,
                    context.time
                )
            }
        }
        let compared = request.command.comparedDevices
        if !compared.isEmpty { caller.named = await links(for: compared, timing) }
        if request.name.has(.hasParts) { caller.release = { await self.release($0) } }
        let status = await CommandRunner.run(request, in: context.with(caller: caller))
        if let device { await end(using: device) }
        return status
    }

    /// The context of the command of a line.
    ///
    /// - Parameter mayAsk: Whether the person at the terminal may be asked for a passkey.
    private func lineContext(
        _ global: GlobalOptions,
        _ streams: StandardStreams,
        _ timing: RunTiming?,
        mayAsk: Bool
    ) -> CommandContext {
        var output = streams.output
        output.style.localOffset = context.output.style.localOffset
        output.timing = timing?.counting
        // The terminal belongs to the shell, so that no command draws a screen on it.
        var process = context.process
        process.terminal = nil
        process.shell = nil
        var pairing = context.pairing
        if mayAsk, let terminal = host.terminal {
            pairing.keyboard = TerminalKeyboard(streams.diagnostics) { await terminal.answer(to: $0) }
        }
        return context.with(
            options: global,
            output: output,
            diagnostics: streams.diagnostics,
            process: process,
            pairing: pairing
        ).timed(by: timing)
    }

    // MARK: - The background

    /// Begins to run a command; returns the status of that, not of the command.
    private func start(_ request: CommandRequest, _ global: GlobalOptions, _ line: String) async -> ExitStatus {
        guard let number = jobs.add(line) else {
            let error = BlectlError(
                .temporaryFailure,
                cannot: "run a line in the background",
                "there are \(ShellJobs.limit) commands already",
                hint: "'jobs' lists them, 'stop NUMBER' ends one, and 'wait' waits for their end"
            )
            return await CommandRunner.report(error, of: request, context.output, context.diagnostics, context.time)
        }
        let (readiness, ready) = AsyncStream<Never>.makeStream()
        // The command cannot end before it is entered below, because `ended` runs on this actor.
        let task = context.scope.spawnCancellable {
            let status = await self.status(of: request, global, isBackground: true) { ready.finish() }
            await self.ended(number, status, isCancelled: Task.isCancelled)
            ready.finish()
        }
        background[number] = Background(task: task, isEndless: request.isEndless)
        if isInteractive { context.diagnostics.note(ShellJob(number: number, line: line).text("runs")) }
        // The next line of a pipe follows at once, and what it makes the device send must find the subscription.
        if !isInteractive, request.name == .notify { for await _ in readiness {} }
        return .success
    }

    private func ended(_ number: Int, _ status: ExitStatus, isCancelled: Bool) {
        for waiter in background.removeValue(forKey: number)?.waiters ?? [] { waiter.finish() }
        // A line that the user has stopped has not failed.
        guard let job = jobs.end(number, isCancelled ? .success : status) else { return }
        let state = isCancelled ? "stopped" : status == .success ? "done" : "failed (status \(status.rawValue))"
        if isInteractive { context.diagnostics.note(job.text(state)) }
        knowledge.update { $0.jobs = jobs.running.map(\.number) }
    }

    /// Waits for the end of commands in the background, by default of all; a cancelled task does not wait.
    func untilEnded(_ numbers: [Int]? = nil) async {
        for number in numbers ?? jobs.running.map(\.number) {
            guard background[number] != nil else { continue }
            let (end, continuation) = AsyncStream<Never>.makeStream()
            background[number]?.waiters.append(continuation)
            for await _ in end {}
        }
    }

    /// At the end of the input, waits for the commands that end by themselves, and takes their failure if the last line
    /// has none. The others go on meanwhile, because a command that ends may need them.
    private func awaitBackground() async throws {
        await untilEnded(jobs.running.map(\.number).filter { background[$0]?.isEndless == false })
        try Task.checkCancellation()
        let failure = jobs.takeStatus()
        if status == .success { status = failure }
    }

    // MARK: - Beginning and end

    private func begin(with options: DeviceOptions, on terminal: ShellTerminal) async {
        do throws(BlectlError) {
            guard let device = try await newDevice(options) else { return }
            current = device
        } catch {
            _ = report(error)
            return
        }
        if let current { _ = await inForeground { await self.connect(current) } }
    }

    /// Ends the running commands, and closes the links.
    private func end() async {
        for job in background.values { job.task.cancel() }
        // Even if the shell was asked to end, notifications are switched off before the links are closed.
        _ = try? await context.scope.shielded { await self.untilEnded() }
        for device in devices { await device.connection.disconnect() }
    }

    private func reader(_ history: ShellHistory?) async -> any LineReader {
        let movesCursor = context.output.style.isTerminal
        guard !options.isPlain, movesCursor else { return PlainLines(movesCursor: movesCursor) }
        if let editor = EditLine(history: history?.lines() ?? [], limit: ShellHistory.limit) { return editor }
        context.diagnostics.note("lines cannot be edited or repeated: libedit2 is not installed")
        return PlainLines(movesCursor: movesCursor)
    }

    /// The history of the typed lines, including those in simulation.
    private func history() -> ShellHistory? {
        StateFolder.state(environment: { [environment] in environment[$0] }) { [diagnostics = context.diagnostics] in
            diagnostics.detail($0)
        }.map { ShellHistory(folder: $0, time: context.time) }
    }

    // MARK: - Messages

    private static let helpHint = "'help' lists the commands of the shell"

    /// Reports a line that was not carried out, and returns its status.
    ///
    /// - Parameter words: The words of the line, which may ask for records themselves.
    private func report(_ error: UsageError, of words: [String] = []) -> ExitStatus {
        let described = BlectlError(error.exitStatus, error.message, hint: error.shellHint)
            .about(command: error.command)
        let line = ArgumentScanner(words, context.commands.table)
        guard context.diagnostics.isRedacted || line.isGiven(GlobalSpec.redact.spec) else {
            return report(described, to: errorOutput(words))
        }
        let concealed = CommandLineRedactor(of: error, on: line)
        let shown = BlectlError(
            error.exitStatus,
            concealed.concealed(in: error.message),
            hint: concealed.concealed(in: error.shellHint)
        )
        return report(shown.about(command: error.command), to: errorOutput(words))
    }

    /// Reports a failure of the shell itself, for programs as a record, too. Returns its status.
    ///
    /// - Parameter output: Takes the record; `nil` for that of the shell.
    func report(_ error: BlectlError, to output: Output? = nil) -> ExitStatus {
        let error = context.diagnostics.redacted(error)
        context.diagnostics.clearProgress()
        context.diagnostics.error(error)
        let output = output ?? context.output
        if output.writesRecords {
            // If standard output itself has failed, the next line notices it.
            try? output.put(ErrorResult(error: error, timestamp: Timestamp(context.time)))
        }
        return error.status
    }

    /// The output for the error of a line whose options cannot be read: with `--json` for records, as outside of a
    /// shell.
    private func errorOutput(_ words: [String]) -> Output {
        guard ArgumentScanner(words, context.commands.table).isGiven(GlobalSpec.json.spec) else {
            return context.output
        }
        var streams = context.options.streams
        (streams.isJSON, streams.format) = (true, nil)
        return StandardStreams(streams, environment: { environment[$0] }, writer: host.writer).output
    }

    /// Prints text for a person: on standard error if standard output has records.
    func show(_ text: String) async {
        if context.output.writesRecords {
            context.diagnostics.lines(text)
        } else {
            try? await context.output.write(text)
        }
    }
}
