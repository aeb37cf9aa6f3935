// SPDX-License-Identifier: GPL-2.0-or-later

import BlectlKit
import Bluetooth
import BluetoothHost
import Glibc
import LinuxRadio
import SimulatedRadio
import Synchronization

/// Runs a command on the link of a session, and ends the process with its status. Returns if no session fits.
///
/// Such a command asks a question that is answered within milliseconds, so that threads and a simulated world would
/// cost more than all the rest. For a person at a terminal that does not matter, and screens and keys have threads of
/// their own: then this returns.
///
/// - Parameters:
///   - request: The command.
///   - arguments: Its words, after the name of the program.
///   - folder: The folder of the sockets.
func runAttached(_ request: CommandRequest, _ arguments: [String], _ folder: SessionFolder) {
    guard isatty(1) == 0, let candidate = AttachedSession.Candidate(for: request, in: folder) else { return }
    // A carried command has two streams and no terminal, so neither stream may be one.
    if isatty(2) == 0, let line = candidate.carrying(arguments, environment: environment) {
        var carrier = Carrier(path: candidate.path, candidate: candidate) { nil }
        if carrier.run(line) == .isSilent { return }
    }
    guard let loop = try? EventLoop() else { return }
    // Until the session has answered, a signal ends the process at once: there is nothing to clean up.
    let sockets = SessionSockets(loop: loop)
    let known = DataStores.bonds(request.global, loop)
    guard let attached = AttachedSession(candidate, by: sockets, time: loop, bonds: known) else { return }
    run(on: loop, SessionChannels(sockets: sockets, folder: folder, attached: attached)) { streams, interruption in
        await run(request, loop, streams, interruption) { _ in attached.system }
    }
}

/// Offers the words of a command line to the process of the only session, before this process has parsed them, and exits
/// with the status of the command. Returns if that process does not carry the command out: `true` if it does not answer.
///
/// - Parameters:
///   - words: The words after the name of the program.
///   - folder: The folder of the sockets.
///   - parse: Parses the words, if a reply is late.
func runUnparsed(_ words: [String], _ folder: SessionFolder, parse: @escaping () -> CommandRequest?) -> Bool {
    guard isatty(1) == 0, isatty(2) == 0,
        // A variable that is not UTF-8 is an error, which the other process could not report.
        CarriedCommand.variables.allSatisfy({ getenv($0) == nil || environment($0) != nil }),
        let offer = CarriedCommand.Offer(words, in: folder, environment: environment)
    else { return false }
    var carrier = Carrier(path: offer.path, candidate: nil) {
        parse().flatMap { AttachedSession.Candidate(for: $0, in: folder) }
    }
    return carrier.run(offer.request) == .isSilent
}

/// Why a command is not carried out by the process of a session.
private enum Uncarried {
    /// It is none that can be carried, or that process does not carry it.
    case isOther
    /// That process does not answer in time. It would not answer other questions either.
    case isSilent
}

/// A command that the process of a session carries out, and the time in which that process has to say something.
private struct Carrier {
    /// How long to wait for a reply before the words are parsed for the time limit: some connection events.
    private static let usualTime = Duration.milliseconds(250)
    /// How long to wait for a command that has begun and whose time limit is not known, because a file that its words
    /// name has changed since.
    private static let longTime = Duration.seconds(10)

    let path: String
    /// The session and the command; `nil` until the words are parsed.
    private(set) var candidate: AttachedSession.Candidate?
    private let parse: () -> AttachedSession.Candidate?

    init(
        path: String,
        candidate: AttachedSession.Candidate?,
        parse: @escaping () -> AttachedSession.Candidate?
    ) {
        self.path = path
        self.candidate = candidate
        self.parse = parse
    }

    /// Lets the process of the session carry out the command, prints its replies, and exits with its status. Returns if
    /// the process refuses, before the command had any effect.
    ///
    /// A signal ends this process at once, and the other one cancels the command.
    mutating func run(_ line: [UInt8]) -> Uncarried {
        let socket = PacketSocket(path: path, maximumLength: SimulatedPlace.maximumPacket)
        guard let asked = try? socket.ask(line) else { return .isOther }
        do throws(RadioError) {
            // Another first packet is a refusal. Nothing has happened then, so the command can still run in this process.
            guard let first = try receive(asked, else: nil), (try? SessionReply(packet: first)) == .begun else {
                return .isOther
            }
        } catch {
            return error.cause == .controllerSilent ? .isSilent : .isOther
        }
        do {
            while let packet = try receive(asked, else: Self.longTime) {
                switch try SessionReply(packet: packet) {
                // `begun` is repeated as a sign of life, so that a long command is not taken for a hung process.
                case .begun, .refused: break
                case .output(let octets): try StandardStreams.write(octets, to: 1)
                // As elsewhere, a message that cannot be written does not fail the command.
                case .messages(let octets): try? StandardStreams.write(octets, to: 2)
                case .ended(let status): exit(Int32(status))
                }
            }
        } catch {
            end(with: error)
        }
        return .isOther
    }

    /// Ends the process, because the replies have ended early, or cannot be printed.
    private mutating func end(with error: any Error) -> Never {
        let session = known
        let (label, command) = (session?.label ?? path, session?.request.name)
        switch error {
        // The reader has seen enough, as `head` does. No command fails because of that.
        case OutputFailure.brokenPipe: exit(ExitStatus.success.rawValue)
        case OutputFailure.failed(let why):
            fail(BlectlError(.ioError, cannot: "write to standard output", why), command: command)
        case let error as RadioError:
            let silence = error.cause == .controllerSilent ? session?.silence : nil
            fail(silence ?? BlectlError(error, doing: "use session '\(label)'"), command: command)
        default:
            let lost = RadioError(.linkLost(nil), during: "session '\(label)'")
            fail(BlectlError(lost, doing: "use session '\(label)'"), command: command)
        }
    }

    /// The session and the command, parsed now if that was not necessary before.
    private var known: AttachedSession.Candidate? {
        mutating get {
            if candidate == nil { candidate = parse() }
            return candidate
        }
    }

    /// The next packet.
    ///
    /// - Parameter limit: The time limit if the words, parsed because the packet is late, are not a command for the
    ///   session; `nil` returns `nil` then, because the other process, which parses them alike, will refuse them.
    private mutating func receive(_ asked: AskedSocket, else limit: Duration?) throws(RadioError) -> [UInt8]? {
        var waited = Duration.zero
        if candidate == nil {
            do throws(RadioError) {
                return try asked.receive(timeout: Self.usualTime)
            } catch {
                guard error.cause == .controllerSilent else { throw error }
                waited = Self.usualTime
            }
        }
        guard let limit = known?.timeout ?? limit else { return nil }
        return try asked.receive(timeout: max(.zero, limit - waited))
    }
}

/// Runs the process of a session, which holds a link, and ends with its status. Returns if the command is another one.
///
/// It passes packets on between sockets, so that each thread more on their way would delay every command that uses the
/// link.
func runHolder(_ request: CommandRequest, _ folder: SessionFolder) {
    guard request.holdsSession, let loop = try? EventLoop() else { return }
    let world = place(of: request)
    let worldFaults = faults(of: request, in: world)
    let sessions = SessionChannels(sockets: SessionSockets(loop: loop), folder: folder)
    run(on: loop, sessions) { streams, interruption in
        await perform(request, world, worldFaults, loop, loop: loop, streams, interruption)
    }
}

/// Runs a command on this thread alone, and ends the process with its status. Returns if signals cannot be watched.
private func run(
    on loop: EventLoop,
    _ sessions: SessionChannels,
    _ command: @escaping @Sendable (Streams, Interruption) async -> ExitStatus
) {
    let writer = StreamWriter { loop.watchEnd(of: $0, $1) }
    let interruption = Interruption(writer)
    // The writer has no thread yet, because the loop watches its reader. So every later thread inherits the blocked
    // signals.
    let signals = SignalWaiter()
    let received = Mutex<Int32?>(nil)
    let isWatched = loop.watch(signals) { event in
        switch event {
        case .signal(let number):
            let isSecond = received.withLock { received in
                defer { received = number }
                return received != nil
            }
            // The first signal has not ended the command yet, and the user does not want to wait.
            if isSecond { signals.die(of: number) }
            interruption.trigger()
            limitCleanup { signals.die(of: number) }
        case .suspended: signals.stop()
        // No screen belongs to this thread, so that nothing has to be drawn again.
        case .mayStop, .continued, .resized, .finished: break
        }
    }
    // The caller goes on in the ordinary way, with a thread that takes signals.
    guard isWatched else { return signals.release() }
    let status = loop.run {
        await command(Streams(writer: writer, terminal: nil, shell: nil, sessions: sessions), interruption)
    }
    // By the signal even if the cleanup was a success: a script that runs blectl then notices the Ctrl-C, and
    // ends too.
    if let number = received.withLock({ $0 }) { signals.die(of: number) }
    exit(status.rawValue)
}

/// Limits the time for cleaning up after a signal to 10 s, then calls `die`.
func limitCleanup(_ die: @escaping @Sendable () -> Void) {
    // A separate thread, because the other ones may be blocked.
    WorkThread.start {
        sleep(10)
        die()
    }
}
