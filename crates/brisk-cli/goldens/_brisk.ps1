
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
            [CompletionResult]::new('find', 'find', [CompletionResultType]::ParameterValue, 'List a file tree: all of it, or the entries that match a pattern and filters.')
            [CompletionResult]::new('ls', 'ls', [CompletionResultType]::ParameterValue, 'List directories, with every option of GNU ls.')
            [CompletionResult]::new('rm', 'rm', [CompletionResultType]::ParameterValue, 'Remove files, and with -r directory trees, in parallel and safely.')
            [CompletionResult]::new('bench', 'bench', [CompletionResultType]::ParameterValue, 'Measure what is fastest here: brisk, other programs, or commands of your own')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print completions for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Write the man pages into a directory')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'brisk;find' {
            [CompletionResult]::new('--and', '--and', [CompletionResultType]::ParameterName, 'Require this pattern to match too')
            [CompletionResult]::new('-E', '-E ', [CompletionResultType]::ParameterName, 'Leave out entries that match this glob')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Leave out entries that match this glob')
            [CompletionResult]::new('--exclude-regex', '--exclude-regex', [CompletionResultType]::ParameterName, 'Leave out entries whose path matches this regular expression')
            [CompletionResult]::new('--ignore-file', '--ignore-file', [CompletionResultType]::ParameterName, 'Obey this file too, in the format of .gitignore')
            [CompletionResult]::new('--ignore-contain', '--ignore-contain', [CompletionResultType]::ParameterName, 'Leave out directories that contain an entry of this name')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Go at most this many levels deep (default: no limit)')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Go at most this many levels deep (default: no limit)')
            [CompletionResult]::new('--min-depth', '--min-depth', [CompletionResultType]::ParameterName, 'List only entries at this depth or deeper')
            [CompletionResult]::new('--exact-depth', '--exact-depth', [CompletionResultType]::ParameterName, 'List only entries at exactly this depth')
            [CompletionResult]::new('--order', '--order', [CompletionResultType]::ParameterName, 'The order of the results')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Use exactly this many workers (default: as many as pay off)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Use exactly this many workers (default: as many as pay off)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in this directory')
            [CompletionResult]::new('--base-directory', '--base-directory', [CompletionResultType]::ParameterName, 'Work in this directory')
            [CompletionResult]::new('--search-path', '--search-path', [CompletionResultType]::ParameterName, 'Where to look, instead of [path] arguments')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Only this type: f file, d directory, l link, x executable, …')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Only this type: f file, d directory, l link, x executable, …')
            [CompletionResult]::new('-e', '-e', [CompletionResultType]::ParameterName, 'Only names with this extension')
            [CompletionResult]::new('--extension', '--extension', [CompletionResultType]::ParameterName, 'Only names with this extension')
            [CompletionResult]::new('-S', '-S ', [CompletionResultType]::ParameterName, 'Only files of this size: +10M (at least), -4k (at most)')
            [CompletionResult]::new('--size', '--size', [CompletionResultType]::ParameterName, 'Only files of this size: +10M (at least), -4k (at most)')
            [CompletionResult]::new('--changed-within', '--changed-within', [CompletionResultType]::ParameterName, 'Only what was modified since then: 2weeks, 2026-01-31')
            [CompletionResult]::new('--changed-before', '--changed-before', [CompletionResultType]::ParameterName, 'Only what was last modified before then')
            [CompletionResult]::new('--ctime-within', '--ctime-within', [CompletionResultType]::ParameterName, 'Only entries whose metadata changed since then')
            [CompletionResult]::new('--ctime-before', '--ctime-before', [CompletionResultType]::ParameterName, 'Only entries whose metadata last changed before then')
            [CompletionResult]::new('--created-within', '--created-within', [CompletionResultType]::ParameterName, 'Only what was created since then')
            [CompletionResult]::new('--created-before', '--created-before', [CompletionResultType]::ParameterName, 'Only what was created before then')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Only what belongs to this user or group')
            [CompletionResult]::new('--owner', '--owner', [CompletionResultType]::ParameterName, 'Only what belongs to this user or group')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print each result in this form: ''{size} {}''')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--hyperlink', '--hyperlink', [CompletionResultType]::ParameterName, 'Turn paths into links to their files')
            [CompletionResult]::new('--path-separator', '--path-separator', [CompletionResultType]::ParameterName, 'Show this instead of ''/'' in paths')
            [CompletionResult]::new('--strip-cwd-prefix', '--strip-cwd-prefix', [CompletionResultType]::ParameterName, 'When to leave out ''./''')
            [CompletionResult]::new('--max-results', '--max-results', [CompletionResultType]::ParameterName, 'Stop after this many results')
            [CompletionResult]::new('--max-errors', '--max-errors', [CompletionResultType]::ParameterName, 'Give up after this many errors')
            [CompletionResult]::new('--max-buffer-time', '--max-buffer-time', [CompletionResultType]::ParameterName, 'How long to hold results back to print them sorted')
            [CompletionResult]::new('--stats', '--stats', [CompletionResultType]::ParameterName, 'Print to standard error what the run did')
            [CompletionResult]::new('--gen-completions', '--gen-completions', [CompletionResultType]::ParameterName, 'Print completions for a shell')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Run a command for each result')
            [CompletionResult]::new('--exec', '--exec', [CompletionResultType]::ParameterName, 'Run a command for each result')
            [CompletionResult]::new('-X', '-X ', [CompletionResultType]::ParameterName, 'Run a command once with all results')
            [CompletionResult]::new('--exec-batch', '--exec-batch', [CompletionResultType]::ParameterName, 'Run a command once with all results')
            [CompletionResult]::new('--batch-size', '--batch-size', [CompletionResultType]::ParameterName, 'Pass at most this many results to each command of -X')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Distinguish upper and lower case (default: smart case)')
            [CompletionResult]::new('--case-sensitive', '--case-sensitive', [CompletionResultType]::ParameterName, 'Distinguish upper and lower case (default: smart case)')
            [CompletionResult]::new('-i', '-i', [CompletionResultType]::ParameterName, 'Ignore case (default: smart case)')
            [CompletionResult]::new('--ignore-case', '--ignore-case', [CompletionResultType]::ParameterName, 'Ignore case (default: smart case)')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Treat the pattern as a glob (default: a regular expression)')
            [CompletionResult]::new('--glob', '--glob', [CompletionResultType]::ParameterName, 'Treat the pattern as a glob (default: a regular expression)')
            [CompletionResult]::new('--regex', '--regex', [CompletionResultType]::ParameterName, 'Treat the pattern as a regular expression (the default)')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Treat the pattern as literal text')
            [CompletionResult]::new('--fixed-strings', '--fixed-strings', [CompletionResultType]::ParameterName, 'Treat the pattern as literal text')
            [CompletionResult]::new('--exact', '--exact', [CompletionResultType]::ParameterName, 'Treat the pattern as the literal whole name')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Match the absolute path (default: only the name)')
            [CompletionResult]::new('--full-path', '--full-path', [CompletionResultType]::ParameterName, 'Match the absolute path (default: only the name)')
            [CompletionResult]::new('-H', '-H ', [CompletionResultType]::ParameterName, 'List hidden files and directories too')
            [CompletionResult]::new('--hidden', '--hidden', [CompletionResultType]::ParameterName, 'List hidden files and directories too')
            [CompletionResult]::new('--no-hidden', '--no-hidden', [CompletionResultType]::ParameterName, 'no-hidden')
            [CompletionResult]::new('-I', '-I ', [CompletionResultType]::ParameterName, 'Do not obey .gitignore, .ignore and .fdignore')
            [CompletionResult]::new('--no-ignore', '--no-ignore', [CompletionResultType]::ParameterName, 'Do not obey .gitignore, .ignore and .fdignore')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'ignore')
            [CompletionResult]::new('--no-ignore-vcs', '--no-ignore-vcs', [CompletionResultType]::ParameterName, 'Do not obey .gitignore')
            [CompletionResult]::new('--ignore-vcs', '--ignore-vcs', [CompletionResultType]::ParameterName, 'ignore-vcs')
            [CompletionResult]::new('--no-require-git', '--no-require-git', [CompletionResultType]::ParameterName, 'Obey .gitignore outside git repositories too')
            [CompletionResult]::new('--require-git', '--require-git', [CompletionResultType]::ParameterName, 'require-git')
            [CompletionResult]::new('--no-ignore-parent', '--no-ignore-parent', [CompletionResultType]::ParameterName, 'Do not obey ignore files in parent directories')
            [CompletionResult]::new('--ignore-parent', '--ignore-parent', [CompletionResultType]::ParameterName, 'ignore-parent')
            [CompletionResult]::new('--no-global-ignore-file', '--no-global-ignore-file', [CompletionResultType]::ParameterName, 'Do not obey the global ignore file')
            [CompletionResult]::new('-u', '-u', [CompletionResultType]::ParameterName, 'List everything: the same as --no-ignore --hidden')
            [CompletionResult]::new('--unrestricted', '--unrestricted', [CompletionResultType]::ParameterName, 'List everything: the same as --no-ignore --hidden')
            [CompletionResult]::new('-L', '-L ', [CompletionResultType]::ParameterName, 'Follow symbolic links')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'Follow symbolic links')
            [CompletionResult]::new('--no-follow', '--no-follow', [CompletionResultType]::ParameterName, 'no-follow')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the file system of the search path')
            [CompletionResult]::new('--unique', '--unique', [CompletionResultType]::ParameterName, 'List each file and directory only once')
            [CompletionResult]::new('--cached', '--cached', [CompletionResultType]::ParameterName, 'Accept metadata that a network file system has cached')
            [CompletionResult]::new('--prune', '--prune', [CompletionResultType]::ParameterName, 'Do not enter directories that match')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Show absolute paths')
            [CompletionResult]::new('--absolute-path', '--absolute-path', [CompletionResultType]::ParameterName, 'Show absolute paths')
            [CompletionResult]::new('--relative-path', '--relative-path', [CompletionResultType]::ParameterName, 'relative-path')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'Show details, as ''ls -l'' does')
            [CompletionResult]::new('--list-details', '--list-details', [CompletionResultType]::ParameterName, 'Show details, as ''ls -l'' does')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object per line')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'End each result with a null byte')
            [CompletionResult]::new('--print0', '--print0', [CompletionResultType]::ParameterName, 'End each result with a null byte')
            [CompletionResult]::new('-1', '-1', [CompletionResultType]::ParameterName, 'Stop after one result')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing; exit with 0 if something matches, else with 1')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing; exit with 0 if something matches, else with 1')
            [CompletionResult]::new('--show-errors', '--show-errors', [CompletionResultType]::ParameterName, 'Report what cannot be read (the default)')
            [CompletionResult]::new('--no-show-errors', '--no-show-errors', [CompletionResultType]::ParameterName, 'no-show-errors')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say what is asked of the file system, and why')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no configuration')
            [CompletionResult]::new('--delete', '--delete', [CompletionResultType]::ParameterName, 'Remove the results')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Show a summary (-h) or the full help (--help)')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Show a summary (-h) or the full help (--help)')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Show the version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Show the version')
            break
        }
        'brisk;ls' {
            [CompletionResult]::new('-I', '-I ', [CompletionResultType]::ParameterName, 'Leave out names that match this shell pattern')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Leave out names that match this shell pattern')
            [CompletionResult]::new('--hide', '--hide', [CompletionResultType]::ParameterName, 'Leave out names that match this shell pattern, unless -a or -A is given')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Choose the layout by a word: across, commas, long, single-column or vertical')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Make lines at most this wide; 0 for no limit')
            [CompletionResult]::new('--width', '--width', [CompletionResultType]::ParameterName, 'Make lines at most this wide; 0 for no limit')
            [CompletionResult]::new('-T', '-T ', [CompletionResultType]::ParameterName, 'Assume tab stops at this distance; 0 for no tabs')
            [CompletionResult]::new('--tabsize', '--tabsize', [CompletionResultType]::ParameterName, 'Assume tab stops at this distance; 0 for no tabs')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Sort by extension, none, size, time, version or width instead of by name')
            [CompletionResult]::new('--block-size', '--block-size', [CompletionResultType]::ParameterName, 'With -l and -s, show sizes in this unit: K, MB, 1000 …')
            [CompletionResult]::new('--time', '--time', [CompletionResultType]::ParameterName, 'Show another time than that of the last modification: atime, ctime or birth')
            [CompletionResult]::new('--time-style', '--time-style', [CompletionResultType]::ParameterName, 'Show times as full-iso, long-iso, iso, locale, or +FORMAT')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Mark names by type: / directory, * executable, @ link, | pipe, = socket')
            [CompletionResult]::new('--classify', '--classify', [CompletionResultType]::ParameterName, 'Mark names by type: / directory, * executable, @ link, | pipe, = socket')
            [CompletionResult]::new('--indicator-style', '--indicator-style', [CompletionResultType]::ParameterName, 'Choose the marks by a word: none, slash, file-type or classify')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Paint names as LS_COLORS says: always, auto or never')
            [CompletionResult]::new('--hyperlink', '--hyperlink', [CompletionResultType]::ParameterName, 'Turn names into links to their files: always, auto or never')
            [CompletionResult]::new('--quoting-style', '--quoting-style', [CompletionResultType]::ParameterName, 'Quote names in this style: literal, shell, shell-always, shell-escape, shell-escape-always, c, c-maybe, escape, locale, clocale')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'With --tree or -R, go at most this many levels deep; 0 lists only the paths')
            [CompletionResult]::new('--stats', '--stats', [CompletionResultType]::ParameterName, 'Print to standard error what the run did')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Use exactly this many workers (default: as many as pay off)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Use exactly this many workers (default: as many as pay off)')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'List names that begin with a dot too, . and .. included')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'List names that begin with a dot too, . and .. included')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'Like -a, but without . and .. themselves')
            [CompletionResult]::new('--almost-all', '--almost-all', [CompletionResultType]::ParameterName, 'Like -a, but without . and .. themselves')
            [CompletionResult]::new('-B', '-B ', [CompletionResultType]::ParameterName, 'Leave out names that end in ~')
            [CompletionResult]::new('--ignore-backups', '--ignore-backups', [CompletionResultType]::ParameterName, 'Leave out names that end in ~')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'List directories themselves, not their contents')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'List directories themselves, not their contents')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'List subdirectories too, one after another')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'List subdirectories too, one after another')
            [CompletionResult]::new('-L', '-L ', [CompletionResultType]::ParameterName, 'Show what links lead to instead of the links')
            [CompletionResult]::new('--dereference', '--dereference', [CompletionResultType]::ParameterName, 'Show what links lead to instead of the links')
            [CompletionResult]::new('-H', '-H ', [CompletionResultType]::ParameterName, 'Follow links that are given as paths')
            [CompletionResult]::new('--dereference-command-line', '--dereference-command-line', [CompletionResultType]::ParameterName, 'Follow links that are given as paths')
            [CompletionResult]::new('--dereference-command-line-symlink-to-dir', '--dereference-command-line-symlink-to-dir', [CompletionResultType]::ParameterName, 'Follow links that are given as paths and lead to directories')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'List in columns, sorted downwards (the default on a terminal)')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'List in columns, sorted across')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'List one after another, with commas')
            [CompletionResult]::new('-1', '-1', [CompletionResultType]::ParameterName, 'List one per line (the default if the output is no terminal)')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'List one per line with mode, links, owner, group, size and time')
            [CompletionResult]::new('-D', '-D ', [CompletionResultType]::ParameterName, 'After -l, say where names stand in the output, for Emacs')
            [CompletionResult]::new('--dired', '--dired', [CompletionResultType]::ParameterName, 'After -l, say where names stand in the output, for Emacs')
            [CompletionResult]::new('--zero', '--zero', [CompletionResultType]::ParameterName, 'End each line with a null byte; implies -1 -N --color=never --show-control-chars')
            [CompletionResult]::new('-S', '-S ', [CompletionResultType]::ParameterName, 'Sort by size, largest first')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Sort by time, newest first; --time says by which')
            [CompletionResult]::new('-X', '-X ', [CompletionResultType]::ParameterName, 'Sort by extension')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Sort by name, comparing numbers by value')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Do not sort: list entries as the directory does')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Like -U and -a; undoes -l, -s, --color and --hyperlink')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Reverse the order')
            [CompletionResult]::new('--reverse', '--reverse', [CompletionResultType]::ParameterName, 'Reverse the order')
            [CompletionResult]::new('--group-directories-first', '--group-directories-first', [CompletionResultType]::ParameterName, 'List directories, and links to them, before everything else')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Like -l, but without the owner')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Like -l, but without the group')
            [CompletionResult]::new('-G', '-G ', [CompletionResultType]::ParameterName, 'With -l, leave out the group')
            [CompletionResult]::new('--no-group', '--no-group', [CompletionResultType]::ParameterName, 'With -l, leave out the group')
            [CompletionResult]::new('--author', '--author', [CompletionResultType]::ParameterName, 'With -l, show the author (here: the owner) too')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Like -l, but with numbers for owner and group')
            [CompletionResult]::new('--numeric-uid-gid', '--numeric-uid-gid', [CompletionResultType]::ParameterName, 'Like -l, but with numbers for owner and group')
            [CompletionResult]::new('-i', '-i', [CompletionResultType]::ParameterName, 'Show each file''s inode number')
            [CompletionResult]::new('--inode', '--inode', [CompletionResultType]::ParameterName, 'Show each file''s inode number')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Show the blocks that each file takes')
            [CompletionResult]::new('--size', '--size', [CompletionResultType]::ParameterName, 'Show the blocks that each file takes')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'With -l and -s, show sizes like 1K 234M 2G')
            [CompletionResult]::new('--human-readable', '--human-readable', [CompletionResultType]::ParameterName, 'With -l and -s, show sizes like 1K 234M 2G')
            [CompletionResult]::new('--si', '--si', [CompletionResultType]::ParameterName, 'Like -h, but in powers of 1000')
            [CompletionResult]::new('-k', '-k', [CompletionResultType]::ParameterName, 'Count blocks of 1024 bytes, with -s and in totals')
            [CompletionResult]::new('--kibibytes', '--kibibytes', [CompletionResultType]::ParameterName, 'Count blocks of 1024 bytes, with -s and in totals')
            [CompletionResult]::new('-Z', '-Z ', [CompletionResultType]::ParameterName, 'Show each file''s security context')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Show each file''s security context')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Show when metadata last changed; without -l, sort by it')
            [CompletionResult]::new('-u', '-u', [CompletionResultType]::ParameterName, 'Show when files were last accessed; without -l, sort by it')
            [CompletionResult]::new('--full-time', '--full-time', [CompletionResultType]::ParameterName, 'Like -l --time-style=full-iso')
            [CompletionResult]::new('--file-type', '--file-type', [CompletionResultType]::ParameterName, 'Like -F, but without *')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Mark only directories, with /')
            [CompletionResult]::new('-N', '-N ', [CompletionResultType]::ParameterName, 'Show names as they are')
            [CompletionResult]::new('--literal', '--literal', [CompletionResultType]::ParameterName, 'Show names as they are')
            [CompletionResult]::new('-b', '-b', [CompletionResultType]::ParameterName, 'Show C escapes for characters that cannot be shown')
            [CompletionResult]::new('--escape', '--escape', [CompletionResultType]::ParameterName, 'Show C escapes for characters that cannot be shown')
            [CompletionResult]::new('-Q', '-Q ', [CompletionResultType]::ParameterName, 'Show names in double quotes')
            [CompletionResult]::new('--quote-name', '--quote-name', [CompletionResultType]::ParameterName, 'Show names in double quotes')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show ? for characters that cannot be shown (the default on a terminal)')
            [CompletionResult]::new('--hide-control-chars', '--hide-control-chars', [CompletionResultType]::ParameterName, 'Show ? for characters that cannot be shown (the default on a terminal)')
            [CompletionResult]::new('--show-control-chars', '--show-control-chars', [CompletionResultType]::ParameterName, 'Show control characters as they are')
            [CompletionResult]::new('--tree', '--tree', [CompletionResultType]::ParameterName, 'Show the whole tree, with lines from each directory to its entries')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object per line')
            [CompletionResult]::new('--icons', '--icons', [CompletionResultType]::ParameterName, 'Show a symbol in front of each name, chosen by name and type alone')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say what is asked of the file system, and why')
            [CompletionResult]::new('--cached', '--cached', [CompletionResultType]::ParameterName, 'Accept metadata that a network file system has cached')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no configuration')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Show this and exit')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Show the version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Show the version')
            break
        }
        'brisk;rm' {
            [CompletionResult]::new('--interactive', '--interactive', [CompletionResultType]::ParameterName, 'Ask never, once (like -I) or always (like -i)')
            [CompletionResult]::new('--preserve-root', '--preserve-root', [CompletionResultType]::ParameterName, 'Do not remove ''/'' (the default); with ''all'', no mount point either')
            [CompletionResult]::new('--older-than', '--older-than', [CompletionResultType]::ParameterName, 'Remove only files that were not modified for this long')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show the progress: auto, always or never')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Use exactly this many workers (default: as many as pay off)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Use exactly this many workers (default: as many as pay off)')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Ignore files that do not exist, and never ask')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Ignore files that do not exist, and never ask')
            [CompletionResult]::new('-i', '-i', [CompletionResultType]::ParameterName, 'Ask before every removal')
            [CompletionResult]::new('-I', '-I ', [CompletionResultType]::ParameterName, 'Ask once before removing more than three files, or recursively')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Remove directories and everything below them')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Remove directories and everything below them')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Remove directories and everything below them')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Remove empty directories')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Remove empty directories')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print what is removed')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print what is removed')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Do not enter other file systems (the default)')
            [CompletionResult]::new('--no-preserve-root', '--no-preserve-root', [CompletionResultType]::ParameterName, 'Treat ''/'' like any other directory')
            [CompletionResult]::new('--cross-mounts', '--cross-mounts', [CompletionResultType]::ParameterName, 'Also empty file systems that are mounted below')
            [CompletionResult]::new('--keep-root', '--keep-root', [CompletionResultType]::ParameterName, 'Empty directories instead of removing them')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Remove nothing; print what would be removed')
            [CompletionResult]::new('--background', '--background', [CompletionResultType]::ParameterName, 'Return at once, and remove in the background')
            [CompletionResult]::new('--finish', '--finish', [CompletionResultType]::ParameterName, 'Remove the trees that --background left')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'With --finish, show what is left, and since when')
            [CompletionResult]::new('--stats', '--stats', [CompletionResultType]::ParameterName, 'Print to standard error what the run did')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the same as JSON, to standard output')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Show a summary (-h) or the full help (--help)')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Show a summary (-h) or the full help (--help)')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Show the version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Show the version')
            break
        }
        'brisk;bench' {
            [CompletionResult]::new('--runs', '--runs', [CompletionResultType]::ParameterName, 'How often each of them runs, after a first run [default: 9]')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write every figure to FILE, as JSON')
            [CompletionResult]::new('--html', '--html', [CompletionResultType]::ParameterName, 'Write the report to FILE, as a page with bar charts')
            [CompletionResult]::new('--scratch', '--scratch', [CompletionResultType]::ParameterName, 'Where rm makes its copies, on DIR''s file system [default: beside DIR]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Show a summary (-h) or the full help (--help)')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Show a summary (-h) or the full help (--help)')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Show the version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Show the version')
            [CompletionResult]::new('--keep-caches', '--keep-caches', [CompletionResultType]::ParameterName, 'Do not drop the system''s caches before first runs (only root can)')
            break
        }
        'brisk;completions' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Show a summary (-h) or the full help (--help)')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Show a summary (-h) or the full help (--help)')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Show the version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Show the version')
            break
        }
        'brisk;man' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Show a summary (-h) or the full help (--help)')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Show a summary (-h) or the full help (--help)')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Show the version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Show the version')
            break
        }
        'brisk;help' {
            [CompletionResult]::new('find', 'find', [CompletionResultType]::ParameterValue, 'List a file tree: all of it, or the entries that match a pattern and filters.')
            [CompletionResult]::new('ls', 'ls', [CompletionResultType]::ParameterValue, 'List directories, with every option of GNU ls.')
            [CompletionResult]::new('rm', 'rm', [CompletionResultType]::ParameterValue, 'Remove files, and with -r directory trees, in parallel and safely.')
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
