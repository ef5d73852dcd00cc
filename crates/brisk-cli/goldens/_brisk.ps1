
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'brisk' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'brisk'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'brisk' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('find', 'find', [CompletionResultType]::ParameterValue, 'Lists a file tree: all of it, or the entries that a pattern and filters keep.')
            [CompletionResult]::new('ls', 'ls', [CompletionResultType]::ParameterValue, 'Lists directories, with every option of GNU ls.')
            [CompletionResult]::new('rm', 'rm', [CompletionResultType]::ParameterValue, 'Removes files, and with -r directory trees: in parallel, and safe from other users who change them meanwhile.')
            [CompletionResult]::new('bench', 'bench', [CompletionResultType]::ParameterValue, 'Measure what is fastest here: brisk, other programs, or commands of your own')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print completions for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Write the man pages into a directory')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'brisk;find' {
            [CompletionResult]::new('--and', '--and', [CompletionResultType]::ParameterName, 'A further pattern that must match too')
            [CompletionResult]::new('-E', '-E ', [CompletionResultType]::ParameterName, 'Leave out entries that match the glob')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Leave out entries that match the glob')
            [CompletionResult]::new('--exclude-regex', '--exclude-regex', [CompletionResultType]::ParameterName, 'Leave out entries whose path matches the regular expression')
            [CompletionResult]::new('--ignore-file', '--ignore-file', [CompletionResultType]::ParameterName, 'Heed this file too, in .gitignore format')
            [CompletionResult]::new('--ignore-contain', '--ignore-contain', [CompletionResultType]::ParameterName, 'Leave out directories that contain the named entry')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Do not go deeper than this (default: no limit)')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Do not go deeper than this (default: no limit)')
            [CompletionResult]::new('--min-depth', '--min-depth', [CompletionResultType]::ParameterName, 'List only entries at this depth or deeper')
            [CompletionResult]::new('--exact-depth', '--exact-depth', [CompletionResultType]::ParameterName, 'List only entries at exactly this depth')
            [CompletionResult]::new('--order', '--order', [CompletionResultType]::ParameterName, 'In which order to list')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'How many workers (default: as many as pay)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'How many workers (default: as many as pay)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in this directory')
            [CompletionResult]::new('--base-directory', '--base-directory', [CompletionResultType]::ParameterName, 'Work in this directory')
            [CompletionResult]::new('--search-path', '--search-path', [CompletionResultType]::ParameterName, 'Where to look, instead of the <path> arguments')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Only this type: file (f), directory (d, dir), symlink (l), executable (x), empty (e), socket (s), pipe (p), char-device (c), block-device (b)')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Only this type: file (f), directory (d, dir), symlink (l), executable (x), empty (e), socket (s), pipe (p), char-device (c), block-device (b)')
            [CompletionResult]::new('-e', '-e', [CompletionResultType]::ParameterName, 'Only names with this extension')
            [CompletionResult]::new('--extension', '--extension', [CompletionResultType]::ParameterName, 'Only names with this extension')
            [CompletionResult]::new('-S', '-S ', [CompletionResultType]::ParameterName, 'Only files of this size')
            [CompletionResult]::new('--size', '--size', [CompletionResultType]::ParameterName, 'Only files of this size')
            [CompletionResult]::new('--changed-within', '--changed-within', [CompletionResultType]::ParameterName, 'Only what was modified since then')
            [CompletionResult]::new('--changed-before', '--changed-before', [CompletionResultType]::ParameterName, 'Only what was modified before then')
            [CompletionResult]::new('--ctime-within', '--ctime-within', [CompletionResultType]::ParameterName, 'Only what had its metadata changed since then')
            [CompletionResult]::new('--ctime-before', '--ctime-before', [CompletionResultType]::ParameterName, 'Only what had its metadata changed before then')
            [CompletionResult]::new('--created-within', '--created-within', [CompletionResultType]::ParameterName, 'Only what was created since then')
            [CompletionResult]::new('--created-before', '--created-before', [CompletionResultType]::ParameterName, 'Only what was created before then')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Only what this user or group owns')
            [CompletionResult]::new('--owner', '--owner', [CompletionResultType]::ParameterName, 'Only what this user or group owns')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print results in this form')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--hyperlink', '--hyperlink', [CompletionResultType]::ParameterName, 'Make paths links to their files')
            [CompletionResult]::new('--path-separator', '--path-separator', [CompletionResultType]::ParameterName, 'Show this instead of ''/'' in paths')
            [CompletionResult]::new('--strip-cwd-prefix', '--strip-cwd-prefix', [CompletionResultType]::ParameterName, 'When to leave ''./'' out')
            [CompletionResult]::new('--max-results', '--max-results', [CompletionResultType]::ParameterName, 'Stop after this many results')
            [CompletionResult]::new('--max-errors', '--max-errors', [CompletionResultType]::ParameterName, 'Give up after this many errors')
            [CompletionResult]::new('--max-buffer-time', '--max-buffer-time', [CompletionResultType]::ParameterName, 'How long to hold results back to print them sorted')
            [CompletionResult]::new('--stats', '--stats', [CompletionResultType]::ParameterName, 'Say what the search did')
            [CompletionResult]::new('--gen-completions', '--gen-completions', [CompletionResultType]::ParameterName, 'Print completions for a shell')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Run a command for each result')
            [CompletionResult]::new('--exec', '--exec', [CompletionResultType]::ParameterName, 'Run a command for each result')
            [CompletionResult]::new('-X', '-X ', [CompletionResultType]::ParameterName, 'Run a command once with all results')
            [CompletionResult]::new('--exec-batch', '--exec-batch', [CompletionResultType]::ParameterName, 'Run a command once with all results')
            [CompletionResult]::new('--batch-size', '--batch-size', [CompletionResultType]::ParameterName, 'The most arguments for a command of -X')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Case counts (default: smart case)')
            [CompletionResult]::new('--case-sensitive', '--case-sensitive', [CompletionResultType]::ParameterName, 'Case counts (default: smart case)')
            [CompletionResult]::new('-i', '-i', [CompletionResultType]::ParameterName, 'Case does not count (default: smart case)')
            [CompletionResult]::new('--ignore-case', '--ignore-case', [CompletionResultType]::ParameterName, 'Case does not count (default: smart case)')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'The pattern is a glob (default: a regular expression)')
            [CompletionResult]::new('--glob', '--glob', [CompletionResultType]::ParameterName, 'The pattern is a glob (default: a regular expression)')
            [CompletionResult]::new('--regex', '--regex', [CompletionResultType]::ParameterName, 'The pattern is a regular expression (default)')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'The pattern is literal text')
            [CompletionResult]::new('--fixed-strings', '--fixed-strings', [CompletionResultType]::ParameterName, 'The pattern is literal text')
            [CompletionResult]::new('--exact', '--exact', [CompletionResultType]::ParameterName, 'The pattern is the whole name, literally')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Match the absolute path (default: the name only)')
            [CompletionResult]::new('--full-path', '--full-path', [CompletionResultType]::ParameterName, 'Match the absolute path (default: the name only)')
            [CompletionResult]::new('-H', '-H ', [CompletionResultType]::ParameterName, 'List hidden files and directories too')
            [CompletionResult]::new('--hidden', '--hidden', [CompletionResultType]::ParameterName, 'List hidden files and directories too')
            [CompletionResult]::new('--no-hidden', '--no-hidden', [CompletionResultType]::ParameterName, 'no-hidden')
            [CompletionResult]::new('-I', '-I ', [CompletionResultType]::ParameterName, 'Do not heed .gitignore, .ignore and .fdignore')
            [CompletionResult]::new('--no-ignore', '--no-ignore', [CompletionResultType]::ParameterName, 'Do not heed .gitignore, .ignore and .fdignore')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'ignore')
            [CompletionResult]::new('--no-ignore-vcs', '--no-ignore-vcs', [CompletionResultType]::ParameterName, 'Do not heed .gitignore')
            [CompletionResult]::new('--ignore-vcs', '--ignore-vcs', [CompletionResultType]::ParameterName, 'ignore-vcs')
            [CompletionResult]::new('--no-require-git', '--no-require-git', [CompletionResultType]::ParameterName, 'Heed .gitignore outside of git repositories too')
            [CompletionResult]::new('--require-git', '--require-git', [CompletionResultType]::ParameterName, 'require-git')
            [CompletionResult]::new('--no-ignore-parent', '--no-ignore-parent', [CompletionResultType]::ParameterName, 'Do not heed ignore files in parent directories')
            [CompletionResult]::new('--ignore-parent', '--ignore-parent', [CompletionResultType]::ParameterName, 'ignore-parent')
            [CompletionResult]::new('--no-global-ignore-file', '--no-global-ignore-file', [CompletionResultType]::ParameterName, 'Do not heed the global ignore file')
            [CompletionResult]::new('-u', '-u', [CompletionResultType]::ParameterName, 'List everything: the same as --no-ignore --hidden')
            [CompletionResult]::new('--unrestricted', '--unrestricted', [CompletionResultType]::ParameterName, 'List everything: the same as --no-ignore --hidden')
            [CompletionResult]::new('-L', '-L ', [CompletionResultType]::ParameterName, 'Follow symbolic links')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'Follow symbolic links')
            [CompletionResult]::new('--no-follow', '--no-follow', [CompletionResultType]::ParameterName, 'no-follow')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the file system of the search path')
            [CompletionResult]::new('--unique', '--unique', [CompletionResultType]::ParameterName, 'List each file and directory once, whatever leads to it')
            [CompletionResult]::new('--cached', '--cached', [CompletionResultType]::ParameterName, 'Accept metadata that a network file system has cached')
            [CompletionResult]::new('--prune', '--prune', [CompletionResultType]::ParameterName, 'Do not enter directories that match')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Show absolute paths')
            [CompletionResult]::new('--absolute-path', '--absolute-path', [CompletionResultType]::ParameterName, 'Show absolute paths')
            [CompletionResult]::new('--relative-path', '--relative-path', [CompletionResultType]::ParameterName, 'relative-path')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'List with details, as ''ls -l'' does')
            [CompletionResult]::new('--list-details', '--list-details', [CompletionResultType]::ParameterName, 'List with details, as ''ls -l'' does')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object a line')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'End each result with a null byte')
            [CompletionResult]::new('--print0', '--print0', [CompletionResultType]::ParameterName, 'End each result with a null byte')
            [CompletionResult]::new('-1', '-1', [CompletionResultType]::ParameterName, 'Stop after one result')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing; exit 0 if something matches, else 1')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing; exit 0 if something matches, else 1')
            [CompletionResult]::new('--show-errors', '--show-errors', [CompletionResultType]::ParameterName, 'Report what could not be read')
            [CompletionResult]::new('--no-show-errors', '--no-show-errors', [CompletionResultType]::ParameterName, 'no-show-errors')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say what will be asked of the file system, and why')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no configuration')
            [CompletionResult]::new('--delete', '--delete', [CompletionResultType]::ParameterName, 'Remove the results')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'brisk;ls' {
            [CompletionResult]::new('-I', '-I ', [CompletionResultType]::ParameterName, 'Leave out names that match the shell pattern')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Leave out names that match the shell pattern')
            [CompletionResult]::new('--hide', '--hide', [CompletionResultType]::ParameterName, 'Leave out names that match the shell pattern, unless -a or -A is given')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The same, by words: across commas long single-column vertical')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'How wide a line may be; 0 for no limit')
            [CompletionResult]::new('--width', '--width', [CompletionResultType]::ParameterName, 'How wide a line may be; 0 for no limit')
            [CompletionResult]::new('-T', '-T ', [CompletionResultType]::ParameterName, 'How far tab stops are apart; 0 for no tabs')
            [CompletionResult]::new('--tabsize', '--tabsize', [CompletionResultType]::ParameterName, 'How far tab stops are apart; 0 for no tabs')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'By extension, none, size, time, version or width instead of the name')
            [CompletionResult]::new('--block-size', '--block-size', [CompletionResultType]::ParameterName, 'With -l and -s, sizes in this unit: K, MB, 1000 …')
            [CompletionResult]::new('--time', '--time', [CompletionResultType]::ParameterName, 'Another time than that of the last modification: atime, ctime or birth')
            [CompletionResult]::new('--time-style', '--time-style', [CompletionResultType]::ParameterName, 'Times as full-iso, long-iso, iso, locale, or +FORMAT')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Mark names: / directory, * executable, @ link, | pipe, = socket')
            [CompletionResult]::new('--classify', '--classify', [CompletionResultType]::ParameterName, 'Mark names: / directory, * executable, @ link, | pipe, = socket')
            [CompletionResult]::new('--indicator-style', '--indicator-style', [CompletionResultType]::ParameterName, 'The same, by words: none slash file-type classify')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Paint names as LS_COLORS says: always, auto or never')
            [CompletionResult]::new('--hyperlink', '--hyperlink', [CompletionResultType]::ParameterName, 'Link names to their files, on terminals that can: always, auto or never')
            [CompletionResult]::new('--quoting-style', '--quoting-style', [CompletionResultType]::ParameterName, 'How names are quoted: literal, shell, shell-always, shell-escape, shell-escape-always, c, c-maybe, escape, locale, clocale')
            [CompletionResult]::new('--level', '--level', [CompletionResultType]::ParameterName, 'With --tree, -R or --json: no deeper than this')
            [CompletionResult]::new('--stats', '--stats', [CompletionResultType]::ParameterName, 'Print what the run really did: text or json')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Exactly this many workers (default: as many as pay)')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'List names that begin with a dot, . and .. too')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'List names that begin with a dot, . and .. too')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'As -a, without . and .. themselves')
            [CompletionResult]::new('--almost-all', '--almost-all', [CompletionResultType]::ParameterName, 'As -a, without . and .. themselves')
            [CompletionResult]::new('-B', '-B ', [CompletionResultType]::ParameterName, 'Leave out names that end in ~')
            [CompletionResult]::new('--ignore-backups', '--ignore-backups', [CompletionResultType]::ParameterName, 'Leave out names that end in ~')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'List directories themselves, not their contents')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'List directories themselves, not their contents')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'List subdirectories too, one after the other')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'List subdirectories too, one after the other')
            [CompletionResult]::new('-L', '-L ', [CompletionResultType]::ParameterName, 'Show what links lead to instead of the links')
            [CompletionResult]::new('--dereference', '--dereference', [CompletionResultType]::ParameterName, 'Show what links lead to instead of the links')
            [CompletionResult]::new('-H', '-H ', [CompletionResultType]::ParameterName, 'Follow links that are given as paths')
            [CompletionResult]::new('--dereference-command-line', '--dereference-command-line', [CompletionResultType]::ParameterName, 'Follow links that are given as paths')
            [CompletionResult]::new('--dereference-command-line-symlink-to-dir', '--dereference-command-line-symlink-to-dir', [CompletionResultType]::ParameterName, 'Follow links that are given as paths and lead to directories')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'In columns, sorted down (default on a terminal)')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'In columns, sorted across')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'One after the other, with commas')
            [CompletionResult]::new('-1', '-1', [CompletionResultType]::ParameterName, 'One on each line (default where the output is no terminal)')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'One on each line with mode, links, owner, group, size and time')
            [CompletionResult]::new('--zero', '--zero', [CompletionResultType]::ParameterName, 'End lines with a null byte; implies -1 -N --color=never --show-control-chars')
            [CompletionResult]::new('-S', '-S ', [CompletionResultType]::ParameterName, 'Largest first')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Newest first, by the time that --time says')
            [CompletionResult]::new('-X', '-X ', [CompletionResultType]::ParameterName, 'By extension')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'By name, with numbers compared by value')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'As the directory lists them')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'The same with -a; takes back -l, -s, --color and --hyperlink')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'In reverse order')
            [CompletionResult]::new('--reverse', '--reverse', [CompletionResultType]::ParameterName, 'In reverse order')
            [CompletionResult]::new('--group-directories-first', '--group-directories-first', [CompletionResultType]::ParameterName, 'Directories, and links to them, before all else')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'As -l, without the owner')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'As -l, without the group')
            [CompletionResult]::new('-G', '-G ', [CompletionResultType]::ParameterName, 'With -l, without the group')
            [CompletionResult]::new('--no-group', '--no-group', [CompletionResultType]::ParameterName, 'With -l, without the group')
            [CompletionResult]::new('--author', '--author', [CompletionResultType]::ParameterName, 'With -l, the author (here: the owner) too')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'As -l, with numbers for owner and group')
            [CompletionResult]::new('--numeric-uid-gid', '--numeric-uid-gid', [CompletionResultType]::ParameterName, 'As -l, with numbers for owner and group')
            [CompletionResult]::new('-i', '-i', [CompletionResultType]::ParameterName, 'Each file''s inode number')
            [CompletionResult]::new('--inode', '--inode', [CompletionResultType]::ParameterName, 'Each file''s inode number')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'The blocks that each file takes')
            [CompletionResult]::new('--size', '--size', [CompletionResultType]::ParameterName, 'The blocks that each file takes')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'With -l and -s, sizes like 1K 234M 2G')
            [CompletionResult]::new('--human-readable', '--human-readable', [CompletionResultType]::ParameterName, 'With -l and -s, sizes like 1K 234M 2G')
            [CompletionResult]::new('--si', '--si', [CompletionResultType]::ParameterName, 'The same in powers of 1000')
            [CompletionResult]::new('-k', '-k', [CompletionResultType]::ParameterName, 'Blocks of 1024 bytes, with -s and in totals')
            [CompletionResult]::new('--kibibytes', '--kibibytes', [CompletionResultType]::ParameterName, 'Blocks of 1024 bytes, with -s and in totals')
            [CompletionResult]::new('-Z', '-Z ', [CompletionResultType]::ParameterName, 'Each file''s security context')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Each file''s security context')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'The time of the last change of metadata; sorted by it unless -l is given')
            [CompletionResult]::new('-u', '-u', [CompletionResultType]::ParameterName, 'The time of the last access; sorted by it unless -l is given')
            [CompletionResult]::new('--full-time', '--full-time', [CompletionResultType]::ParameterName, 'As -l --time-style=full-iso')
            [CompletionResult]::new('--file-type', '--file-type', [CompletionResultType]::ParameterName, 'The same without *')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Mark directories with /')
            [CompletionResult]::new('-N', '-N ', [CompletionResultType]::ParameterName, 'Names as they are')
            [CompletionResult]::new('--literal', '--literal', [CompletionResultType]::ParameterName, 'Names as they are')
            [CompletionResult]::new('-b', '-b', [CompletionResultType]::ParameterName, 'C escapes for characters that cannot be shown')
            [CompletionResult]::new('--escape', '--escape', [CompletionResultType]::ParameterName, 'C escapes for characters that cannot be shown')
            [CompletionResult]::new('-Q', '-Q ', [CompletionResultType]::ParameterName, 'Names in double quotes')
            [CompletionResult]::new('--quote-name', '--quote-name', [CompletionResultType]::ParameterName, 'Names in double quotes')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, '? for characters that cannot be shown (default on a terminal)')
            [CompletionResult]::new('--hide-control-chars', '--hide-control-chars', [CompletionResultType]::ParameterName, '? for characters that cannot be shown (default on a terminal)')
            [CompletionResult]::new('--show-control-chars', '--show-control-chars', [CompletionResultType]::ParameterName, 'Control characters as they are')
            [CompletionResult]::new('-D', '-D ', [CompletionResultType]::ParameterName, 'Refused: positions for Emacs are not written')
            [CompletionResult]::new('--dired', '--dired', [CompletionResultType]::ParameterName, 'Refused: positions for Emacs are not written')
            [CompletionResult]::new('--tree', '--tree', [CompletionResultType]::ParameterName, 'The whole tree, with lines from each directory to its entries')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Each entry as a JSON object on a line of its own')
            [CompletionResult]::new('--icons', '--icons', [CompletionResultType]::ParameterName, 'A symbol in front of each name, by name and type alone')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Print what this listing asks of the file system, and why')
            [CompletionResult]::new('--cached', '--cached', [CompletionResultType]::ParameterName, 'Accept metadata that the client of a network file system has cached, which may be old')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no configuration')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Show this and exit')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Show the version and exit')
            break
        }
        'brisk;rm' {
            [CompletionResult]::new('--interactive', '--interactive', [CompletionResultType]::ParameterName, 'Ask never, once (-I) or always (-i)')
            [CompletionResult]::new('--preserve-root', '--preserve-root', [CompletionResultType]::ParameterName, 'Do not remove ''/'' (the default); with ''all'', no mount point either')
            [CompletionResult]::new('--older-than', '--older-than', [CompletionResultType]::ParameterName, 'Remove only what was not modified for this long')
            [CompletionResult]::new('--files0-from', '--files0-from', [CompletionResultType]::ParameterName, 'Remove the files that FILE lists, each name ended by NUL')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show the progress: auto, always, never')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Use exactly this many workers')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Ignore what does not exist, never ask')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Ignore what does not exist, never ask')
            [CompletionResult]::new('-i', '-i', [CompletionResultType]::ParameterName, 'Ask before every removal')
            [CompletionResult]::new('-I', '-I ', [CompletionResultType]::ParameterName, 'Ask once, before removing much')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Remove directories with everything below them')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Remove directories with everything below them')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Remove directories with everything below them')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Remove empty directories')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Remove empty directories')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print what is removed')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print what is removed')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Do not enter other file systems (the default)')
            [CompletionResult]::new('--cross-mounts', '--cross-mounts', [CompletionResultType]::ParameterName, 'Also empty what is mounted below')
            [CompletionResult]::new('--no-preserve-root', '--no-preserve-root', [CompletionResultType]::ParameterName, 'Treat ''/'' like any other')
            [CompletionResult]::new('--keep-root', '--keep-root', [CompletionResultType]::ParameterName, 'Empty directories instead of removing them')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Remove nothing; print what would be removed')
            [CompletionResult]::new('--background', '--background', [CompletionResultType]::ParameterName, 'Return at once, remove afterwards')
            [CompletionResult]::new('--finish', '--finish', [CompletionResultType]::ParameterName, 'Remove the trees that --background left')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'With --finish: show what is left, and since when')
            [CompletionResult]::new('--stats', '--stats', [CompletionResultType]::ParameterName, 'Print at the end what was done')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the same as JSON, to standard output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Show this, or with --help all of it')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Show this, or with --help all of it')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Show the version')
            break
        }
        'brisk;bench' {
            [CompletionResult]::new('--runs', '--runs', [CompletionResultType]::ParameterName, 'How often each of them runs after a first run [default: 9]')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write every figure to FILE')
            [CompletionResult]::new('--html', '--html', [CompletionResultType]::ParameterName, 'Write the report to FILE, one page with bar charts')
            [CompletionResult]::new('--scratch', '--scratch', [CompletionResultType]::ParameterName, 'Where rm makes its copies, on DIR''s file system [default: beside DIR]')
            [CompletionResult]::new('--keep-caches', '--keep-caches', [CompletionResultType]::ParameterName, 'Do not drop the system''s caches before first runs (only root can)')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'brisk;completions' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'brisk;man' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'brisk;help' {
            [CompletionResult]::new('find', 'find', [CompletionResultType]::ParameterValue, 'Lists a file tree: all of it, or the entries that a pattern and filters keep.')
            [CompletionResult]::new('ls', 'ls', [CompletionResultType]::ParameterValue, 'Lists directories, with every option of GNU ls.')
            [CompletionResult]::new('rm', 'rm', [CompletionResultType]::ParameterValue, 'Removes files, and with -r directory trees: in parallel, and safe from other users who change them meanwhile.')
            [CompletionResult]::new('bench', 'bench', [CompletionResultType]::ParameterValue, 'Measure what is fastest here: brisk, other programs, or commands of your own')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print completions for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Write the man pages into a directory')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'brisk;help;find' {
            break
        }
        'brisk;help;ls' {
            break
        }
        'brisk;help;rm' {
            break
        }
        'brisk;help;bench' {
            break
        }
        'brisk;help;completions' {
            break
        }
        'brisk;help;man' {
            break
        }
        'brisk;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
