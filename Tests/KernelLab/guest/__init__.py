# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's side of the lab: runs the cases as root of a virtual machine with a real Bluetooth stack."""
