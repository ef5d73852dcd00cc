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
complete -c brisk -n "__fish_brisk_needs_command" -f -a "ls" -d 'Lists directories, with every option of GNU ls.'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "rm" -d 'Removes files, and with -r directory trees: in parallel, and safe from other users who change them meanwhile.'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "bench" -d 'Measure what is fastest here: brisk, other programs, or commands of your own'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "completions" -d 'Print completions for a shell'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "man" -d 'Write the man pages into a directory'
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
complete -c brisk -n "__fish_brisk_using_subcommand find" -l stats -d 'Say what the search did' -r -f -a "text\t'for the reader'
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
complete -c brisk -n "__fish_brisk_using_subcommand find" -l delete -d 'Remove the results'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s V -l version -d 'Print version'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s I -l ignore -d 'Leave out names that match the shell pattern' -r
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l hide -d 'Leave out names that match the shell pattern, unless -a or -A is given' -r
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l format -d 'The same, by words: across commas long single-column vertical' -r -f -a "verbose\t''
commas\t''
horizontal\t''
vertical\t''
single-column\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s w -l width -d 'How wide a line may be; 0 for no limit' -r
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s T -l tabsize -d 'How far tab stops are apart; 0 for no tabs' -r
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l sort -d 'By extension, none, size, time, version or width instead of the name' -r -f -a "none\t''
time\t''
size\t''
extension\t''
version\t''
width\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l block-size -d 'With -l and -s, sizes in this unit: K, MB, 1000 …' -r
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l time -d 'Another time than that of the last modification: atime, ctime or birth' -r -f -a "atime\t''
ctime\t''
birth\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l time-style -d 'Times as full-iso, long-iso, iso, locale, or +FORMAT' -r
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s F -l classify -d 'Mark names: / directory, * executable, @ link, | pipe, = socket' -r -f -a "always\t''
never\t''
auto\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l indicator-style -d 'The same, by words: none slash file-type classify' -r -f -a "none\t''
slash\t''
file-type\t''
classify\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l color -d 'Paint names as LS_COLORS says: always, auto or never' -r -f -a "always\t''
never\t''
auto\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l hyperlink -d 'Link names to their files, on terminals that can: always, auto or never' -r -f -a "always\t''
never\t''
auto\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l quoting-style -d 'How names are quoted: literal, shell, shell-always, shell-escape, shell-escape-always, c, c-maybe, escape, locale, clocale' -r -f -a "literal\t''
shell\t''
shell-always\t''
shell-escape\t''
shell-escape-always\t''
c\t''
c-maybe\t''
escape\t''
locale\t''
clocale\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l level -d 'With --tree, -R or --json: no deeper than this' -r
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l stats -d 'Print what the run really did: text or json' -r -f -a "text\t''
json\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l threads -d 'Exactly this many workers (default: as many as pay)' -r
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s a -l all -d 'List names that begin with a dot, . and .. too'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s A -l almost-all -d 'As -a, without . and .. themselves'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s B -l ignore-backups -d 'Leave out names that end in ~'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s d -l directory -d 'List directories themselves, not their contents'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s R -l recursive -d 'List subdirectories too, one after the other'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s L -l dereference -d 'Show what links lead to instead of the links'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s H -l dereference-command-line -d 'Follow links that are given as paths'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l dereference-command-line-symlink-to-dir -d 'Follow links that are given as paths and lead to directories'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s C -d 'In columns, sorted down (default on a terminal)'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s x -d 'In columns, sorted across'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s m -d 'One after the other, with commas'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s 1 -d 'One on each line (default where the output is no terminal)'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s l -d 'One on each line with mode, links, owner, group, size and time'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l zero -d 'End lines with a null byte; implies -1 -N --color=never --show-control-chars'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s S -d 'Largest first'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s t -d 'Newest first, by the time that --time says'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s X -d 'By extension'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s v -d 'By name, with numbers compared by value'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s U -d 'As the directory lists them'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s f -d 'The same with -a; takes back -l, -s, --color and --hyperlink'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s r -l reverse -d 'In reverse order'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l group-directories-first -d 'Directories, and links to them, before all else'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s g -d 'As -l, without the owner'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s o -d 'As -l, without the group'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s G -l no-group -d 'With -l, without the group'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l author -d 'With -l, the author (here: the owner) too'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s n -l numeric-uid-gid -d 'As -l, with numbers for owner and group'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s i -l inode -d 'Each file\'s inode number'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s s -l size -d 'The blocks that each file takes'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s h -l human-readable -d 'With -l and -s, sizes like 1K 234M 2G'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l si -d 'The same in powers of 1000'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s k -l kibibytes -d 'Blocks of 1024 bytes, with -s and in totals'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s Z -l context -d 'Each file\'s security context'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s c -d 'The time of the last change of metadata; sorted by it unless -l is given'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s u -d 'The time of the last access; sorted by it unless -l is given'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l full-time -d 'As -l --time-style=full-iso'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l file-type -d 'The same without *'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s p -d 'Mark directories with /'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s N -l literal -d 'Names as they are'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s b -l escape -d 'C escapes for characters that cannot be shown'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s Q -l quote-name -d 'Names in double quotes'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s q -l hide-control-chars -d '? for characters that cannot be shown (default on a terminal)'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l show-control-chars -d 'Control characters as they are'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s D -l dired -d 'Refused: positions for Emacs are not written'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l tree -d 'The whole tree, with lines from each directory to its entries'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l json -d 'Each entry as a JSON object on a line of its own'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l icons -d 'A symbol in front of each name, by name and type alone'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l explain -d 'Print what this listing asks of the file system, and why'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l cached -d 'Accept metadata that the client of a network file system has cached, which may be old'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l no-config -d 'Read no configuration'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l help -d 'Show this and exit'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l version -d 'Show the version and exit'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l interactive -d 'Ask never, once (-I) or always (-i)' -r -f -a "never\t''
once\t''
always\t''"
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l preserve-root -d 'Do not remove \'/\' (the default); with \'all\', no mount point either' -r
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l older-than -d 'Remove only what was not modified for this long' -r
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l files0-from -d 'Remove the files that FILE lists, each name ended by NUL' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l progress -d 'Show the progress: auto, always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l threads -d 'Use exactly this many workers' -r
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s f -l force -d 'Ignore what does not exist, never ask'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s i -d 'Ask before every removal'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s I -d 'Ask once, before removing much'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s r -s R -l recursive -d 'Remove directories with everything below them'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s d -l dir -d 'Remove empty directories'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s v -l verbose -d 'Print what is removed'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l one-file-system -d 'Do not enter other file systems (the default)'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l cross-mounts -d 'Also empty what is mounted below'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l no-preserve-root -d 'Treat \'/\' like any other'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l keep-root -d 'Empty directories instead of removing them'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l dry-run -d 'Remove nothing; print what would be removed'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l background -d 'Return at once, remove afterwards'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l finish -d 'Remove the trees that --background left'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l list -d 'With --finish: show what is left, and since when'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l stats -d 'Print at the end what was done'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l json -d 'Print the same as JSON, to standard output'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s h -l help -d 'Show this, or with --help all of it'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l version -d 'Show the version'
complete -c brisk -n "__fish_brisk_using_subcommand bench" -l runs -d 'How often each of them runs after a first run [default: 9]' -r
complete -c brisk -n "__fish_brisk_using_subcommand bench" -l json -d 'Write every figure to FILE' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand bench" -l html -d 'Write the report to FILE, one page with bar charts' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand bench" -l scratch -d 'Where rm makes its copies, on DIR\'s file system [default: beside DIR]' -r -f -a "(__fish_complete_directories)"
complete -c brisk -n "__fish_brisk_using_subcommand bench" -l keep-caches -d 'Do not drop the system\'s caches before first runs (only root can)'
complete -c brisk -n "__fish_brisk_using_subcommand bench" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c brisk -n "__fish_brisk_using_subcommand bench" -s V -l version -d 'Print version'
complete -c brisk -n "__fish_brisk_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c brisk -n "__fish_brisk_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm bench completions man help" -f -a "find" -d 'Lists a file tree: all of it, or the entries that a pattern and filters keep.'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm bench completions man help" -f -a "ls" -d 'Lists directories, with every option of GNU ls.'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm bench completions man help" -f -a "rm" -d 'Removes files, and with -r directory trees: in parallel, and safe from other users who change them meanwhile.'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm bench completions man help" -f -a "bench" -d 'Measure what is fastest here: brisk, other programs, or commands of your own'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm bench completions man help" -f -a "completions" -d 'Print completions for a shell'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm bench completions man help" -f -a "man" -d 'Write the man pages into a directory'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm bench completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
