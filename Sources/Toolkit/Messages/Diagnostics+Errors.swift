// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal

extension Diagnostics {
    /// An error: the action, its object, the cause, and the next step.
    package func error(_ error: BlectlError) {
        let error = redacted(error)
        self.error(error.message, details: error.details, hint: error.hint)
    }

    /// The error as it may be shown: if messages are redacted, without names and details. Its record shows no more
    /// than its message.
    package func redacted(_ error: BlectlError) -> BlectlError {
        guard isRedacted else { return error }
        conceal(error.subject.device?.name)
        return error.redacted { redaction.concealing($0) }
    }
}
