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
    if isatty(2) == 0, runCarried(candidate, arguments) == .isSilent { return }
    guard let loop = try? EventLoop() else { return }
    // Until the session has answered, a signal ends the process at once: there is nothing to clean up.
    let sockets = SessionSockets(loop: loop)
    guard let attached = AttachedSession(candidate, by: sockets, time: loop) else { return }
    run(on: loop, SessionChannels(sockets: sockets, folder: folder, attached: attached)) { streams, interruption in
        await run(request, loop, streams, interruption) { _ in attached.system }
    }
}

/// Why a command is not carried out by the process of a session.
private enum Uncarried {
    /// It is none that can be carried, or that process does not carry it.
    case isOther
    /// That process does not answer in time. It would not answer other questions either.
    case isSilent
}

/// Lets the process of the session carry out the command, prints its replies, and exits with its status. Returns if the
/// process refuses, before the command had any effect.
///
/// A signal ends this process at once, and the other one cancels the command.
private func runCarried(_ candidate: AttachedSession.Candidate, _ arguments: [String]) -> Uncarried {
    let socket = PacketSocket(path: candidate.path, maximumLength: SimulatedPlace.maximumPacket)
    guard let line = candidate.carrying(arguments, environment: environment), let asked = try? socket.ask(line) else {
        return .isOther
    }
    do throws(RadioError) {
        let first = try asked.receive(timeout: candidate.timeout)
        // Another first packet is a refusal. Nothing has happened then, so the command can still run in this
        // process.
        guard (try? SessionReply(packet: first)) == .begun else { return .isOther }
    } catch {
        return error.cause == .controllerSilent ? .isSilent : .isOther
    }
    let command = candidate.request.name
    do {
        while true {
            switch try SessionReply(packet: try asked.receive(timeout: candidate.timeout)) {
            // `begun` is repeated as a sign of life, so that a long command is not taken for a hung process.
            case .begun, .refused: break
            case .output(let octets): try StandardStreams.write(octets, to: 1)
            // As elsewhere, a message that cannot be written does not fail the command.
            case .messages(let octets): try? StandardStreams.write(octets, to: 2)
            case .ended(let status): exit(Int32(status))
            }
        }
    } catch OutputFailure.brokenPipe {
        // The reader has seen enough, as `head` does. No command fails because of that.
        exit(ExitStatus.success.rawValue)
    } catch OutputFailure.failed(let why) {
        fail(BlectlError(.ioError, cannot: "write to standard output", why), command: command)
    } catch let error as RadioError where error.cause == .controllerSilent {
        fail(candidate.silence, command: command)
    } catch {
        let lost = RadioError(.linkLost(nil), during: "session '\(candidate.label)'")
        fail(BlectlError(error as? RadioError ?? lost, doing: "use session '\(candidate.label)'"), command: command)
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
