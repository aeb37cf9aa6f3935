// SPDX-License-Identifier: GPL-2.0-or-later

/// Some targets of an operation failed, and its results have reported each. The status is that of the first.
struct PartialFailure: Error, Equatable {
    let status: ExitStatus
}
