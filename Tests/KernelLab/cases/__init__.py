# SPDX-License-Identifier: GPL-2.0-or-later
"""What the program promises, one file per area, one function per promise."""
