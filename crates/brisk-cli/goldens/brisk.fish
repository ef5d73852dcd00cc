# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_brisk_global_optspecs
    string join \n h/help V/version
end

function __fish_brisk_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_brisk_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_brisk_using_subcommand
    set -l cmd (__fish_brisk_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c brisk -n "__fish_brisk_needs_command" -s h -l help -d 'Print help'
complete -c brisk -n "__fish_brisk_needs_command" -s V -l version -d 'Print version'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "find" -d 'Lists a file tree: all of it, or the entries that a pattern and filters keep.'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l and -d 'A further pattern that must match too' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s E -l exclude -d 'Leave out entries that match the glob' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l exclude-regex -d 'Leave out entries whose path matches the regular expression' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l ignore-file -d 'Heed this file too, in .gitignore format' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand find" -l ignore-contain -d 'Leave out directories that contain the named entry' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s d -l max-depth -d 'Do not go deeper than this (default: no limit)' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l min-depth -d 'List only entries at this depth or deeper' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l exact-depth -d 'List only entries at exactly this depth' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l order -d 'In which order to list' -r -f -a "none\t'as found: the fastest'
depth\t'each directory before the next one'
breadth\t'strictly level by level'
sorted\t'by name within each directory'"
complete -c brisk -n "__fish_brisk_using_subcommand find" -s j -l threads -d 'How many workers (default: as many as pay)' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s C -l base-directory -d 'Work in this directory' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand find" -l search-path -d 'Where to look, instead of the <path> arguments' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand find" -s t -l type -d 'Only this type: file (f), directory (d, dir), symlink (l), executable (x), empty (e), socket (s), pipe (p), char-device (c), block-device (b)' -r -f -a "file\t''
directory\t''
symlink\t''
socket\t''
pipe\t''
block-device\t''
char-device\t''
executable\t''
empty\t''"
complete -c brisk -n "__fish_brisk_using_subcommand find" -s e -l extension -d 'Only names with this extension' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s S -l size -d 'Only files of this size' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l changed-within -d 'Only what was modified since then' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l changed-before -d 'Only what was modified before then' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l ctime-within -d 'Only what had its metadata changed since then' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l ctime-before -d 'Only what had its metadata changed before then' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l created-within -d 'Only what was created since then' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l created-before -d 'Only what was created before then' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s o -l owner -d 'Only what this user or group owns' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l format -d 'Print results in this form' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s c -l color -d 'When to use colours' -r -f -a "auto\t'if standard output is a terminal'
always\t'in any case'
never\t'in no case'"
complete -c brisk -n "__fish_brisk_using_subcommand find" -l hyperlink -d 'Make paths links to their files' -r -f -a "auto\t'if colours are on'
always\t'in any case'
never\t'in no case (default)'"
complete -c brisk -n "__fish_brisk_using_subcommand find" -l path-separator -d 'Show this instead of \'/\' in paths' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l strip-cwd-prefix -d 'When to leave \'./\' out' -r -f -a "auto\t'unless -0, -x or -X is given (default)'
always\t'strip \'./\''
never\t'keep \'./\''"
complete -c brisk -n "__fish_brisk_using_subcommand find" -l max-results -d 'Stop after this many results' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l max-errors -d 'Give up after this many errors' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l max-buffer-time -d 'How long to hold results back to print them sorted' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l stats -d 'Say what the search did' -r -f -a "text\t'for people'
json\t'for machines'"
complete -c brisk -n "__fish_brisk_using_subcommand find" -l gen-completions -d 'Print completions for a shell' -r -f -a "bash\t''
elvish\t''
fish\t''
powershell\t''
zsh\t''
\t'the shell that SHELL names'"
complete -c brisk -n "__fish_brisk_using_subcommand find" -s x -l exec -d 'Run a command for each result' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s X -l exec-batch -d 'Run a command once with all results' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l batch-size -d 'The most arguments for a command of -X' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s s -l case-sensitive -d 'Case counts (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s i -l ignore-case -d 'Case does not count (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s g -l glob -d 'The pattern is a glob (default: a regular expression)'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l regex -d 'The pattern is a regular expression (default)'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s F -l fixed-strings -d 'The pattern is literal text'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l exact -d 'The pattern is the whole name, literally'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s p -l full-path -d 'Match the absolute path (default: the name only)'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s H -l hidden -d 'List hidden files and directories too'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l no-hidden
complete -c brisk -n "__fish_brisk_using_subcommand find" -s I -l no-ignore -d 'Do not heed .gitignore, .ignore and .fdignore'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l ignore
complete -c brisk -n "__fish_brisk_using_subcommand find" -l no-ignore-vcs -d 'Do not heed .gitignore'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l ignore-vcs
complete -c brisk -n "__fish_brisk_using_subcommand find" -l no-require-git -d 'Heed .gitignore outside of git repositories too'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l require-git
complete -c brisk -n "__fish_brisk_using_subcommand find" -l no-ignore-parent -d 'Do not heed ignore files in parent directories'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l ignore-parent
complete -c brisk -n "__fish_brisk_using_subcommand find" -l no-global-ignore-file -d 'Do not heed the global ignore file'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s u -l unrestricted -d 'List everything: the same as --no-ignore --hidden'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s L -l follow -d 'Follow symbolic links'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l no-follow
complete -c brisk -n "__fish_brisk_using_subcommand find" -l one-file-system -d 'Stay on the file system of the search path'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l unique -d 'List each file and directory once, whatever leads to it'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l cached -d 'Accept metadata that a network file system has cached'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l prune -d 'Do not enter directories that match'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s a -l absolute-path -d 'Show absolute paths'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l relative-path
complete -c brisk -n "__fish_brisk_using_subcommand find" -s l -l list-details -d 'List with details, as \'ls -l\' does'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l json -d 'Print one JSON object a line'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s 0 -l print0 -d 'End each result with a null byte'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s 1 -d 'Stop after one result'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s q -l quiet -d 'Print nothing; exit 0 if something matches, else 1'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l show-errors -d 'Report what could not be read'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l no-show-errors
complete -c brisk -n "__fish_brisk_using_subcommand find" -l explain -d 'Say what will be asked of the file system, and why'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l no-config -d 'Read no configuration'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s V -l version -d 'Print version'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find help" -f -a "find" -d 'Lists a file tree: all of it, or the entries that a pattern and filters keep.'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
