// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

@testable import Records

/// The record of a result as a tree.
func record<Result: CommandResult>(_ result: Result) -> JSONValue { result.recordKind.tree(of: result) }
