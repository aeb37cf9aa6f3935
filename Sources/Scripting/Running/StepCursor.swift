// SPDX-License-Identifier: GPL-2.0-or-later

/// Goes through steps in the order in which they run. Repeated steps are not copied, so that their number costs
/// nothing.
package struct StepCursor: Sendable, Equatable {
    struct Round: Sendable, Equatable {
        /// The variable that has its number; `nil` for none.
        package var variable: String?
        package var number: Int
        /// The values of the variable, one for each round; empty for the number.
        var values: [ScriptWord] = []
        package var count: Int
    }

    /// A step, and the rounds in which it runs, the outermost first.
    package struct Position: Sendable, Equatable {
        package var step: ScriptStep
        var rounds: [Round]
    }

    private struct Frame: Sendable, Equatable {
        var steps: [ScriptStep]
        var index = 0
        var round: Round
    }

    private var frames: [Frame]

    init(_ steps: [ScriptStep]) {
        frames = [Frame(steps: steps, round: Round(number: 1, count: 1))]
    }

    /// The next step that is not a repetition itself; `nil` at the end.
    package mutating func next() -> Position? {
        while let depth = frames.indices.last {
            guard frames[depth].index < frames[depth].steps.count else {
                if frames[depth].round.number < frames[depth].round.count {
                    frames[depth].round.number += 1
                    frames[depth].index = 0
                } else {
                    frames.removeLast()
                }
                continue
            }
            let step = frames[depth].steps[frames[depth].index]
            frames[depth].index += 1
            guard case .repeat(let count, let variable, let steps) = step.action else {
                // The first frame is the list of steps itself, and not a repetition.
                return Position(step: step, rounds: frames.dropFirst().map(\.round))
            }
            if count > 0, !steps.isEmpty {
                let round = Round(variable: variable, number: 1, values: step.values, count: count)
                frames.append(Frame(steps: steps, round: round))
            }
        }
        return nil
    }
}
