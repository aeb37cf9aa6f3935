// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import BluetoothProfiles
import CProcess
import CommandLineInterface
import Commands
import Glibc
import LinuxRadio
import SimulatedRadio
import Terminal
import Toolkit

private func octets(_ text: UnsafePointer<CChar>) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
}

/// The value of an environment variable; nil if it is not set, or if it is not UTF-8.
func environment(_ name: String) -> String? {
    getenv(name).flatMap { String(validating: octets($0), as: UTF8.self) }
}

/// The words of the command line, with the name of the program. `CommandLine.arguments` is empty where there is no
/// /proc, and replaces octets that are not UTF-8.
func commandLine() -> [[UInt8]] {
    UnsafeBufferPointer(start: argument_words(), count: Int(argument_count())).compactMap { $0.map { octets($0) } }
}

/// The arguments after the name of the program.
private func typedArguments() throws(UsageError) -> [String] {
    try UnicodeText.arguments(Array(commandLine().dropFirst()))
}

/// Refuses a variable that names a device and is not UTF-8. The folders of other variables are then not used.
private func checkEnvironment() throws(UsageError) {
    if let name = DeviceSpec.device.spec.environment, let value = getenv(name) {
        _ = try UnicodeText.variable(name, octets(value))
    }
}

/// The names and formats of private characteristics. A file that cannot be used ends the process.
///
/// - Parameter remark: Takes a remark for the user.
private func formats(for arguments: ParsedArguments, remark: (String) -> Void) -> FormatCatalogue {
    do throws(BlectlError) {
        return try FormatFiles.catalogue(
            for: arguments,
            environment: environment,
            sharedLabels: labels(ofWorldAt:),
            remark: remark
        )
    } catch {
        fail(error, command: arguments.command)
    }
}

/// Prints an error, for programs as a record on standard output as well, and ends the process. A failure to print is
/// ignored, because the exit status matters more.
///
/// - Parameter text: The text for standard error, if it is not the usual one.
func fail(_ error: BlectlError, text: String? = nil, command: CommandName? = nil) -> Never {
    try? StandardDescriptors.write(text ?? error.text, to: 2)
    // Here it does not matter that octets are replaced.
    let arguments = commandLine().dropFirst().map { String(decoding: $0, as: UTF8.self) }
    let record = EarlyFailure.line(for: error, arguments: arguments, command: command, of: CommandSet.all.table) {
        isVirtual in
        if isVirtual { VirtualTime() } else { SystemTimeSource.linux }
    }
    if let record { try? StandardDescriptors.write(String(decoding: record, as: UTF8.self), to: 1) }
    exit(error.status.rawValue)
}

/// A file of the repository, of which the present folder is the root. A source that cannot be used ends the process.
private func generated(_ file: GeneratedFile) -> String {
    do throws(BlectlError) {
        return try file.contents { path throws(BlectlError) in
            String(decoding: try StandardStreams.read(path, limit: 1 << 20), as: UTF8.self)
        }
    } catch {
        fail(error)
    }
}

/// Reports a mistake in the command line, and ends the process.
///
/// - Parameter names: The names of devices that the error may list.
func fail(_ error: UsageError, names: [String] = []) -> Never {
    let words = commandLine().dropFirst().map { String(decoding: $0, as: UTF8.self) }
    fail(
        error.shown(onLine: words, of: CommandSet.all.table, names: names),
        text: error.text(onLine: words, of: CommandSet.all.table, names: names),
        command: error.command
    )
}

/// Ends the process if it could not open a few descriptors more. Swift's runtime needs up to five for its timers and
/// events, and traps if it gets none.
private func checkDescriptors() {
    guard !StandardDescriptors.canOpen(8) else { return }
    fail(BlectlError(.ioError, "the limit of open files is too low", hint: "ulimit -n 64"))
}

// Before anything is opened: with standard error closed, a socket would get its number, and messages would go there.
StandardDescriptors.occupyClosed()
// A closed pipe and a file size limit become errors of write(2), so that the program can clean up before it ends.
signal(SIGPIPE, SIG_IGN)
signal(SIGXFSZ, SIG_IGN)
// Help, versions, completions and usage errors end here, before any thread, socket or task exists, so that they are
// fast.
do throws(UsageError) {
    let words = try typedArguments()
    let invocation = try Invocation(words, of: .all, environment: environment)
    try checkEnvironment()
    var text = invocation.immediateText(width: StandardDescriptors.textWidth(environment))
    switch invocation {
    case .offer(let request): text = offers(request)
    case .generatedFile(let file): text = generated(file)
    default: break
    }
    if let text {
        do throws(OutputFailure) {
            try StandardDescriptors.write(text, to: 1)
        } catch {
            if case .failed(let why) = error { fail(BlectlError(.ioError, cannot: "write to standard output", why)) }
        }
        exit(ExitStatus.success.rawValue)
    }
    if case .run(let arguments) = invocation {
        let folder = SessionFolder(environment: environment)
        var remark: String?
        let formats = formats(for: arguments) { remark = $0 }
        let request = try CommandRequest(arguments, of: .all, formats: formats) { folder.hasSessions }
        if let remark { StandardStreams.remark(remark, request.global.streams) }
        checkDescriptors()
        runCommand(request, folder)
    }
} catch {
    fail(error)
}
