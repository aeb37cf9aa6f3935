// SPDX-License-Identifier: GPL-2.0-or-later

/// Gets the events of a script while it runs. It cannot fail: a run has effects besides what is told of it, and goes on
/// to its cleanup when nobody listens any more.
package protocol RunObserver: Sendable {
    /// A script begins, with that many tests.
    func began(_ script: Script) async

    func began(_ step: ScriptStep, in section: ScriptProgress.Section, of script: Script) async

    func ended(_ step: StepReport, of test: String?) async

    /// A test has ended, or is skipped. `number` is its number in the whole run, from 1.
    func ended(_ test: TestReport, number: Int, of script: Script) async
}
