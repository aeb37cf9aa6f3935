# SPDX-License-Identifier: GPL-2.0-or-later
#
# The completion of fish. blectl itself says what can stand at the cursor.

function __blectl_complete
    set -l program (string replace -r '^~' "$HOME" -- (commandline -opc)[1])
    # The answer: what stays of the word, what is typed after it, a pattern of files, and what is expected; then words,
    # each with its meaning after a tab.
    set -l lines ($program help --complete=(commandline -cp | string collect) 2>/dev/null)
    # fish would look for the letters of an option anywhere in others.
    if test "$lines[4]" = option
        set lines $lines[1..4] (string match -- "$lines[2]*" $lines[5..-1])
    end
    if test (count $lines) -gt 4
        printf '%s\n' $lines[1]$lines[5..-1]
    end
    if test -n "$lines[3]"
        for file in (__fish_complete_path $lines[2])
            set -l path (string split -m 1 \t -- $file)[1]
            if string match -q -- '*/' $path; or string match -q -- $lines[3] $path
                printf '%s\n' $lines[1]$file
            end
        end
    end
end

complete -c blectl -f -a '(__blectl_complete)'
