
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
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'brisk;help' {
            [CompletionResult]::new('find', 'find', [CompletionResultType]::ParameterValue, 'Lists a file tree: all of it, or the entries that a pattern and filters keep.')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'brisk;help;find' {
            break
        }
        'brisk;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
