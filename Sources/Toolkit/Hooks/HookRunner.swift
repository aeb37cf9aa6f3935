// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothDevices
import BluetoothHost
import BluetoothProfiles
import Synchronization

/// Answers the questions of a served device by running the programs of `--exec`, a few at a time.
///
/// The programs for one client and one value run one after the other, in the order of the calls of `answer`, so that
/// the pieces of a stream stay in order.
package final class HookRunner: Sendable {
    /// The maximum number of programs that run at once. Further questions wait for one of them.
    private static let most = 4
    /// The maximum number of questions that wait; more are refused.
    private static let mostWaiting = 64
    /// The maximum number of octets that a program may write as a text. A value of 512 octets is longer in hex digits
    /// or in words.
    private static let textLimit = 4_096

    /// The programs, and the form of their output.
    private let options: HookOptions
    private let runner: ExecRunner
    /// A lock for each program that may run, with the number of questions that have it or wait for it.
    private let lanes = (0..<most).map { _ in AsyncLock() }
    /// The lane and the number of questions, running and waiting, of each place that has some.
    private let places = Mutex<[Place: (lane: Int, count: Int)]>([:])

    /// The value that a client asks for.
    private struct Place: Hashable {
        let client: GATTServer.ClientID
        let handle: Handle
    }

    package init(_ options: HookOptions, _ runner: ExecRunner) {
        self.options = options
        self.runner = runner
    }

    /// The answer to a question of the device. If the task is cancelled, the program is killed.
    package func answer(_ question: HookQuestion, from central: DeviceAddress?) async -> HookAnswer {
        guard let hook = options.hooks.last(where: { $0.isFor(question) }) else { return .refused(.unlikelyError) }
        let place = Place(client: question.client, handle: question.handle)
        // Nothing before the lock suspends this function, so that the questions are queued in the order of the calls.
        guard let lane = enter(place) else {
            let waiting = "\(Self.mostWaiting) others wait for their programs"
            runner.note("a \(question.verb) of \(hook.text) was refused: \(waiting)")
            return .refused(.insufficientResources)
        }
        defer { leave(place) }
        let answer = try? await lanes[lane].withLock { await run(hook, question, central) }
        return answer ?? .refused(.unlikelyError)
    }

    /// Counts a question, and returns its lane: that of the questions about the same place, or the emptiest one; `nil`
    /// if too many wait.
    private func enter(_ place: Place) -> Int? {
        places.withLock { places in
            var loads = [Int](repeating: 0, count: Self.most)
            for (lane, count) in places.values { loads[lane] += count }
            guard loads.reduce(0, +) < Self.mostWaiting,
                let lane = places[place]?.lane ?? loads.indices.min(by: { loads[$0] < loads[$1] })
            else { return nil }
            places[place, default: (lane, 0)].count += 1
            return lane
        }
    }

    /// A question was answered.
    private func leave(_ place: Place) {
        places.withLock { places in
            places[place]?.count -= 1
            if places[place]?.count == 0 { places[place] = nil }
        }
    }

    /// Runs the program for a question, and turns its end into an answer. Only a read uses its output.
    private func run(_ hook: Hook, _ question: HookQuestion, _ central: DeviceAddress?) async -> HookAnswer {
        let subject = "'\(hook.words[0])' for a \(question.verb) of \(hook.text)"
        let ending = await runner.run(
            hook.words,
            for: subject,
            variables: question.variables(central),
            input: question.written ?? [],
            outputLimit: options.isRaw ? GATTLimits.maximumValueLength : Self.textLimit,
            tooMuch: "it wrote more than a value can have"
        )
        guard let (status, output) = ending else { return .refused(.unlikelyError) }
        if status == 0 { return question.written == nil ? value(output, of: question.uuid, subject) : .accepted([]) }
        let code = Hook.error(ofStatus: status)
        // Any other code is the answer that the program chose, and not a failure of it.
        if code == .unlikelyError { runner.note("\(subject) ended with status \(status)") }
        return .refused(code)
    }

    /// The value in a program's output: the text as `write` takes it, or the octets themselves. What is no value is
    /// refused, with a message to the user.
    private func value(_ output: [UInt8], of uuid: BluetoothUUID, _ subject: String) -> HookAnswer {
        guard !options.isRaw else { return .accepted(output) }
        let text = String(decoding: output, as: UTF8.self)
        do throws(TypedValue.Problem) {
            let value = try TypedValue.octets(
                [String(text.trimmed)],
                in: options.formats.format(of: uuid),
                of: "\(uuid)"
            )
            guard value.count <= GATTLimits.maximumValueLength else {
                runner.note("\(subject) wrote a value of \(value.count) octets")
                return .refused(.unlikelyError)
            }
            return .accepted(value)
        } catch {
            runner.note("\(subject) wrote no value: \(error.message)\(error.hint.map { "; \($0)" } ?? "")")
            return .refused(.unlikelyError)
        }
    }
}

extension HookQuestion {
    fileprivate var verb: String { written == nil ? "read" : "write" }

    /// The environment of the program: the variables that describe the request.
    fileprivate func variables(_ central: DeviceAddress?) -> [String: String?] {
        [
            "BLECTL_OPERATION": verb, "BLECTL_HANDLE": "0x\(Hex.string(handle.rawValue, minimumDigits: 4))",
            "BLECTL_UUID": "\(uuid)", "BLECTL_CONNECTION": "\(client.rawValue)",
            "BLECTL_SERVICE": service.map { "\($0)" }, "BLECTL_VALUE": written.map { Hex.string($0) },
            "BLECTL_CENTRAL": central.map { "\($0.address)" },
        ]
    }
}

extension String {
    /// Without blanks and line breaks at both ends.
    package var trimmed: Substring {
        let head = drop(while: \.isWhitespace)
        return head.lastIndex { !$0.isWhitespace }.map { head[...$0] } ?? ""
    }
}
