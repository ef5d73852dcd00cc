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
complete -c brisk -n "__fish_brisk_needs_command" -f -a "find" -d 'List a file tree: all of it, or the entries that match a pattern and filters.'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "ls" -d 'List directories, with every option of GNU ls.'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "rm" -d 'Remove files, and with -r directory trees, in parallel and safely.'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "cp" -d 'Copy files, and with -R directory trees, in parallel and safely.'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "du" -d 'Show what takes up the space: GNU du\'s options, and a tree with bars.'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "chmod" -d 'Change the modes of files'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "chown" -d 'Change the owners and groups of files'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "chgrp" -d 'Change the groups of files'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "changed" -d 'Show what changed in directories since the last run: A added, D deleted, M modified.'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "scan" -d 'Write a table of a file tree: a row for each entry, as Parquet, Arrow, CSV or JSON.'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "diff" -d 'Show what differs between two states, tables or directories: A added, D deleted, M contents modified, m metadata only.'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "bench" -d 'Compare programs\' speed, count a program\'s system calls, or time the storage'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "completions" -d 'Print completions for a shell'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "man" -d 'Write the man pages into a directory'
complete -c brisk -n "__fish_brisk_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l match -d 'Only names that match this pattern (--full-path: absolute paths)' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l and -d 'Require this pattern, in the same syntax, to match too' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s E -l exclude -d 'Leave out entries that match this glob' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l exclude-regex -d 'Leave out entries whose path matches this regular expression' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l ignore-file -d 'Obey this file too, in the format of .gitignore; every other rule overrides it' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand find" -l ignore-contain -d 'Leave out directories that contain an entry of this name' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s d -l max-depth -d 'Go at most this many levels deep (default: no limit)' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l min-depth -d 'List only entries at this depth or deeper' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l exact-depth -d 'List only entries at exactly this depth' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l order -d 'The order of the results' -r -f -a "none\t'as entries are found, which is fastest'
depth\t'each directory in full before the next one'
breadth\t'strictly level by level'
sorted\t'by name within each directory'"
complete -c brisk -n "__fish_brisk_using_subcommand find" -l index -d 'Keep names and types in this file, and read only what has changed' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand find" -s j -l threads -d 'Use exactly this many workers (default: as many as pay off)' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s C -l base-directory -d 'Work in this directory: relative paths begin there' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand find" -l search-path -d 'Where to look, instead of [path] arguments' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand find" -s t -l type -d 'Only f files, d directories, l links, x executables, e empty' -r -f -a "file\t''
directory\t''
symlink\t''
block-device\t''
char-device\t''
executable\t''
empty\t''
socket\t''
pipe\t''"
complete -c brisk -n "__fish_brisk_using_subcommand find" -l older-than -d 'Only files, not directories, that were last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s e -l extension -d 'Only names with this extension' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s S -l size -d 'Only this size: +10M at least, -4k at most (k 1000, ki 1024)' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l changed-within -d 'Modified since 2weeks ago or today; --changed-before: earlier' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l changed-before -d 'Only what was last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l ctime-within -d 'Only what changed after this time (ctime): contents, mode, owner, name or number of links' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l ctime-before -d 'Only what last changed before this time (ctime)' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l created-within -d 'Only what was created after this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l created-before -d 'Only what was created before this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s o -l owner -d 'Only what belongs to this user or group: root, :staff, \'!root\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l where -d 'Only what find(1)\'s tests choose: \'-links +1 -o -perm /u+s\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l format -d 'Print each result in this form: \'{size} {}\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s c -l color -d 'When to use colours' -r -f -a "auto\t'if standard output is a terminal'
always\t'always'
never\t'never'"
complete -c brisk -n "__fish_brisk_using_subcommand find" -l hyperlink -d 'Turn paths into links to their files' -r -f -a "auto\t'if colours are on'
always\t'always'
never\t'never (the default)'"
complete -c brisk -n "__fish_brisk_using_subcommand find" -l path-separator -d 'Show this instead of \'/\' between the components of paths' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l strip-cwd-prefix -d 'When to leave out \'./\'' -r -f -a "auto\t'unless -0, -x or -X is given (the default)'
always\t'always'
never\t'never'"
complete -c brisk -n "__fish_brisk_using_subcommand find" -l max-results -d 'Stop after this many results; with --sort, print only the first of them in that order (0: no limit)' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l sort -d 'Sort by size (largest first), time (newest), name, …, or size,reverse' -r -f -a "path\t''
path\,reverse\t''
name\t''
name\,reverse\t''
extension\t''
extension\,reverse\t''
size\t''
size\,reverse\t''
time\t''
time\,reverse\t''"
complete -c brisk -n "__fish_brisk_using_subcommand find" -l parts -d 'Write the results into this many lists of about equal size' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l part-size -d 'Write the results into lists of at most this many bytes: 100G' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l part-files -d 'Write the results into lists of at most this many results: 1M' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l part-name -d 'The prefix of the lists\' names (default: part, for part.1, part.2)' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand find" -l max-errors -d 'Give up after this many errors (default: no limit)' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l max-buffer-time -d 'How long to hold results back to print them sorted' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l stats -d 'Print to standard error what the run did' -r -f -a "text\t'for people'
json\t'for programs'"
complete -c brisk -n "__fish_brisk_using_subcommand find" -l progress -d 'Show the progress: auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c brisk -n "__fish_brisk_using_subcommand find" -l gen-completions -d 'Print completions for a shell' -r -f -a "bash\t''
elvish\t''
fish\t''
nushell\t''
powershell\t''
zsh\t''
\t'the shell that SHELL names'"
complete -c brisk -n "__fish_brisk_using_subcommand find" -s x -l exec -d 'Run a command for each result; -X: once with all' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s X -l exec-batch -d 'Run a command once with all results' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -l batch-size -d 'Pass at most this many results to each command of -X (0: as many as fit)' -r
complete -c brisk -n "__fish_brisk_using_subcommand find" -s s -l case-sensitive -d 'Distinguish upper and lower case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s i -l ignore-case -d 'Ignore case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s g -l glob -d 'Treat the pattern as a glob (default: a regular expression)'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l regex -d 'Treat the pattern as a regular expression (the default); overrides --glob'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s F -l fixed-strings -d 'Treat the pattern as literal text, anywhere in the name'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l exact -d 'Treat the pattern as the literal whole name; with --full-path, the whole path'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s p -l full-path -d 'Match the absolute path (default: only the name)'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s H -l hidden -d 'Include hidden entries; --no-hidden leaves them out'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l no-hidden
complete -c brisk -n "__fish_brisk_using_subcommand find" -s I -l no-ignore -d 'Include what ignore files exclude; --ignore leaves it out'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l ignore
complete -c brisk -n "__fish_brisk_using_subcommand find" -s u -l unrestricted -d 'Include everything: the same as --hidden --no-ignore'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l no-ignore-vcs -d 'Do not obey .gitignore or git\'s own exclude files'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l ignore-vcs
complete -c brisk -n "__fish_brisk_using_subcommand find" -l no-require-git -d 'Obey .gitignore outside git repositories too'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l require-git
complete -c brisk -n "__fish_brisk_using_subcommand find" -l no-ignore-parent -d 'Do not obey ignore files in directories above the search path'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l ignore-parent
complete -c brisk -n "__fish_brisk_using_subcommand find" -l no-global-ignore-file -d 'Do not obey the global ignore file'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l one-file-system -d 'Stay on the file system of the search path'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l ignored -d 'Look only for what ignore files and --exclude leave out'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s L -l follow -d 'Follow symbolic links'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l no-follow
complete -c brisk -n "__fish_brisk_using_subcommand find" -l unique -d 'List each file and directory only once'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l cached -d 'Accept metadata that a network file system has cached'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l prune -d 'Do not enter directories that match'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s a -l absolute-path -d 'Show absolute paths, with links in the search path resolved'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l relative-path
complete -c brisk -n "__fish_brisk_using_subcommand find" -s l -l list-details -d 'Show details, as \'ls -l\' does'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l json -d 'Print one JSON object per line'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s 0 -l print0 -d 'End each result with a null byte instead of a newline, for \'xargs -0\''
complete -c brisk -n "__fish_brisk_using_subcommand find" -s 1 -d 'Stop after one result: the same as --max-results=1'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s q -l quiet -d 'Print nothing; exit with 0 if something matches, else with 1'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l count -d 'Print only the number of results'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l overwrite -d 'Replace lists of an earlier search'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l show-errors -d 'Report what cannot be read (the default)'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l no-show-errors
complete -c brisk -n "__fish_brisk_using_subcommand find" -l explain -d 'Say what is requested from the file system, and why'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l no-config -d 'Read no configuration'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l delete -d 'Remove the results'
complete -c brisk -n "__fish_brisk_using_subcommand find" -l dry-run -d 'With --delete, list what would be removed, and remove nothing'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s h -l help -d 'Show a summary (-h) or the full help (--help)'
complete -c brisk -n "__fish_brisk_using_subcommand find" -s V -l version -d 'Show the version'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s I -l ignore -d 'Leave out names that match this shell pattern' -r
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l hide -d 'Leave out names that match this shell pattern, unless -a or -A is given' -r
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l layout -d 'Choose the layout by a word: across, commas, long, single-column or vertical' -r -f -a "verbose\t''
commas\t''
horizontal\t''
vertical\t''
single-column\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l format -d 'Choose the layout by a word: across, commas, long, single-column or vertical' -r -f -a "verbose\t''
commas\t''
horizontal\t''
vertical\t''
single-column\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s w -l width -d 'Make lines at most this wide; 0 for no limit' -r
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s T -l tabsize -d 'Assume tab stops at this distance; 0 for no tabs' -r
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l sort -d 'Sort by extension, none, size, time, version or width instead of by name' -r -f -a "none\t''
time\t''
size\t''
extension\t''
version\t''
width\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l block-size -d 'With -l and -s, show sizes in this unit: K, MB, 1000 …' -r
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l time -d 'Show another time than that of the last modification: atime, ctime or birth' -r -f -a "atime\t''
ctime\t''
birth\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l time-style -d 'Show times as full-iso, long-iso, iso, locale, or +FORMAT' -r
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s F -l classify -d 'Mark names by type: / directory, * executable, @ link, | pipe, = socket' -r -f -a "always\t''
never\t''
auto\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l indicator-style -d 'Choose the marks by a word: none, slash, file-type or classify' -r -f -a "none\t''
slash\t''
file-type\t''
classify\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l color -d 'Paint names as LS_COLORS says: always, auto or never' -r -f -a "always\t''
never\t''
auto\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l hyperlink -d 'Turn names into links to their files: always, auto or never' -r -f -a "always\t''
never\t''
auto\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l quoting-style -d 'Quote names in this style: literal, shell, shell-always, shell-escape, shell-escape-always, c, c-maybe, escape, locale, clocale' -r -f -a "literal\t''
shell\t''
shell-always\t''
shell-escape\t''
shell-escape-always\t''
c\t''
c-maybe\t''
escape\t''
locale\t''
clocale\t''"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l max-depth -d 'With --tree or -R, go at most this many levels deep; 0 lists only the paths' -r
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l explain -d 'Say what is requested from the file system, and why' -r -f -a "requests\t'their number'
measure\t'their time as well'"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l stats -d 'Print to standard error what the run did' -r -f -a "text\t'for people'
json\t'for programs'"
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s j -l threads -d 'Use exactly this many workers (default: as many as pay off)' -r
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s a -l all -d 'List names that begin with a dot too, . and .. included'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s A -l almost-all -d 'Like -a, but without . and .. themselves'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s B -l ignore-backups -d 'Leave out names that end in ~'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s d -l directory -d 'List directories themselves, not their contents'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s R -l recursive -d 'List subdirectories too, one after another'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s L -l dereference -d 'Show what links lead to instead of the links'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s H -l dereference-command-line -d 'Follow links that are given as paths'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l dereference-command-line-symlink-to-dir -d 'Follow links that are given as paths and lead to directories'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s C -d 'List in columns, sorted downwards (the default on a terminal)'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s x -d 'List in columns, sorted across'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s m -d 'List one after another, with commas'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s 1 -d 'List one per line (the default except on a terminal)'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s l -d 'List one per line with mode, links, owner, group, size and time'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s D -l dired -d 'After -l, say where names stand in the output, for Emacs'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l zero -d 'End each line with a null byte; implies -1 -N --color=never --show-control-chars'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s S -d 'Sort by size, largest first'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s t -d 'Sort by time, newest first; --time says by which'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s X -d 'Sort by extension'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s v -d 'Sort by name, comparing numbers by value'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s U -d 'Do not sort: list entries as the directory does'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s f -d 'Like -U and -a; undoes -l, -s, --color and --hyperlink'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s r -l reverse -d 'Reverse the order'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l group-directories-first -d 'List directories, and links to them, before everything else'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s g -d 'Like -l, but without the owner'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s o -d 'Like -l, but without the group'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s G -l no-group -d 'With -l, leave out the group'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l author -d 'With -l, show the author (here: the owner) too'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s n -l numeric-uid-gid -d 'Like -l, but with numbers for owner and group'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s i -l inode -d 'Show each file\'s inode number'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s s -l size -d 'Show the blocks that each file takes'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s h -l human-readable -d 'With -l and -s, show sizes like 1K 234M 2G'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l si -d 'Like -h, but in powers of 1000'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s k -l kibibytes -d 'Count blocks of 1024 bytes, with -s and in totals'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s Z -l context -d 'Show each file\'s security context'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s c -d 'Show when metadata last changed; without -l, sort by it'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s u -d 'Show when files were last accessed; without -l, sort by it'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l full-time -d 'Like -l --time-style=full-iso'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l file-type -d 'Like -F, but without *'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s p -d 'Mark only directories, with /'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s N -l literal -d 'Show names as they are'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s b -l escape -d 'Show C escapes for characters that cannot be shown'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s Q -l quote-name -d 'Show names in double quotes'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s q -l hide-control-chars -d 'Show ? for characters that cannot be shown (the default on a terminal)'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l show-control-chars -d 'Show control characters as they are'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l tree -d 'Show the whole tree, with lines from each directory to its entries'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l git-ignore -d 'Leave out what .gitignore, .ignore and .fdignore exclude, as brisk find does'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l json -d 'Print one JSON object per line'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l icons -d 'Show a symbol in front of each name, chosen by name and type'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l cached -d 'Accept metadata that a network file system has cached'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l no-config -d 'Read no configuration'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -l help -d 'Show this and exit'
complete -c brisk -n "__fish_brisk_using_subcommand ls" -s V -l version -d 'Show the version'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l interactive -d 'Ask never, once (like -I) or always (like -i)' -r -f -a "never\t''
once\t''
always\t''"
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l preserve-root -d 'Do not remove \'/\' (the default); with \'all\', no mount point either' -r
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l older-than -d 'Remove only files not modified for this long: 30d, 1y' -r
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l wait -d 'Try what is in use again for this long: 2s, 1min' -r
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l files0-from -d 'Remove the files that FILE lists, each name ended by NUL' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l progress -d 'Show the progress: auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l stats -d 'Print to standard error what the run did' -r -f -a "text\t'for people'
json\t'for programs'"
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s j -l threads -d 'Use exactly this many workers (default: as many as pay off)' -r
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s f -l force -d 'Ignore files that do not exist, and never ask'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s i -d 'Ask before every removal'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s I -d 'Ask once before removing more than three files, or recursively'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s r -s R -l recursive -d 'Remove directories and everything below them'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s d -l dir -d 'Remove empty directories'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s v -l verbose -d 'Print what is removed'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l one-file-system -d 'Do not enter other file systems (the default)'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l no-preserve-root -d 'Treat \'/\' like any other directory'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l cross-mounts -d 'Also empty file systems that are mounted below'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l keep-root -d 'Empty directories instead of removing them'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s n -l dry-run -d 'Remove nothing; print count and size (-v: names too)'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l background -d 'Return at once, and remove in the background'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l finish -d 'Remove the trees that --background left'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l list -d 'With --finish, show what is left, and since when'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l explain -d 'Say what is requested from the file system, and why'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -l json -d 'Print the same as JSON, to standard output'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s h -l help -d 'Show a summary (-h) or the full help (--help)'
complete -c brisk -n "__fish_brisk_using_subcommand rm" -s V -l version -d 'Show the version'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l preserve -d 'Preserve these: mode, ownership, timestamps, links, xattr, context, all' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l no-preserve -d 'Do not preserve these' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l context -d 'Like -Z; with SELinux a CONTEXT is refused, elsewhere it is ignored with a warning' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s u -l update -d 'Overwrite only what is older than its source, or only what differs (changed)' -r -f -a "older\t''
changed\t''"
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l backup -d 'Keep each destination under another name: none, simple, existing or numbered' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s S -l suffix -d 'The suffix of simple backups (default: SIMPLE_BACKUP_SUFFIX, or ~)' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s t -l target-directory -d 'Copy all arguments into DIRECTORY' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l reflink -d 'Share blocks with the source: auto (where it can), always (or fail), never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l sparse -d 'Make holes: never, where the source has them (auto), or for zeros too (always)' -r -f -a "never\t''
auto\t''
always\t''"
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l match -d 'Only names that match this pattern (--full-path: absolute paths)' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l and -d 'Require this pattern, in the same syntax, to match too' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s E -l exclude -d 'Leave out entries that match this glob' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l exclude-regex -d 'Leave out entries whose path matches this regular expression' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l ignore-file -d 'Obey this file too, in the format of .gitignore; every other rule overrides it' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l ignore-contain -d 'Leave out directories that contain an entry of this name' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l type -d 'Only f files, d directories, l links, x executables, e empty' -r -f -a "file\t''
directory\t''
symlink\t''
block-device\t''
char-device\t''
executable\t''
empty\t''
socket\t''
pipe\t''"
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l older-than -d 'Only files, not directories, that were last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l extension -d 'Only names with this extension' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l size -d 'Only this size: +10M at least, -4k at most (k 1000, ki 1024)' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l changed-within -d 'Modified since 2weeks ago or today; --changed-before: earlier' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l changed-before -d 'Only what was last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l ctime-within -d 'Only what changed after this time (ctime): contents, mode, owner, name or number of links' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l ctime-before -d 'Only what last changed before this time (ctime)' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l created-within -d 'Only what was created after this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l created-before -d 'Only what was created before this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l owner -d 'Only what belongs to this user or group: root, :staff, \'!root\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l where -d 'Only what find(1)\'s tests choose: \'-links +1 -o -perm /u+s\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l progress -d 'Show the progress: auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l stats -d 'Print to standard error what the run did' -r -f -a "text\t'for people'
json\t'for programs'"
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s j -l threads -d 'Use exactly this many workers (default: as many as pay off)' -r
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s a -l archive -d 'Copy trees with everything: the same as -dR --preserve=all'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s R -s r -l recursive -d 'Copy whole trees'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s d -d 'The same as --no-dereference --preserve=links'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s H -d 'Follow links that are arguments'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s L -l dereference -d 'Follow all links'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s P -l no-dereference -d 'Copy links as links (the default with -R)'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s l -l link -d 'Make hard links, not copies'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s s -l symbolic-link -d 'Make symbolic links, not copies'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l attributes-only -d 'Copy no contents, only the attributes that are preserved'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l copy-contents -d 'With -R, read from FIFOs and devices, instead of making new ones'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s x -l one-file-system -d 'Copy nothing from other file systems'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s p -d 'The same as --preserve=mode,ownership,timestamps'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s Z -d 'Give copies the security context of new files (the default)'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s f -l force -d 'Replace a destination that cannot be opened for writing'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l remove-destination -d 'Replace each destination instead of writing to it'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s i -l interactive -d 'Ask before overwriting'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s n -l no-clobber -d 'Overwrite nothing'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s b -d 'The same as --backup'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s T -l no-target-directory -d 'The last argument is the copy itself, even if it is a directory'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l parents -d 'Recreate each argument\'s path in the destination: d/f becomes DIRECTORY/d/f'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l strip-trailing-slashes -d 'Remove slashes from the ends of the arguments'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -s v -l verbose -d 'Print what is copied'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l content -d 'With --update=changed, compare contents too'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l delete -d 'With -R, remove from the destination what the source does not have'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l sync -d 'Wait until everything is on the disk'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l dry-run -d 'Copy nothing; print how many files would be copied and, with -v, which'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l case-sensitive -d 'Distinguish upper and lower case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l ignore-case -d 'Ignore case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l glob -d 'Treat the pattern as a glob (default: a regular expression)'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l regex -d 'Treat the pattern as a regular expression (the default); overrides --glob'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l fixed-strings -d 'Treat the pattern as literal text, anywhere in the name'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l exact -d 'Treat the pattern as the literal whole name; with --full-path, the whole path'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l full-path -d 'Match the absolute path (default: only the name)'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l hidden -d 'Include hidden entries; --no-hidden leaves them out'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l no-hidden
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l no-ignore -d 'Include what ignore files exclude; --ignore leaves it out'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l ignore
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l unrestricted -d 'Include everything: the same as --hidden --no-ignore'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l no-ignore-vcs -d 'Do not obey .gitignore or git\'s own exclude files'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l ignore-vcs
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l no-require-git -d 'Obey .gitignore outside git repositories too'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l require-git
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l no-ignore-parent -d 'Do not obey ignore files in directories above the search path'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l ignore-parent
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l no-global-ignore-file -d 'Do not obey the global ignore file'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l explain -d 'Copy nothing; say what would be requested from the file system, and why'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l json -d 'Print what was done as JSON, to standard output (-v: each copied entry too)'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l help -d 'Show this and exit'
complete -c brisk -n "__fish_brisk_using_subcommand cp" -l version -d 'Show the version'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l block-size -d 'Show sizes in units of SIZE: 1K, MB, human-readable' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -s B -d 'The same as --block-size' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -s d -l max-depth -d 'Show nothing deeper than N levels below a path' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l files0-from -d 'Count the paths in FILE, each followed by a null byte; - is standard input' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l threshold -d 'Leave out entries smaller than SIZE; if SIZE is negative, those larger than its absolute value' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -s t -d 'The same as --threshold' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l time -d 'Show the newest time in each directory: mtime (the default), atime or ctime' -r -f -a "atime\t''
ctime\t''"
complete -c brisk -n "__fish_brisk_using_subcommand du" -l time-style -d 'Show times as full-iso, long-iso, iso, or +FORMAT as in date(1)' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -s X -l exclude-from -d 'Leave out what matches a shell pattern in FILE, one pattern per line' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l exclude -d 'Leave out what matches the shell pattern, with everything below it' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l from -d 'With -i: show a count that --json or ncdu -o wrote to FILE' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand du" -l top -d 'Show only the N largest' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l min -d 'Leave out what is smaller than SIZE: 10M is 10 MiB, 10MB 10,000,000 bytes' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l older-than -d 'Show only directories in which nothing was modified for this long' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l by -d 'Add up by owner, extension, age or type instead of by directory' -r -f -a "owner\t''
extension\t''
age\t''
type\t''"
complete -c brisk -n "__fish_brisk_using_subcommand du" -l color -d 'When to colour the sizes and bars of the tree' -r -f -a "auto\t'on a terminal, unless NO_COLOR is set'
always\t'always'
never\t'never'"
complete -c brisk -n "__fish_brisk_using_subcommand du" -l html -d 'Write a page with a zoomable treemap' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand du" -l match -d 'Only names that match this pattern (--full-path: absolute paths)' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l and -d 'Require this pattern, in the same syntax, to match too' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l type -d 'Count only files of this type: f, l, s, p, b, c, x or e, as in brisk find' -r -f -a "file\t''
symlink\t''
block-device\t''
char-device\t''
executable\t''
empty\t''
socket\t''
pipe\t''"
complete -c brisk -n "__fish_brisk_using_subcommand du" -l extension -d 'Only names with this extension' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l size -d 'Only this size: +10M at least, -4K at most (K 1024, KB 1000)' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l changed-within -d 'Modified since 2weeks ago or today; --changed-before: earlier' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l changed-before -d 'Only what was last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l ctime-within -d 'Only what changed after this time (ctime): contents, mode, owner, name or number of links' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l ctime-before -d 'Only what last changed before this time (ctime)' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l created-within -d 'Only what was created after this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l created-before -d 'Only what was created before this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l owner -d 'Only what belongs to this user or group: root, :staff, \'!root\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l where -d 'Only what find(1)\'s tests choose: \'-links +1 -o -perm /u+s\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -l stats -d 'Print to standard error what the run did' -r -f -a "text\t'for people'
json\t'for programs'"
complete -c brisk -n "__fish_brisk_using_subcommand du" -l progress -d 'Show the progress: auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c brisk -n "__fish_brisk_using_subcommand du" -s j -l threads -d 'Use exactly this many workers (default: as many as pay off)' -r
complete -c brisk -n "__fish_brisk_using_subcommand du" -s 0 -l null -d 'End each line with a null byte'
complete -c brisk -n "__fish_brisk_using_subcommand du" -s a -l all -d 'Show files too'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l apparent-size -d 'Count the lengths of files, not the disk space that they take up'
complete -c brisk -n "__fish_brisk_using_subcommand du" -s b -l bytes -d 'The same as --apparent-size --block-size=1'
complete -c brisk -n "__fish_brisk_using_subcommand du" -s c -l total -d 'Show the sum of all paths'
complete -c brisk -n "__fish_brisk_using_subcommand du" -s D -s H -l dereference-args -d 'Follow links that are given as paths'
complete -c brisk -n "__fish_brisk_using_subcommand du" -s h -l human-readable -d 'Show sizes as 1K, 234M, 2G'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l inodes -d 'Count files and directories, not bytes'
complete -c brisk -n "__fish_brisk_using_subcommand du" -s k -d 'The same as --block-size=1K'
complete -c brisk -n "__fish_brisk_using_subcommand du" -s L -l dereference -d 'Follow all links'
complete -c brisk -n "__fish_brisk_using_subcommand du" -s l -l count-links -d 'Count a file once for each of its hard links'
complete -c brisk -n "__fish_brisk_using_subcommand du" -s m -d 'The same as --block-size=1M'
complete -c brisk -n "__fish_brisk_using_subcommand du" -s P -l no-dereference -d 'Follow no links (the default)'
complete -c brisk -n "__fish_brisk_using_subcommand du" -s S -l separate-dirs -d 'Leave subdirectories out of the sums of directories'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l si -d 'The same as -h, in powers of 1000'
complete -c brisk -n "__fish_brisk_using_subcommand du" -s s -l summarize -d 'One line per path'
complete -c brisk -n "__fish_brisk_using_subcommand du" -s x -l one-file-system -d 'Leave out other file systems'
complete -c brisk -n "__fish_brisk_using_subcommand du" -s i -l interactive -d 'Browse the tree on the whole terminal, and remove from it'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l print -d 'With -i: accept a standard output that is not a terminal, for the key o'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l read-only -d 'With -i: remove nothing'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l tree -d 'Show the tree with bars even if the output is not a terminal'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l print0 -d 'Print only the paths, each followed by a null byte'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l json -d 'Print each directory as JSON'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l reflinks -d 'Count extents that files share once (FIEMAP)'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l frees -d 'Show what removing each directory would free'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l no-shortcuts -d 'Read the tree even where the file system knows the sums (CephFS)'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l hidden -d 'Include hidden entries; --no-hidden leaves them out'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l no-hidden
complete -c brisk -n "__fish_brisk_using_subcommand du" -l no-ignore -d 'Include what ignore files exclude; --ignore leaves it out'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l ignore
complete -c brisk -n "__fish_brisk_using_subcommand du" -l unrestricted -d 'Include everything: the same as --hidden --no-ignore'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l no-ignore-vcs -d 'Do not obey .gitignore or git\'s own exclude files'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l ignore-vcs
complete -c brisk -n "__fish_brisk_using_subcommand du" -l no-require-git -d 'Obey .gitignore outside git repositories too'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l require-git
complete -c brisk -n "__fish_brisk_using_subcommand du" -l no-ignore-parent -d 'Do not obey ignore files in directories above the search path'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l ignore-parent
complete -c brisk -n "__fish_brisk_using_subcommand du" -l no-global-ignore-file -d 'Do not obey the global ignore file'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l case-sensitive -d 'Distinguish upper and lower case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l ignore-case -d 'Ignore case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l glob -d 'Treat the pattern as a glob (default: a regular expression)'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l regex -d 'Treat the pattern as a regular expression (the default); overrides --glob'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l fixed-strings -d 'Treat the pattern as literal text, anywhere in the name'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l exact -d 'Treat the pattern as the literal whole name; with --full-path, the whole path'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l full-path -d 'Match the absolute path (default: only the name)'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l explain -d 'Say what is requested from the file system, and why'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l help -d 'Show this and exit'
complete -c brisk -n "__fish_brisk_using_subcommand du" -l version -d 'Show the version'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l reference -d 'Use what RFILE has, instead of the first argument' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l files0-from -d 'Change the files that FILE lists, each name ended by NUL' -r
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l match -d 'Only names that match this pattern (--full-path: absolute paths)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l and -d 'Require this pattern, in the same syntax, to match too' -r
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -s t -l type -d 'Only f files, d directories, l links, x executables, e empty' -r -f -a "file\t''
directory\t''
symlink\t''
block-device\t''
char-device\t''
executable\t''
empty\t''
socket\t''
pipe\t''"
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l older-than -d 'Only files, not directories, that were last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l extension -d 'Only names with this extension' -r
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l size -d 'Only this size: +10M at least, -4k at most (k 1000, ki 1024)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l changed-within -d 'Modified since 2weeks ago or today; --changed-before: earlier' -r
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l changed-before -d 'Only what was last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l ctime-within -d 'Only what changed after this time (ctime): contents, mode, owner, name or number of links' -r
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l ctime-before -d 'Only what last changed before this time (ctime)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l created-within -d 'Only what was created after this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l created-before -d 'Only what was created before this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l owner -d 'Only what belongs to this user or group: root, :staff, \'!root\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l where -d 'Only what find(1)\'s tests choose: \'-links +1 -o -perm /u+s\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l progress -d 'Show the progress: auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l stats -d 'Print to standard error what the run did' -r -f -a "text\t'for people'
json\t'for programs'"
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -s j -l threads -d 'Use exactly this many workers (default: as many as pay off)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -s c -l changes -d 'Print a line for each file that is changed'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -s f -l quiet -d 'Print no messages about single files'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l silent -d 'The same as --quiet'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -s v -l verbose -d 'Print a line for each file'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l preserve-root -d 'Do not work recursively on \'/\' (the default of brisk\'s own commands)'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l no-preserve-root -d 'Treat \'/\' like any other directory'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -s R -l recursive -d 'Change directories and everything below them'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l always -d 'Change even files that are already as requested'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l cross-mounts -d 'With -R, also change file systems that are mounted below'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -s n -l dry-run -d 'Change nothing; print what would be changed'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l case-sensitive -d 'Distinguish upper and lower case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l ignore-case -d 'Ignore case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l glob -d 'Treat the pattern as a glob (default: a regular expression)'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l regex -d 'Treat the pattern as a regular expression (the default); overrides --glob'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l fixed-strings -d 'Treat the pattern as literal text, anywhere in the name'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l exact -d 'Treat the pattern as the literal whole name; with --full-path, the whole path'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l full-path -d 'Match the absolute path (default: only the name)'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l explain -d 'Say what is requested from the file system, and why'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l json -d 'Print what was done as a JSON object, to standard output'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l help -d 'Show this and exit'
complete -c brisk -n "__fish_brisk_using_subcommand chmod" -l version -d 'Show the version'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l reference -d 'Use what RFILE has, instead of the first argument' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l from -d 'Change only files that have this owner and group; either may be omitted' -r
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l files0-from -d 'Change the files that FILE lists, each name ended by NUL' -r
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l match -d 'Only names that match this pattern (--full-path: absolute paths)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l and -d 'Require this pattern, in the same syntax, to match too' -r
complete -c brisk -n "__fish_brisk_using_subcommand chown" -s t -l type -d 'Only f files, d directories, l links, x executables, e empty' -r -f -a "file\t''
directory\t''
symlink\t''
block-device\t''
char-device\t''
executable\t''
empty\t''
socket\t''
pipe\t''"
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l older-than -d 'Only files, not directories, that were last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l extension -d 'Only names with this extension' -r
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l size -d 'Only this size: +10M at least, -4k at most (k 1000, ki 1024)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l changed-within -d 'Modified since 2weeks ago or today; --changed-before: earlier' -r
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l changed-before -d 'Only what was last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l ctime-within -d 'Only what changed after this time (ctime): contents, mode, owner, name or number of links' -r
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l ctime-before -d 'Only what last changed before this time (ctime)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l created-within -d 'Only what was created after this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l created-before -d 'Only what was created before this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l owner -d 'Only what belongs to this user or group: root, :staff, \'!root\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l where -d 'Only what find(1)\'s tests choose: \'-links +1 -o -perm /u+s\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l progress -d 'Show the progress: auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l stats -d 'Print to standard error what the run did' -r -f -a "text\t'for people'
json\t'for programs'"
complete -c brisk -n "__fish_brisk_using_subcommand chown" -s j -l threads -d 'Use exactly this many workers (default: as many as pay off)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chown" -s c -l changes -d 'Print a line for each file that is changed'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -s f -l quiet -d 'Print no messages about single files'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l silent -d 'The same as --quiet'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -s v -l verbose -d 'Print a line for each file'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l preserve-root -d 'Do not work recursively on \'/\' (the default of brisk\'s own commands)'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l no-preserve-root -d 'Treat \'/\' like any other directory'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -s R -l recursive -d 'Change directories and everything below them'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l dereference -d 'Change what links lead to (the default without -R)'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -s h -l no-dereference -d 'Change links themselves'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -s H -d 'With -R, follow links to directories that are arguments'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -s L -d 'With -R, follow all links to directories, on every file system'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -s P -d 'With -R, follow no links (the default)'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l always -d 'Change even files that are already as requested'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l cross-mounts -d 'With -R, also change file systems that are mounted below'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -s n -l dry-run -d 'Change nothing; print what would be changed'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l case-sensitive -d 'Distinguish upper and lower case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l ignore-case -d 'Ignore case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l glob -d 'Treat the pattern as a glob (default: a regular expression)'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l regex -d 'Treat the pattern as a regular expression (the default); overrides --glob'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l fixed-strings -d 'Treat the pattern as literal text, anywhere in the name'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l exact -d 'Treat the pattern as the literal whole name; with --full-path, the whole path'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l full-path -d 'Match the absolute path (default: only the name)'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l explain -d 'Say what is requested from the file system, and why'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l json -d 'Print what was done as a JSON object, to standard output'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l help -d 'Show this and exit'
complete -c brisk -n "__fish_brisk_using_subcommand chown" -l version -d 'Show the version'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l reference -d 'Use what RFILE has, instead of the first argument' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l files0-from -d 'Change the files that FILE lists, each name ended by NUL' -r
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l match -d 'Only names that match this pattern (--full-path: absolute paths)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l and -d 'Require this pattern, in the same syntax, to match too' -r
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -s t -l type -d 'Only f files, d directories, l links, x executables, e empty' -r -f -a "file\t''
directory\t''
symlink\t''
block-device\t''
char-device\t''
executable\t''
empty\t''
socket\t''
pipe\t''"
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l older-than -d 'Only files, not directories, that were last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l extension -d 'Only names with this extension' -r
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l size -d 'Only this size: +10M at least, -4k at most (k 1000, ki 1024)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l changed-within -d 'Modified since 2weeks ago or today; --changed-before: earlier' -r
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l changed-before -d 'Only what was last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l ctime-within -d 'Only what changed after this time (ctime): contents, mode, owner, name or number of links' -r
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l ctime-before -d 'Only what last changed before this time (ctime)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l created-within -d 'Only what was created after this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l created-before -d 'Only what was created before this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l owner -d 'Only what belongs to this user or group: root, :staff, \'!root\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l where -d 'Only what find(1)\'s tests choose: \'-links +1 -o -perm /u+s\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l progress -d 'Show the progress: auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l stats -d 'Print to standard error what the run did' -r -f -a "text\t'for people'
json\t'for programs'"
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -s j -l threads -d 'Use exactly this many workers (default: as many as pay off)' -r
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -s c -l changes -d 'Print a line for each file that is changed'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -s f -l quiet -d 'Print no messages about single files'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l silent -d 'The same as --quiet'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -s v -l verbose -d 'Print a line for each file'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l preserve-root -d 'Do not work recursively on \'/\' (the default of brisk\'s own commands)'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l no-preserve-root -d 'Treat \'/\' like any other directory'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -s R -l recursive -d 'Change directories and everything below them'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l dereference -d 'Change what links lead to (the default without -R)'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -s h -l no-dereference -d 'Change links themselves'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -s H -d 'With -R, follow links to directories that are arguments'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -s L -d 'With -R, follow all links to directories, on every file system'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -s P -d 'With -R, follow no links (the default)'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l always -d 'Change even files that are already as requested'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l cross-mounts -d 'With -R, also change file systems that are mounted below'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -s n -l dry-run -d 'Change nothing; print what would be changed'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l case-sensitive -d 'Distinguish upper and lower case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l ignore-case -d 'Ignore case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l glob -d 'Treat the pattern as a glob (default: a regular expression)'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l regex -d 'Treat the pattern as a regular expression (the default); overrides --glob'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l fixed-strings -d 'Treat the pattern as literal text, anywhere in the name'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l exact -d 'Treat the pattern as the literal whole name; with --full-path, the whole path'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l full-path -d 'Match the absolute path (default: only the name)'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l explain -d 'Say what is requested from the file system, and why'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l json -d 'Print what was done as a JSON object, to standard output'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l help -d 'Show this and exit'
complete -c brisk -n "__fish_brisk_using_subcommand chgrp" -l version -d 'Show the version'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l state -d 'Compare with this state (default: one that brisk keeps)' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l save -d 'Write the new state to NEW' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l format -d 'Print each change in this form: \'{status} {}\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l color -d 'When to colour the letters of changes' -r -f -a "auto\t'on a terminal, unless NO_COLOR is set'
always\t'always'
never\t'never'"
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l output -d 'Leave out what COMMAND writes' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l stamp -d 'Write a list with digests to FILE, only if it differs; accept the state' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l depfile -d 'Write the paths of all entries to FILE, as make and ninja read them' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l settle -d 'End a batch when nothing has happened for this long (default: 20ms)' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l on-busy -d 'What to do if something changes while COMMAND runs' -r -f -a "queue\t'the changes are the next batch (default)'
restart\t'as --restart'"
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l stop-signal -d 'The signal that stops COMMAND (default: TERM)' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l stop-timeout -d 'Kill COMMAND if it has not stopped after this time (default: 10s)' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l timeout -d 'End if nothing has changed for this long and COMMAND is not running' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s m -l match -d 'Only names that match this pattern (--full-path: absolute paths)' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l and -d 'Require this pattern, in the same syntax, to match too' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s E -l exclude -d 'Leave out entries that match this glob' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l exclude-regex -d 'Leave out entries whose path matches this regular expression' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l ignore-file -d 'Obey this file too, in the format of .gitignore; every other rule overrides it' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l ignore-contain -d 'Leave out directories that contain an entry of this name' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s t -l type -d 'Only f files, d directories, l links, x executables, e empty' -r -f -a "file\t''
directory\t''
symlink\t''
block-device\t''
char-device\t''
executable\t''
empty\t''
socket\t''
pipe\t''"
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l older-than -d 'Only files, not directories, that were last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s e -l extension -d 'Only names with this extension' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s S -l size -d 'Only this size: +10M at least, -4k at most (k 1000, ki 1024)' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l changed-within -d 'Modified since 2weeks ago or today; --changed-before: earlier' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l changed-before -d 'Only what was last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l ctime-within -d 'Only what changed after this time (ctime): contents, mode, owner, name or number of links' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l ctime-before -d 'Only what last changed before this time (ctime)' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l created-within -d 'Only what was created after this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l created-before -d 'Only what was created before this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s o -l owner -d 'Only what belongs to this user or group: root, :staff, \'!root\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l where -d 'Only what find(1)\'s tests choose: \'-links +1 -o -perm /u+s\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s j -l threads -d 'Use exactly this many workers (default: as many as pay off)' -r
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l stats -d 'Print to standard error what the run did' -r -f -a "text\t'for people'
json\t'for programs'"
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l progress -d 'Show the progress: auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s n -l dry-run -d 'Accept nothing; the filters may differ from the state\'s'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l content -d 'Let contents decide which files changed'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l no-ctime -d 'Do not count a change of only the ctime (unsafe)'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l other-file-system -d 'Accept directories that are on another file system than before'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l no-shortcuts -d 'Read every directory and check every entry'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s 0 -l print0 -d 'Print status and path, each followed by a null byte'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l json -d 'Print one JSON object per line'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l no-renames -d 'Print D and A for a renamed entry, not R'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l exit-code -d 'Exit with 1 if something changed'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l stdin0 -d 'Give COMMAND the paths on its standard input'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l no-wait -d 'Fail if another brisk runs a command on the same state'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s w -l watch -d 'Afterwards wait for further changes, and print them or run COMMAND on them'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s r -l restart -d 'Stop COMMAND if something changes while it runs, and start it again'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l initial -d 'Run COMMAND at the start, even if nothing has changed'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l postpone -d 'Do not run COMMAND before something changes'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l clear -d 'Clear the terminal before each batch'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l once -d 'End after the first batch with changes, or after one run of COMMAND'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l stdin-quit -d 'End when standard input ends'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l poll -d ''
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s s -l case-sensitive -d 'Distinguish upper and lower case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s i -l ignore-case -d 'Ignore case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s g -l glob -d 'Treat the pattern as a glob (default: a regular expression)'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l regex -d 'Treat the pattern as a regular expression (the default); overrides --glob'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s F -l fixed-strings -d 'Treat the pattern as literal text, anywhere in the name'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l exact -d 'Treat the pattern as the literal whole name; with --full-path, the whole path'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s p -l full-path -d 'Match the absolute path (default: only the name)'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s H -l hidden -d 'Include hidden entries; --no-hidden leaves them out'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l no-hidden
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s I -l no-ignore -d 'Include what ignore files exclude; --ignore leaves it out'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l ignore
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s u -l unrestricted -d 'Include everything: the same as --hidden --no-ignore'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l no-ignore-vcs -d 'Do not obey .gitignore or git\'s own exclude files'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l ignore-vcs
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l no-require-git -d 'Obey .gitignore outside git repositories too'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l require-git
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l no-ignore-parent -d 'Do not obey ignore files in directories above the search path'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l ignore-parent
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l no-global-ignore-file -d 'Do not obey the global ignore file'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -l explain -d 'Say what is requested from the file system, and why'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s h -l help -d 'Show a summary (-h) or the full help (--help)'
complete -c brisk -n "__fish_brisk_using_subcommand changed" -s V -l version -d 'Show the version'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s o -l output -d 'Where the table goes; - is standard output' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l as -d 'The format, if not by name' -r -f -a "parquet\t''
arrow\t''
csv\t''
jsonl\t''"
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l from -d 'Write the rows of a table or a data set, in order' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l columns -d 'Which columns: path,size,mtime, or +name to add some' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l hash -d 'Add the digest of each regular file: blake3' -r -f -a "blake3\t''"
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l budget -d 'How long a unit takes (default: 30s)' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l budget-entries -d 'How many entries a unit takes: 5M' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l unit -d 'Do the unit of a data set that FILE describes; - is standard input' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s d -l max-depth -d 'Go at most this many levels deep (default: no limit)' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l min-depth -d 'List only entries at this depth or deeper' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l exact-depth -d 'List only entries at exactly this depth' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s E -l exclude -d 'Leave out entries that match this glob' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l exclude-regex -d 'Leave out entries whose path matches this regular expression' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l ignore-file -d 'Obey this file too, in the format of .gitignore; every other rule overrides it' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l ignore-contain -d 'Leave out directories that contain an entry of this name' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s m -l match -d 'Only names that match this pattern (--full-path: absolute paths)' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l and -d 'Require this pattern, in the same syntax, to match too' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s t -l type -d 'Only f files, d directories, l links, x executables, e empty' -r -f -a "file\t''
directory\t''
symlink\t''
block-device\t''
char-device\t''
executable\t''
empty\t''
socket\t''
pipe\t''"
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l older-than -d 'Only files, not directories, that were last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s e -l extension -d 'Only names with this extension' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s S -l size -d 'Only this size: +10M at least, -4k at most (k 1000, ki 1024)' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l changed-within -d 'Modified since 2weeks ago or today; --changed-before: earlier' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l changed-before -d 'Only what was last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l ctime-within -d 'Only what changed after this time (ctime): contents, mode, owner, name or number of links' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l ctime-before -d 'Only what last changed before this time (ctime)' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l created-within -d 'Only what was created after this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l created-before -d 'Only what was created before this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l owner -d 'Only what belongs to this user or group: root, :staff, \'!root\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l where -d 'Only what find(1)\'s tests choose: \'-links +1 -o -perm /u+s\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s j -l threads -d 'Use exactly this many workers (default: as many as pay off)' -r
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l progress -d 'Show the progress: auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l stats -d 'Print to standard error what the run did' -r -f -a "text\t'for people'
json\t'for programs'"
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l sums -d 'Add what is below each directory: entries, bytes, blocks'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l continue -d 'Write a data set into the directory of -o, or continue one'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s H -l hidden -d 'Include hidden entries; --no-hidden leaves them out'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l no-hidden
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s I -l no-ignore -d 'Include what ignore files exclude; --ignore leaves it out'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l ignore
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s u -l unrestricted -d 'Include everything: the same as --hidden --no-ignore'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s x -l one-file-system -d 'Stay on the file system of the search path'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l no-ignore-vcs -d 'Do not obey .gitignore or git\'s own exclude files'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l ignore-vcs
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l no-require-git -d 'Obey .gitignore outside git repositories too'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l require-git
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l no-ignore-parent -d 'Do not obey ignore files in directories above the search path'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l ignore-parent
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l no-global-ignore-file -d 'Do not obey the global ignore file'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s s -l case-sensitive -d 'Distinguish upper and lower case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s i -l ignore-case -d 'Ignore case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s g -l glob -d 'Treat the pattern as a glob (default: a regular expression)'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l regex -d 'Treat the pattern as a regular expression (the default); overrides --glob'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s F -l fixed-strings -d 'Treat the pattern as literal text, anywhere in the name'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l exact -d 'Treat the pattern as the literal whole name; with --full-path, the whole path'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s p -l full-path -d 'Match the absolute path (default: only the name)'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l prune -d 'Do not enter directories that match'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -l cached -d 'Accept metadata that a network file system has cached'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s h -l help -d 'Show a summary (-h) or the full help (--help)'
complete -c brisk -n "__fish_brisk_using_subcommand scan" -s V -l version -d 'Show the version'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s d -l max-depth -d 'With --summary: show this many levels of directories (default: 1)' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l color -d 'When to colour the letters of changes' -r -f -a "auto\t'on a terminal, unless NO_COLOR is set'
always\t'always'
never\t'never'"
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s m -l match -d 'Only names that match this pattern (--full-path: absolute paths)' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l and -d 'Require this pattern, in the same syntax, to match too' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s E -l exclude -d 'Leave out entries that match this glob' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l exclude-regex -d 'Leave out entries whose path matches this regular expression' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l ignore-file -d 'Obey this file too, in the format of .gitignore; every other rule overrides it' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l ignore-contain -d 'Leave out directories that contain an entry of this name' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s t -l type -d 'Only f files, d directories, l links, x executables, e empty' -r -f -a "file\t''
directory\t''
symlink\t''
block-device\t''
char-device\t''
executable\t''
empty\t''
socket\t''
pipe\t''"
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l older-than -d 'Only files, not directories, that were last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s e -l extension -d 'Only names with this extension' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s S -l size -d 'Only this size: +10M at least, -4k at most (k 1000, ki 1024)' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l changed-within -d 'Modified since 2weeks ago or today; --changed-before: earlier' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l changed-before -d 'Only what was last modified before this time' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l ctime-within -d 'Only what changed after this time (ctime): contents, mode, owner, name or number of links' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l ctime-before -d 'Only what last changed before this time (ctime)' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l created-within -d 'Only what was created after this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l created-before -d 'Only what was created before this time (birth time)' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s o -l owner -d 'Only what belongs to this user or group: root, :staff, \'!root\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l where -d 'Only what find(1)\'s tests choose: \'-links +1 -o -perm /u+s\'' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s j -l threads -d 'Use exactly this many workers (default: as many as pay off)' -r
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l progress -d 'Show the progress: auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s r -l recursive -d 'List what is below added, deleted and renamed directories'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l summary -d 'Count entries and bytes by directory instead'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l json -d 'Print one JSON object per line'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s 0 -l print0 -d 'Print status and path, each followed by a null byte'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l no-renames -d 'Print D and A for a renamed entry, not R'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l content -d 'Compare the contents of all files, not their times'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l exit-code -d 'Exit with 1 if something differs'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s s -l case-sensitive -d 'Distinguish upper and lower case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s i -l ignore-case -d 'Ignore case (default: smart case)'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s g -l glob -d 'Treat the pattern as a glob (default: a regular expression)'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l regex -d 'Treat the pattern as a regular expression (the default); overrides --glob'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s F -l fixed-strings -d 'Treat the pattern as literal text, anywhere in the name'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l exact -d 'Treat the pattern as the literal whole name; with --full-path, the whole path'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s p -l full-path -d 'Match the absolute path (default: only the name)'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s H -l hidden -d 'Include hidden entries; --no-hidden leaves them out'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l no-hidden
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s I -l no-ignore -d 'Include what ignore files exclude; --ignore leaves it out'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l ignore
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s u -l unrestricted -d 'Include everything: the same as --hidden --no-ignore'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l no-ignore-vcs -d 'Do not obey .gitignore or git\'s own exclude files'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l ignore-vcs
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l no-require-git -d 'Obey .gitignore outside git repositories too'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l require-git
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l no-ignore-parent -d 'Do not obey ignore files in directories above the search path'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l ignore-parent
complete -c brisk -n "__fish_brisk_using_subcommand diff" -l no-global-ignore-file -d 'Do not obey the global ignore file'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s h -l help -d 'Show a summary (-h) or the full help (--help)'
complete -c brisk -n "__fish_brisk_using_subcommand diff" -s V -l version -d 'Show the version'
complete -c brisk -n "__fish_brisk_using_subcommand bench" -l runs -d 'How often each program runs, after a first run [default: 9]' -r
complete -c brisk -n "__fish_brisk_using_subcommand bench" -l files -d 'Make what is measured: for attrs, a directory of N files for each number; for rm, a tree of N entries such as npm makes; for storage\'s tasks, N files [default: 10000]. Only attrs takes several numbers' -r
complete -c brisk -n "__fish_brisk_using_subcommand bench" -l scratch -d 'Where rm, storage and --files make directories [default: beside DIR]' -r -F
complete -c brisk -n "__fish_brisk_using_subcommand bench" -l json -d 'Print every figure as a JSON object, not the table'
complete -c brisk -n "__fish_brisk_using_subcommand bench" -l drop-caches -d 'Drop the whole system\'s caches before each first run (root on Linux)'
complete -c brisk -n "__fish_brisk_using_subcommand bench" -s h -l help -d 'Show a summary (-h) or the full help (--help)'
complete -c brisk -n "__fish_brisk_using_subcommand bench" -s V -l version -d 'Show the version'
complete -c brisk -n "__fish_brisk_using_subcommand completions" -s h -l help -d 'Show a summary (-h) or the full help (--help)'
complete -c brisk -n "__fish_brisk_using_subcommand completions" -s V -l version -d 'Show the version'
complete -c brisk -n "__fish_brisk_using_subcommand man" -s h -l help -d 'Show a summary (-h) or the full help (--help)'
complete -c brisk -n "__fish_brisk_using_subcommand man" -s V -l version -d 'Show the version'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm cp du chmod chown chgrp changed scan diff bench completions man help" -f -a "find" -d 'List a file tree: all of it, or the entries that match a pattern and filters.'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm cp du chmod chown chgrp changed scan diff bench completions man help" -f -a "ls" -d 'List directories, with every option of GNU ls.'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm cp du chmod chown chgrp changed scan diff bench completions man help" -f -a "rm" -d 'Remove files, and with -r directory trees, in parallel and safely.'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm cp du chmod chown chgrp changed scan diff bench completions man help" -f -a "cp" -d 'Copy files, and with -R directory trees, in parallel and safely.'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm cp du chmod chown chgrp changed scan diff bench completions man help" -f -a "du" -d 'Show what takes up the space: GNU du\'s options, and a tree with bars.'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm cp du chmod chown chgrp changed scan diff bench completions man help" -f -a "chmod" -d 'Change the modes of files'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm cp du chmod chown chgrp changed scan diff bench completions man help" -f -a "chown" -d 'Change the owners and groups of files'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm cp du chmod chown chgrp changed scan diff bench completions man help" -f -a "chgrp" -d 'Change the groups of files'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm cp du chmod chown chgrp changed scan diff bench completions man help" -f -a "changed" -d 'Show what changed in directories since the last run: A added, D deleted, M modified.'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm cp du chmod chown chgrp changed scan diff bench completions man help" -f -a "scan" -d 'Write a table of a file tree: a row for each entry, as Parquet, Arrow, CSV or JSON.'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm cp du chmod chown chgrp changed scan diff bench completions man help" -f -a "diff" -d 'Show what differs between two states, tables or directories: A added, D deleted, M contents modified, m metadata only.'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm cp du chmod chown chgrp changed scan diff bench completions man help" -f -a "bench" -d 'Compare programs\' speed, count a program\'s system calls, or time the storage'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm cp du chmod chown chgrp changed scan diff bench completions man help" -f -a "completions" -d 'Print completions for a shell'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm cp du chmod chown chgrp changed scan diff bench completions man help" -f -a "man" -d 'Write the man pages into a directory'
complete -c brisk -n "__fish_brisk_using_subcommand help; and not __fish_seen_subcommand_from find ls rm cp du chmod chown chgrp changed scan diff bench completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
