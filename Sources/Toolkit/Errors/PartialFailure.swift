// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface

/// Some targets of an operation failed, and its results have reported each. The status is that of the first.
package struct PartialFailure: Error, Equatable {
    package let status: ExitStatus

    package init(status: ExitStatus) {
        self.status = status
    }
}
