module completions {

  # Work on large file trees, as fast as the kernel and the storage allow
  export extern brisk [
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  def "nu-complete brisk find order" [] {
    [ "none" "depth" "breadth" "sorted" ]
  }

  def "nu-complete brisk find type" [] {
    [ "file" "directory" "symlink" "block-device" "char-device" "executable" "empty" "socket" "pipe" ]
  }

  def "nu-complete brisk find color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete brisk find hyperlink" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete brisk find strip-cwd-prefix" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete brisk find sort" [] {
    [ "path" "path,reverse" "name" "name,reverse" "extension" "extension,reverse" "size" "size,reverse" "time" "time,reverse" ]
  }

  def "nu-complete brisk find stats" [] {
    [ "text" "json" ]
  }

  def "nu-complete brisk find progress" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete brisk find gen-completions" [] {
    [ "bash" "elvish" "fish" "nushell" "powershell" "zsh" "" ]
  }

  # List a file tree: all of it, or the entries that match a pattern and filters.
  export extern "brisk find" [
    --match: string           # Only names that match this pattern (--full-path: absolute paths)
    --case-sensitive(-s)      # Distinguish upper and lower case (default: smart case)
    --ignore-case(-i)         # Ignore case (default: smart case)
    --glob(-g)                # Treat the pattern as a glob (default: a regular expression)
    --regex                   # Treat the pattern as a regular expression (the default); overrides --glob
    --fixed-strings(-F)       # Treat the pattern as literal text, anywhere in the name
    --exact                   # Treat the pattern as the literal whole name; with --full-path, the whole path
    --and: string             # Require this pattern, in the same syntax, to match too
    --full-path(-p)           # Match the absolute path (default: only the name)
    --hidden(-H)              # Include hidden entries; --no-hidden leaves them out
    --no-hidden
    --no-ignore(-I)           # Include what ignore files exclude; --ignore leaves it out
    --ignore
    --unrestricted(-u)        # Include everything: the same as --hidden --no-ignore
    --no-ignore-vcs           # Do not obey .gitignore or git's own exclude files
    --ignore-vcs
    --no-require-git          # Obey .gitignore outside git repositories too
    --require-git
    --no-ignore-parent        # Do not obey ignore files in directories above the search path
    --ignore-parent
    --no-global-ignore-file   # Do not obey the global ignore file
    --exclude(-E): string     # Leave out entries that match this glob
    --exclude-regex: string   # Leave out entries whose path matches this regular expression
    --ignore-file: path       # Obey this file too, in the format of .gitignore; every other rule overrides it
    --ignore-contain: string  # Leave out directories that contain an entry of this name
    --max-depth(-d): string   # Go at most this many levels deep (default: no limit)
    --min-depth: string       # List only entries at this depth or deeper
    --exact-depth: string     # List only entries at exactly this depth
    --one-file-system         # Stay on the file system of the search path
    --ignored                 # Look only for what ignore files and --exclude leave out
    --follow(-L)              # Follow symbolic links
    --no-follow
    --order: string@"nu-complete brisk find order" # The order of the results
    --unique                  # List each file and directory only once
    --index: path             # Keep names and types in this file, and read only what has changed
    --cached                  # Accept metadata that a network file system has cached
    --threads(-j): string     # Use exactly this many workers (default: as many as pay off)
    --base-directory(-C): path # Work in this directory: relative paths begin there
    --search-path: path       # Where to look, instead of [path] arguments
    --type(-t): string@"nu-complete brisk find type" # Only f files, d directories, l links, x executables, e empty
    --older-than: string      # Only files, not directories, that were last modified before this time
    --extension(-e): string   # Only names with this extension
    --size(-S): string        # Only this size: +10M at least, -4k at most (k 1000, ki 1024)
    --changed-within: string  # Modified since 2weeks ago or today; --changed-before: earlier
    --changed-before: string  # Only what was last modified before this time
    --ctime-within: string    # Only what changed after this time (ctime): contents, mode, owner, name or number of links
    --ctime-before: string    # Only what last changed before this time (ctime)
    --created-within: string  # Only what was created after this time (birth time)
    --created-before: string  # Only what was created before this time (birth time)
    --owner(-o): string       # Only what belongs to this user or group: root, :staff, '!root'
    --where: string           # Only what find(1)'s tests choose: '-links +1 -o -perm /u+s'
    --prune                   # Do not enter directories that match
    --absolute-path(-a)       # Show absolute paths, with links in the search path resolved
    --relative-path
    --list-details(-l)        # Show details, as 'ls -l' does
    --format: string          # Print each result in this form: '{size} {}'
    --json                    # Print one JSON object per line
    --print0(-0)              # End each result with a null byte instead of a newline, for 'xargs -0'
    --color(-c): string@"nu-complete brisk find color" # When to use colours
    --hyperlink: string@"nu-complete brisk find hyperlink" # Turn paths into links to their files
    --path-separator: string  # Show this instead of '/' between the components of paths
    --strip-cwd-prefix: string@"nu-complete brisk find strip-cwd-prefix" # When to leave out './'
    --max-results: string     # Stop after this many results; with --sort, print only the first of them in that order (0: no limit)
    -1                        # Stop after one result: the same as --max-results=1
    --quiet(-q)               # Print nothing; exit with 0 if something matches, else with 1
    --count                   # Print only the number of results
    --sort: string@"nu-complete brisk find sort" # Sort by size (largest first), time (newest), name, …, or size,reverse
    --parts: string           # Write the results into this many lists of about equal size
    --part-size: string       # Write the results into lists of at most this many bytes: 100G
    --part-files: string      # Write the results into lists of at most this many results: 1M
    --part-name: path         # The prefix of the lists' names (default: part, for part.1, part.2)
    --overwrite               # Replace lists of an earlier search
    --show-errors             # Report what cannot be read (the default)
    --no-show-errors
    --max-errors: string      # Give up after this many errors (default: no limit)
    --max-buffer-time: string # How long to hold results back to print them sorted
    --explain                 # Say what is requested from the file system, and why
    --stats: string@"nu-complete brisk find stats" # Print to standard error what the run did
    --progress: string@"nu-complete brisk find progress" # Show the progress: auto, always or never
    --no-config               # Read no configuration
    --gen-completions: string@"nu-complete brisk find gen-completions" # Print completions for a shell
    --exec(-x): string        # Run a command for each result; -X: once with all
    --exec-batch(-X): string  # Run a command once with all results
    --batch-size: string      # Pass at most this many results to each command of -X (0: as many as fit)
    --delete                  # Remove the results
    --dry-run                 # With --delete, list what would be removed, and remove nothing
    --help(-h)                # Show a summary (-h) or the full help (--help)
    --version(-V)             # Show the version
    pattern?: string          # What to look for: a regular expression, or with --glob a glob
    ...path: path             # Where to look (default: the current directory)
  ]

  def "nu-complete brisk ls layout" [] {
    [ "verbose" "commas" "horizontal" "vertical" "single-column" ]
  }

  def "nu-complete brisk ls format" [] {
    [ "verbose" "commas" "horizontal" "vertical" "single-column" ]
  }

  def "nu-complete brisk ls sort" [] {
    [ "none" "time" "size" "extension" "version" "width" ]
  }

  def "nu-complete brisk ls time" [] {
    [ "atime" "ctime" "birth" ]
  }

  def "nu-complete brisk ls classify" [] {
    [ "always" "never" "auto" ]
  }

  def "nu-complete brisk ls indicator-style" [] {
    [ "none" "slash" "file-type" "classify" ]
  }

  def "nu-complete brisk ls color" [] {
    [ "always" "never" "auto" ]
  }

  def "nu-complete brisk ls hyperlink" [] {
    [ "always" "never" "auto" ]
  }

  def "nu-complete brisk ls quoting-style" [] {
    [ "literal" "shell" "shell-always" "shell-escape" "shell-escape-always" "c" "c-maybe" "escape" "locale" "clocale" ]
  }

  def "nu-complete brisk ls explain" [] {
    [ "requests" "measure" ]
  }

  def "nu-complete brisk ls stats" [] {
    [ "text" "json" ]
  }

  # List directories, with every option of GNU ls.
  export extern "brisk ls" [
    --all(-a)                 # List names that begin with a dot too, . and .. included
    --almost-all(-A)          # Like -a, but without . and .. themselves
    --ignore-backups(-B)      # Leave out names that end in ~
    --ignore(-I): string      # Leave out names that match this shell pattern
    --hide: string            # Leave out names that match this shell pattern, unless -a or -A is given
    --directory(-d)           # List directories themselves, not their contents
    --recursive(-R)           # List subdirectories too, one after another
    --dereference(-L)         # Show what links lead to instead of the links
    --dereference-command-line(-H) # Follow links that are given as paths
    --dereference-command-line-symlink-to-dir # Follow links that are given as paths and lead to directories
    -C                        # List in columns, sorted downwards (the default on a terminal)
    -x                        # List in columns, sorted across
    -m                        # List one after another, with commas
    -1                        # List one per line (the default except on a terminal)
    -l                        # List one per line with mode, links, owner, group, size and time
    --layout: string@"nu-complete brisk ls layout" # Choose the layout by a word: across, commas, long, single-column or vertical
    --format: string@"nu-complete brisk ls format" # Choose the layout by a word: across, commas, long, single-column or vertical
    --width(-w): string       # Make lines at most this wide; 0 for no limit
    --tabsize(-T): string     # Assume tab stops at this distance; 0 for no tabs
    --dired(-D)               # After -l, say where names stand in the output, for Emacs
    --zero                    # End each line with a null byte; implies -1 -N --color=never --show-control-chars
    -S                        # Sort by size, largest first
    -t                        # Sort by time, newest first; --time says by which
    -X                        # Sort by extension
    -v                        # Sort by name, comparing numbers by value
    -U                        # Do not sort: list entries as the directory does
    -f                        # Like -U and -a; undoes -l, -s, --color and --hyperlink
    --sort: string@"nu-complete brisk ls sort" # Sort by extension, none, size, time, version or width instead of by name
    --reverse(-r)             # Reverse the order
    --group-directories-first # List directories, and links to them, before everything else
    -g                        # Like -l, but without the owner
    -o                        # Like -l, but without the group
    --no-group(-G)            # With -l, leave out the group
    --author                  # With -l, show the author (here: the owner) too
    --numeric-uid-gid(-n)     # Like -l, but with numbers for owner and group
    --inode(-i)               # Show each file's inode number
    --size(-s)                # Show the blocks that each file takes
    --human-readable(-h)      # With -l and -s, show sizes like 1K 234M 2G
    --si                      # Like -h, but in powers of 1000
    --kibibytes(-k)           # Count blocks of 1024 bytes, with -s and in totals
    --block-size: string      # With -l and -s, show sizes in this unit: K, MB, 1000 …
    --context(-Z)             # Show each file's security context
    -c                        # Show when metadata last changed; without -l, sort by it
    -u                        # Show when files were last accessed; without -l, sort by it
    --time: string@"nu-complete brisk ls time" # Show another time than that of the last modification: atime, ctime or birth
    --time-style: string      # Show times as full-iso, long-iso, iso, locale, or +FORMAT
    --full-time               # Like -l --time-style=full-iso
    --classify(-F): string@"nu-complete brisk ls classify" # Mark names by type: / directory, * executable, @ link, | pipe, = socket
    --file-type               # Like -F, but without *
    -p                        # Mark only directories, with /
    --indicator-style: string@"nu-complete brisk ls indicator-style" # Choose the marks by a word: none, slash, file-type or classify
    --color: string@"nu-complete brisk ls color" # Paint names as LS_COLORS says: always, auto or never
    --hyperlink: string@"nu-complete brisk ls hyperlink" # Turn names into links to their files: always, auto or never
    --literal(-N)             # Show names as they are
    --escape(-b)              # Show C escapes for characters that cannot be shown
    --quote-name(-Q)          # Show names in double quotes
    --quoting-style: string@"nu-complete brisk ls quoting-style" # Quote names in this style: literal, shell, shell-always, shell-escape, shell-escape-always, c, c-maybe, escape, locale, clocale
    --hide-control-chars(-q)  # Show ? for characters that cannot be shown (the default on a terminal)
    --show-control-chars      # Show control characters as they are
    --tree                    # Show the whole tree, with lines from each directory to its entries
    --max-depth: string       # With --tree or -R, go at most this many levels deep; 0 lists only the paths
    --git-ignore              # Leave out what .gitignore, .ignore and .fdignore exclude, as brisk find does
    --json                    # Print one JSON object per line
    --icons                   # Show a symbol in front of each name, chosen by name and type
    --explain: string@"nu-complete brisk ls explain" # Say what is requested from the file system, and why
    --stats: string@"nu-complete brisk ls stats" # Print to standard error what the run did
    --threads(-j): string     # Use exactly this many workers (default: as many as pay off)
    --cached                  # Accept metadata that a network file system has cached
    --no-config               # Read no configuration
    --help                    # Show this and exit
    --version(-V)             # Show the version
    ...path: string           # What to list (default: the current directory)
  ]

  def "nu-complete brisk rm interactive" [] {
    [ "never" "once" "always" ]
  }

  def "nu-complete brisk rm progress" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete brisk rm stats" [] {
    [ "text" "json" ]
  }

  # Remove files, and with -r directory trees, in parallel and safely.
  export extern "brisk rm" [
    --force(-f)               # Ignore files that do not exist, and never ask
    -i                        # Ask before every removal
    -I                        # Ask once before removing more than three files, or recursively
    --interactive: string@"nu-complete brisk rm interactive" # Ask never, once (like -I) or always (like -i)
    --recursive(-r)           # Remove directories and everything below them
    -R                        # Remove directories and everything below them
    --dir(-d)                 # Remove empty directories
    --verbose(-v)             # Print what is removed
    --one-file-system         # Do not enter other file systems (the default)
    --preserve-root: string   # Do not remove '/' (the default); with 'all', no mount point either
    --no-preserve-root        # Treat '/' like any other directory
    --cross-mounts            # Also empty file systems that are mounted below
    --keep-root               # Empty directories instead of removing them
    --older-than: string      # Remove only files not modified for this long: 30d, 1y
    --wait: string            # Try what is in use again for this long: 2s, 1min
    --files0-from: path       # Remove the files that FILE lists, each name ended by NUL
    --dry-run(-n)             # Remove nothing; print count and size (-v: names too)
    --background              # Return at once, and remove in the background
    --finish                  # Remove the trees that --background left
    --list                    # With --finish, show what is left, and since when
    --progress: string@"nu-complete brisk rm progress" # Show the progress: auto, always or never
    --explain                 # Say what is requested from the file system, and why
    --stats: string@"nu-complete brisk rm stats" # Print to standard error what the run did
    --json                    # Print the same as JSON, to standard output
    --threads(-j): string     # Use exactly this many workers (default: as many as pay off)
    --help(-h)                # Show a summary (-h) or the full help (--help)
    --version(-V)             # Show the version
    ...path: path             # The files to remove; after --, also names that begin with a dash
  ]

  def "nu-complete brisk cp update" [] {
    [ "older" "changed" ]
  }

  def "nu-complete brisk cp reflink" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete brisk cp sparse" [] {
    [ "never" "auto" "always" ]
  }

  def "nu-complete brisk cp type" [] {
    [ "file" "directory" "symlink" "block-device" "char-device" "executable" "empty" "socket" "pipe" ]
  }

  def "nu-complete brisk cp progress" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete brisk cp stats" [] {
    [ "text" "json" ]
  }

  # Copy files, and with -R directory trees, in parallel and safely.
  export extern "brisk cp" [
    --archive(-a)             # Copy trees with everything: the same as -dR --preserve=all
    --recursive(-R)           # Copy whole trees
    -r                        # Copy whole trees
    -d                        # The same as --no-dereference --preserve=links
    -H                        # Follow links that are arguments
    --dereference(-L)         # Follow all links
    --no-dereference(-P)      # Copy links as links (the default with -R)
    --link(-l)                # Make hard links, not copies
    --symbolic-link(-s)       # Make symbolic links, not copies
    --attributes-only         # Copy no contents, only the attributes that are preserved
    --copy-contents           # With -R, read from FIFOs and devices, instead of making new ones
    --one-file-system(-x)     # Copy nothing from other file systems
    -p                        # The same as --preserve=mode,ownership,timestamps
    --preserve: string        # Preserve these: mode, ownership, timestamps, links, xattr, context, all
    --no-preserve: string     # Do not preserve these
    -Z                        # Give copies the security context of new files (the default)
    --context: string         # Like -Z; with SELinux a CONTEXT is refused, elsewhere it is ignored with a warning
    --force(-f)               # Replace a destination that cannot be opened for writing
    --remove-destination      # Replace each destination instead of writing to it
    --interactive(-i)         # Ask before overwriting
    --no-clobber(-n)          # Overwrite nothing
    --update(-u): string@"nu-complete brisk cp update" # Overwrite only what is older than its source, or only what differs (changed)
    -b                        # The same as --backup
    --backup: string          # Keep each destination under another name: none, simple, existing or numbered
    --suffix(-S): string      # The suffix of simple backups (default: SIMPLE_BACKUP_SUFFIX, or ~)
    --target-directory(-t): string # Copy all arguments into DIRECTORY
    --no-target-directory(-T) # The last argument is the copy itself, even if it is a directory
    --parents                 # Recreate each argument's path in the destination: d/f becomes DIRECTORY/d/f
    --strip-trailing-slashes  # Remove slashes from the ends of the arguments
    --reflink: string@"nu-complete brisk cp reflink" # Share blocks with the source: auto (where it can), always (or fail), never
    --sparse: string@"nu-complete brisk cp sparse" # Make holes: never, where the source has them (auto), or for zeros too (always)
    --verbose(-v)             # Print what is copied
    --content                 # With --update=changed, compare contents too
    --delete                  # With -R, remove from the destination what the source does not have
    --sync                    # Wait until everything is on the disk
    --dry-run                 # Copy nothing; print how many files would be copied and, with -v, which
    --match: string           # Only names that match this pattern (--full-path: absolute paths)
    --case-sensitive          # Distinguish upper and lower case (default: smart case)
    --ignore-case             # Ignore case (default: smart case)
    --glob                    # Treat the pattern as a glob (default: a regular expression)
    --regex                   # Treat the pattern as a regular expression (the default); overrides --glob
    --fixed-strings           # Treat the pattern as literal text, anywhere in the name
    --exact                   # Treat the pattern as the literal whole name; with --full-path, the whole path
    --and: string             # Require this pattern, in the same syntax, to match too
    --full-path               # Match the absolute path (default: only the name)
    --hidden                  # Include hidden entries; --no-hidden leaves them out
    --no-hidden
    --no-ignore               # Include what ignore files exclude; --ignore leaves it out
    --ignore
    --unrestricted            # Include everything: the same as --hidden --no-ignore
    --no-ignore-vcs           # Do not obey .gitignore or git's own exclude files
    --ignore-vcs
    --no-require-git          # Obey .gitignore outside git repositories too
    --require-git
    --no-ignore-parent        # Do not obey ignore files in directories above the search path
    --ignore-parent
    --no-global-ignore-file   # Do not obey the global ignore file
    --exclude(-E): string     # Leave out entries that match this glob
    --exclude-regex: string   # Leave out entries whose path matches this regular expression
    --ignore-file: path       # Obey this file too, in the format of .gitignore; every other rule overrides it
    --ignore-contain: string  # Leave out directories that contain an entry of this name
    --type: string@"nu-complete brisk cp type" # Only f files, d directories, l links, x executables, e empty
    --older-than: string      # Only files, not directories, that were last modified before this time
    --extension: string       # Only names with this extension
    --size: string            # Only this size: +10M at least, -4k at most (k 1000, ki 1024)
    --changed-within: string  # Modified since 2weeks ago or today; --changed-before: earlier
    --changed-before: string  # Only what was last modified before this time
    --ctime-within: string    # Only what changed after this time (ctime): contents, mode, owner, name or number of links
    --ctime-before: string    # Only what last changed before this time (ctime)
    --created-within: string  # Only what was created after this time (birth time)
    --created-before: string  # Only what was created before this time (birth time)
    --owner: string           # Only what belongs to this user or group: root, :staff, '!root'
    --where: string           # Only what find(1)'s tests choose: '-links +1 -o -perm /u+s'
    --progress: string@"nu-complete brisk cp progress" # Show the progress: auto, always or never
    --explain                 # Copy nothing; say what would be requested from the file system, and why
    --stats: string@"nu-complete brisk cp stats" # Print to standard error what the run did
    --json                    # Print what was done as JSON, to standard output (-v: each copied entry too)
    --threads(-j): string     # Use exactly this many workers (default: as many as pay off)
    --help                    # Show this and exit
    --version                 # Show the version
    ...path: path             # What to copy; the last one is the destination, unless -t names it
  ]

  def "nu-complete brisk du time" [] {
    [ "atime" "ctime" ]
  }

  def "nu-complete brisk du by" [] {
    [ "owner" "extension" "age" "type" ]
  }

  def "nu-complete brisk du color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete brisk du type" [] {
    [ "file" "symlink" "block-device" "char-device" "executable" "empty" "socket" "pipe" ]
  }

  def "nu-complete brisk du stats" [] {
    [ "text" "json" ]
  }

  def "nu-complete brisk du progress" [] {
    [ "auto" "always" "never" ]
  }

  # Show what takes up the space: GNU du's options, and a tree with bars.
  export extern "brisk du" [
    --null(-0)                # End each line with a null byte
    --all(-a)                 # Show files too
    --apparent-size           # Count the lengths of files, not the disk space that they take up
    --block-size: string      # Show sizes in units of SIZE: 1K, MB, human-readable
    -B: string                # The same as --block-size
    --bytes(-b)               # The same as --apparent-size --block-size=1
    --total(-c)               # Show the sum of all paths
    --dereference-args(-D)    # Follow links that are given as paths
    -H                        # Follow links that are given as paths
    --max-depth(-d): string   # Show nothing deeper than N levels below a path
    --files0-from: string     # Count the paths in FILE, each followed by a null byte; - is standard input
    --human-readable(-h)      # Show sizes as 1K, 234M, 2G
    --inodes                  # Count files and directories, not bytes
    -k                        # The same as --block-size=1K
    --dereference(-L)         # Follow all links
    --count-links(-l)         # Count a file once for each of its hard links
    -m                        # The same as --block-size=1M
    --no-dereference(-P)      # Follow no links (the default)
    --separate-dirs(-S)       # Leave subdirectories out of the sums of directories
    --si                      # The same as -h, in powers of 1000
    --summarize(-s)           # One line per path
    --threshold: string       # Leave out entries smaller than SIZE; if SIZE is negative, those larger than its absolute value
    -t: string                # The same as --threshold
    --time: string@"nu-complete brisk du time" # Show the newest time in each directory: mtime (the default), atime or ctime
    --time-style: string      # Show times as full-iso, long-iso, iso, or +FORMAT as in date(1)
    --exclude-from(-X): string # Leave out what matches a shell pattern in FILE, one pattern per line
    --exclude: string         # Leave out what matches the shell pattern, with everything below it
    --one-file-system(-x)     # Leave out other file systems
    --interactive(-i)         # Browse the tree on the whole terminal, and remove from it
    --print                   # With -i: accept a standard output that is not a terminal, for the key o
    --read-only               # With -i: remove nothing
    --from: path              # With -i: show a count that --json or ncdu -o wrote to FILE
    --top: string             # Show only the N largest
    --tree                    # Show the tree with bars even if the output is not a terminal
    --min: string             # Leave out what is smaller than SIZE: 10M is 10 MiB, 10MB 10,000,000 bytes
    --older-than: string      # Show only directories in which nothing was modified for this long
    --by: string@"nu-complete brisk du by" # Add up by owner, extension, age or type instead of by directory
    --print0                  # Print only the paths, each followed by a null byte
    --json                    # Print each directory as JSON
    --color: string@"nu-complete brisk du color" # When to colour the sizes and bars of the tree
    --html: path              # Write a page with a zoomable treemap
    --reflinks                # Count extents that files share once (FIEMAP)
    --frees                   # Show what removing each directory would free
    --no-shortcuts            # Read the tree even where the file system knows the sums (CephFS)
    --hidden                  # Include hidden entries; --no-hidden leaves them out
    --no-hidden
    --no-ignore               # Include what ignore files exclude; --ignore leaves it out
    --ignore
    --unrestricted            # Include everything: the same as --hidden --no-ignore
    --no-ignore-vcs           # Do not obey .gitignore or git's own exclude files
    --ignore-vcs
    --no-require-git          # Obey .gitignore outside git repositories too
    --require-git
    --no-ignore-parent        # Do not obey ignore files in directories above the search path
    --ignore-parent
    --no-global-ignore-file   # Do not obey the global ignore file
    --match: string           # Only names that match this pattern (--full-path: absolute paths)
    --case-sensitive          # Distinguish upper and lower case (default: smart case)
    --ignore-case             # Ignore case (default: smart case)
    --glob                    # Treat the pattern as a glob (default: a regular expression)
    --regex                   # Treat the pattern as a regular expression (the default); overrides --glob
    --fixed-strings           # Treat the pattern as literal text, anywhere in the name
    --exact                   # Treat the pattern as the literal whole name; with --full-path, the whole path
    --and: string             # Require this pattern, in the same syntax, to match too
    --full-path               # Match the absolute path (default: only the name)
    --type: string@"nu-complete brisk du type" # Count only files of this type: f, l, s, p, b, c, x or e, as in brisk find
    --extension: string       # Only names with this extension
    --size: string            # Only this size: +10M at least, -4K at most (K 1024, KB 1000)
    --changed-within: string  # Modified since 2weeks ago or today; --changed-before: earlier
    --changed-before: string  # Only what was last modified before this time
    --ctime-within: string    # Only what changed after this time (ctime): contents, mode, owner, name or number of links
    --ctime-before: string    # Only what last changed before this time (ctime)
    --created-within: string  # Only what was created after this time (birth time)
    --created-before: string  # Only what was created before this time (birth time)
    --owner: string           # Only what belongs to this user or group: root, :staff, '!root'
    --where: string           # Only what find(1)'s tests choose: '-links +1 -o -perm /u+s'
    --explain                 # Say what is requested from the file system, and why
    --stats: string@"nu-complete brisk du stats" # Print to standard error what the run did
    --progress: string@"nu-complete brisk du progress" # Show the progress: auto, always or never
    --threads(-j): string     # Use exactly this many workers (default: as many as pay off)
    --help                    # Show this and exit
    --version                 # Show the version
    ...path: path             # What to add up (default: the current directory)
  ]

  def "nu-complete brisk chmod type" [] {
    [ "file" "directory" "symlink" "block-device" "char-device" "executable" "empty" "socket" "pipe" ]
  }

  def "nu-complete brisk chmod progress" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete brisk chmod stats" [] {
    [ "text" "json" ]
  }

  # Change the modes of files
  export extern "brisk chmod" [
    --changes(-c)             # Print a line for each file that is changed
    --quiet(-f)               # Print no messages about single files
    --silent                  # The same as --quiet
    --verbose(-v)             # Print a line for each file
    --preserve-root           # Do not work recursively on '/' (the default of brisk's own commands)
    --no-preserve-root        # Treat '/' like any other directory
    --reference: path         # Use what RFILE has, instead of the first argument
    --recursive(-R)           # Change directories and everything below them
    --always                  # Change even files that are already as requested
    --cross-mounts            # With -R, also change file systems that are mounted below
    --dry-run(-n)             # Change nothing; print what would be changed
    --files0-from: string     # Change the files that FILE lists, each name ended by NUL
    --match: string           # Only names that match this pattern (--full-path: absolute paths)
    --case-sensitive          # Distinguish upper and lower case (default: smart case)
    --ignore-case             # Ignore case (default: smart case)
    --glob                    # Treat the pattern as a glob (default: a regular expression)
    --regex                   # Treat the pattern as a regular expression (the default); overrides --glob
    --fixed-strings           # Treat the pattern as literal text, anywhere in the name
    --exact                   # Treat the pattern as the literal whole name; with --full-path, the whole path
    --and: string             # Require this pattern, in the same syntax, to match too
    --full-path               # Match the absolute path (default: only the name)
    --type(-t): string@"nu-complete brisk chmod type" # Only f files, d directories, l links, x executables, e empty
    --older-than: string      # Only files, not directories, that were last modified before this time
    --extension: string       # Only names with this extension
    --size: string            # Only this size: +10M at least, -4k at most (k 1000, ki 1024)
    --changed-within: string  # Modified since 2weeks ago or today; --changed-before: earlier
    --changed-before: string  # Only what was last modified before this time
    --ctime-within: string    # Only what changed after this time (ctime): contents, mode, owner, name or number of links
    --ctime-before: string    # Only what last changed before this time (ctime)
    --created-within: string  # Only what was created after this time (birth time)
    --created-before: string  # Only what was created before this time (birth time)
    --owner: string           # Only what belongs to this user or group: root, :staff, '!root'
    --where: string           # Only what find(1)'s tests choose: '-links +1 -o -perm /u+s'
    --progress: string@"nu-complete brisk chmod progress" # Show the progress: auto, always or never
    --explain                 # Say what is requested from the file system, and why
    --stats: string@"nu-complete brisk chmod stats" # Print to standard error what the run did
    --json                    # Print what was done as a JSON object, to standard output
    --threads(-j): string     # Use exactly this many workers (default: as many as pay off)
    --help                    # Show this and exit
    --version                 # Show the version
    ...path: path             # The mode, octal as 755 or symbolic as u+rwX,go-w, and then the files
  ]

  def "nu-complete brisk chown type" [] {
    [ "file" "directory" "symlink" "block-device" "char-device" "executable" "empty" "socket" "pipe" ]
  }

  def "nu-complete brisk chown progress" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete brisk chown stats" [] {
    [ "text" "json" ]
  }

  # Change the owners and groups of files
  export extern "brisk chown" [
    --changes(-c)             # Print a line for each file that is changed
    --quiet(-f)               # Print no messages about single files
    --silent                  # The same as --quiet
    --verbose(-v)             # Print a line for each file
    --preserve-root           # Do not work recursively on '/' (the default of brisk's own commands)
    --no-preserve-root        # Treat '/' like any other directory
    --reference: path         # Use what RFILE has, instead of the first argument
    --recursive(-R)           # Change directories and everything below them
    --dereference             # Change what links lead to (the default without -R)
    --no-dereference(-h)      # Change links themselves
    -H                        # With -R, follow links to directories that are arguments
    -L                        # With -R, follow all links to directories, on every file system
    -P                        # With -R, follow no links (the default)
    --from: string            # Change only files that have this owner and group; either may be omitted
    --always                  # Change even files that are already as requested
    --cross-mounts            # With -R, also change file systems that are mounted below
    --dry-run(-n)             # Change nothing; print what would be changed
    --files0-from: string     # Change the files that FILE lists, each name ended by NUL
    --match: string           # Only names that match this pattern (--full-path: absolute paths)
    --case-sensitive          # Distinguish upper and lower case (default: smart case)
    --ignore-case             # Ignore case (default: smart case)
    --glob                    # Treat the pattern as a glob (default: a regular expression)
    --regex                   # Treat the pattern as a regular expression (the default); overrides --glob
    --fixed-strings           # Treat the pattern as literal text, anywhere in the name
    --exact                   # Treat the pattern as the literal whole name; with --full-path, the whole path
    --and: string             # Require this pattern, in the same syntax, to match too
    --full-path               # Match the absolute path (default: only the name)
    --type(-t): string@"nu-complete brisk chown type" # Only f files, d directories, l links, x executables, e empty
    --older-than: string      # Only files, not directories, that were last modified before this time
    --extension: string       # Only names with this extension
    --size: string            # Only this size: +10M at least, -4k at most (k 1000, ki 1024)
    --changed-within: string  # Modified since 2weeks ago or today; --changed-before: earlier
    --changed-before: string  # Only what was last modified before this time
    --ctime-within: string    # Only what changed after this time (ctime): contents, mode, owner, name or number of links
    --ctime-before: string    # Only what last changed before this time (ctime)
    --created-within: string  # Only what was created after this time (birth time)
    --created-before: string  # Only what was created before this time (birth time)
    --owner: string           # Only what belongs to this user or group: root, :staff, '!root'
    --where: string           # Only what find(1)'s tests choose: '-links +1 -o -perm /u+s'
    --progress: string@"nu-complete brisk chown progress" # Show the progress: auto, always or never
    --explain                 # Say what is requested from the file system, and why
    --stats: string@"nu-complete brisk chown stats" # Print to standard error what the run did
    --json                    # Print what was done as a JSON object, to standard output
    --threads(-j): string     # Use exactly this many workers (default: as many as pay off)
    --help                    # Show this and exit
    --version                 # Show the version
    ...path: path             # [OWNER][:[GROUP]], names or numbers, and then the files
  ]

  def "nu-complete brisk chgrp type" [] {
    [ "file" "directory" "symlink" "block-device" "char-device" "executable" "empty" "socket" "pipe" ]
  }

  def "nu-complete brisk chgrp progress" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete brisk chgrp stats" [] {
    [ "text" "json" ]
  }

  # Change the groups of files
  export extern "brisk chgrp" [
    --changes(-c)             # Print a line for each file that is changed
    --quiet(-f)               # Print no messages about single files
    --silent                  # The same as --quiet
    --verbose(-v)             # Print a line for each file
    --preserve-root           # Do not work recursively on '/' (the default of brisk's own commands)
    --no-preserve-root        # Treat '/' like any other directory
    --reference: path         # Use what RFILE has, instead of the first argument
    --recursive(-R)           # Change directories and everything below them
    --dereference             # Change what links lead to (the default without -R)
    --no-dereference(-h)      # Change links themselves
    -H                        # With -R, follow links to directories that are arguments
    -L                        # With -R, follow all links to directories, on every file system
    -P                        # With -R, follow no links (the default)
    --always                  # Change even files that are already as requested
    --cross-mounts            # With -R, also change file systems that are mounted below
    --dry-run(-n)             # Change nothing; print what would be changed
    --files0-from: string     # Change the files that FILE lists, each name ended by NUL
    --match: string           # Only names that match this pattern (--full-path: absolute paths)
    --case-sensitive          # Distinguish upper and lower case (default: smart case)
    --ignore-case             # Ignore case (default: smart case)
    --glob                    # Treat the pattern as a glob (default: a regular expression)
    --regex                   # Treat the pattern as a regular expression (the default); overrides --glob
    --fixed-strings           # Treat the pattern as literal text, anywhere in the name
    --exact                   # Treat the pattern as the literal whole name; with --full-path, the whole path
    --and: string             # Require this pattern, in the same syntax, to match too
    --full-path               # Match the absolute path (default: only the name)
    --type(-t): string@"nu-complete brisk chgrp type" # Only f files, d directories, l links, x executables, e empty
    --older-than: string      # Only files, not directories, that were last modified before this time
    --extension: string       # Only names with this extension
    --size: string            # Only this size: +10M at least, -4k at most (k 1000, ki 1024)
    --changed-within: string  # Modified since 2weeks ago or today; --changed-before: earlier
    --changed-before: string  # Only what was last modified before this time
    --ctime-within: string    # Only what changed after this time (ctime): contents, mode, owner, name or number of links
    --ctime-before: string    # Only what last changed before this time (ctime)
    --created-within: string  # Only what was created after this time (birth time)
    --created-before: string  # Only what was created before this time (birth time)
    --owner: string           # Only what belongs to this user or group: root, :staff, '!root'
    --where: string           # Only what find(1)'s tests choose: '-links +1 -o -perm /u+s'
    --progress: string@"nu-complete brisk chgrp progress" # Show the progress: auto, always or never
    --explain                 # Say what is requested from the file system, and why
    --stats: string@"nu-complete brisk chgrp stats" # Print to standard error what the run did
    --json                    # Print what was done as a JSON object, to standard output
    --threads(-j): string     # Use exactly this many workers (default: as many as pay off)
    --help                    # Show this and exit
    --version                 # Show the version
    ...path: path             # The group, a name or a number, and then the files
  ]

  def "nu-complete brisk changed color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete brisk changed on-busy" [] {
    [ "queue" "restart" ]
  }

  def "nu-complete brisk changed type" [] {
    [ "file" "directory" "symlink" "block-device" "char-device" "executable" "empty" "socket" "pipe" ]
  }

  def "nu-complete brisk changed stats" [] {
    [ "text" "json" ]
  }

  def "nu-complete brisk changed progress" [] {
    [ "auto" "always" "never" ]
  }

  # Show what changed in directories since the last run: A added, D deleted, M modified.
  export extern "brisk changed" [
    --state: path             # Compare with this state (default: one that brisk keeps)
    --save: path              # Write the new state to NEW
    --dry-run(-n)             # Accept nothing; the filters may differ from the state's
    --content                 # Let contents decide which files changed
    --no-ctime                # Do not count a change of only the ctime (unsafe)
    --other-file-system       # Accept directories that are on another file system than before
    --no-shortcuts            # Read every directory and check every entry
    --print0(-0)              # Print status and path, each followed by a null byte
    --json                    # Print one JSON object per line
    --format: string          # Print each change in this form: '{status} {}'
    --color: string@"nu-complete brisk changed color" # When to colour the letters of changes
    --no-renames              # Print D and A for a renamed entry, not R
    --exit-code               # Exit with 1 if something changed
    --stdin0                  # Give COMMAND the paths on its standard input
    --output: string          # Leave out what COMMAND writes
    --no-wait                 # Fail if another brisk runs a command on the same state
    --watch(-w)               # Afterwards wait for further changes, and print them or run COMMAND on them
    --stamp: path             # Write a list with digests to FILE, only if it differs; accept the state
    --depfile: path           # Write the paths of all entries to FILE, as make and ninja read them
    --settle: string          # End a batch when nothing has happened for this long (default: 20ms)
    --on-busy: string@"nu-complete brisk changed on-busy" # What to do if something changes while COMMAND runs
    --restart(-r)             # Stop COMMAND if something changes while it runs, and start it again
    --stop-signal: string     # The signal that stops COMMAND (default: TERM)
    --stop-timeout: string    # Kill COMMAND if it has not stopped after this time (default: 10s)
    --initial                 # Run COMMAND at the start, even if nothing has changed
    --postpone                # Do not run COMMAND before something changes
    --clear                   # Clear the terminal before each batch
    --once                    # End after the first batch with changes, or after one run of COMMAND
    --timeout: string         # End if nothing has changed for this long and COMMAND is not running
    --stdin-quit              # End when standard input ends
    --poll                    # 
    --match(-m): string       # Only names that match this pattern (--full-path: absolute paths)
    --case-sensitive(-s)      # Distinguish upper and lower case (default: smart case)
    --ignore-case(-i)         # Ignore case (default: smart case)
    --glob(-g)                # Treat the pattern as a glob (default: a regular expression)
    --regex                   # Treat the pattern as a regular expression (the default); overrides --glob
    --fixed-strings(-F)       # Treat the pattern as literal text, anywhere in the name
    --exact                   # Treat the pattern as the literal whole name; with --full-path, the whole path
    --and: string             # Require this pattern, in the same syntax, to match too
    --full-path(-p)           # Match the absolute path (default: only the name)
    --hidden(-H)              # Include hidden entries; --no-hidden leaves them out
    --no-hidden
    --no-ignore(-I)           # Include what ignore files exclude; --ignore leaves it out
    --ignore
    --unrestricted(-u)        # Include everything: the same as --hidden --no-ignore
    --no-ignore-vcs           # Do not obey .gitignore or git's own exclude files
    --ignore-vcs
    --no-require-git          # Obey .gitignore outside git repositories too
    --require-git
    --no-ignore-parent        # Do not obey ignore files in directories above the search path
    --ignore-parent
    --no-global-ignore-file   # Do not obey the global ignore file
    --exclude(-E): string     # Leave out entries that match this glob
    --exclude-regex: string   # Leave out entries whose path matches this regular expression
    --ignore-file: path       # Obey this file too, in the format of .gitignore; every other rule overrides it
    --ignore-contain: string  # Leave out directories that contain an entry of this name
    --type(-t): string@"nu-complete brisk changed type" # Only f files, d directories, l links, x executables, e empty
    --older-than: string      # Only files, not directories, that were last modified before this time
    --extension(-e): string   # Only names with this extension
    --size(-S): string        # Only this size: +10M at least, -4k at most (k 1000, ki 1024)
    --changed-within: string  # Modified since 2weeks ago or today; --changed-before: earlier
    --changed-before: string  # Only what was last modified before this time
    --ctime-within: string    # Only what changed after this time (ctime): contents, mode, owner, name or number of links
    --ctime-before: string    # Only what last changed before this time (ctime)
    --created-within: string  # Only what was created after this time (birth time)
    --created-before: string  # Only what was created before this time (birth time)
    --owner(-o): string       # Only what belongs to this user or group: root, :staff, '!root'
    --where: string           # Only what find(1)'s tests choose: '-links +1 -o -perm /u+s'
    --threads(-j): string     # Use exactly this many workers (default: as many as pay off)
    --explain                 # Say what is requested from the file system, and why
    --stats: string@"nu-complete brisk changed stats" # Print to standard error what the run did
    --progress: string@"nu-complete brisk changed progress" # Show the progress: auto, always or never
    --help(-h)                # Show a summary (-h) or the full help (--help)
    --version(-V)             # Show the version
    ...path: path             # Where to look (default: the current directory)
  ]

  def "nu-complete brisk scan as" [] {
    [ "parquet" "arrow" "csv" "jsonl" ]
  }

  def "nu-complete brisk scan hash" [] {
    [ "blake3" ]
  }

  def "nu-complete brisk scan type" [] {
    [ "file" "directory" "symlink" "block-device" "char-device" "executable" "empty" "socket" "pipe" ]
  }

  def "nu-complete brisk scan progress" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete brisk scan stats" [] {
    [ "text" "json" ]
  }

  # Write a table of a file tree: a row for each entry, as Parquet, Arrow, CSV or JSON.
  export extern "brisk scan" [
    --output(-o): path        # Where the table goes; - is standard output
    --as: string@"nu-complete brisk scan as" # The format, if not by name
    --from: path              # Write the rows of a table or a data set, in order
    --columns: string         # Which columns: path,size,mtime, or +name to add some
    --sums                    # Add what is below each directory: entries, bytes, blocks
    --hash: string@"nu-complete brisk scan hash" # Add the digest of each regular file: blake3
    --continue                # Write a data set into the directory of -o, or continue one
    --budget: string          # How long a unit takes (default: 30s)
    --budget-entries: string  # How many entries a unit takes: 5M
    --unit: path              # Do the unit of a data set that FILE describes; - is standard input
    --hidden(-H)              # Include hidden entries; --no-hidden leaves them out
    --no-hidden
    --no-ignore(-I)           # Include what ignore files exclude; --ignore leaves it out
    --ignore
    --unrestricted(-u)        # Include everything: the same as --hidden --no-ignore
    --max-depth(-d): string   # Go at most this many levels deep (default: no limit)
    --min-depth: string       # List only entries at this depth or deeper
    --exact-depth: string     # List only entries at exactly this depth
    --one-file-system(-x)     # Stay on the file system of the search path
    --no-ignore-vcs           # Do not obey .gitignore or git's own exclude files
    --ignore-vcs
    --no-require-git          # Obey .gitignore outside git repositories too
    --require-git
    --no-ignore-parent        # Do not obey ignore files in directories above the search path
    --ignore-parent
    --no-global-ignore-file   # Do not obey the global ignore file
    --exclude(-E): string     # Leave out entries that match this glob
    --exclude-regex: string   # Leave out entries whose path matches this regular expression
    --ignore-file: path       # Obey this file too, in the format of .gitignore; every other rule overrides it
    --ignore-contain: string  # Leave out directories that contain an entry of this name
    --match(-m): string       # Only names that match this pattern (--full-path: absolute paths)
    --case-sensitive(-s)      # Distinguish upper and lower case (default: smart case)
    --ignore-case(-i)         # Ignore case (default: smart case)
    --glob(-g)                # Treat the pattern as a glob (default: a regular expression)
    --regex                   # Treat the pattern as a regular expression (the default); overrides --glob
    --fixed-strings(-F)       # Treat the pattern as literal text, anywhere in the name
    --exact                   # Treat the pattern as the literal whole name; with --full-path, the whole path
    --and: string             # Require this pattern, in the same syntax, to match too
    --full-path(-p)           # Match the absolute path (default: only the name)
    --type(-t): string@"nu-complete brisk scan type" # Only f files, d directories, l links, x executables, e empty
    --older-than: string      # Only files, not directories, that were last modified before this time
    --extension(-e): string   # Only names with this extension
    --size(-S): string        # Only this size: +10M at least, -4k at most (k 1000, ki 1024)
    --changed-within: string  # Modified since 2weeks ago or today; --changed-before: earlier
    --changed-before: string  # Only what was last modified before this time
    --ctime-within: string    # Only what changed after this time (ctime): contents, mode, owner, name or number of links
    --ctime-before: string    # Only what last changed before this time (ctime)
    --created-within: string  # Only what was created after this time (birth time)
    --created-before: string  # Only what was created before this time (birth time)
    --owner: string           # Only what belongs to this user or group: root, :staff, '!root'
    --where: string           # Only what find(1)'s tests choose: '-links +1 -o -perm /u+s'
    --prune                   # Do not enter directories that match
    --cached                  # Accept metadata that a network file system has cached
    --threads(-j): string     # Use exactly this many workers (default: as many as pay off)
    --progress: string@"nu-complete brisk scan progress" # Show the progress: auto, always or never
    --stats: string@"nu-complete brisk scan stats" # Print to standard error what the run did
    --help(-h)                # Show a summary (-h) or the full help (--help)
    --version(-V)             # Show the version
    ...path: path             # The directories to scan (default: the current directory)
  ]

  def "nu-complete brisk diff color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete brisk diff type" [] {
    [ "file" "directory" "symlink" "block-device" "char-device" "executable" "empty" "socket" "pipe" ]
  }

  def "nu-complete brisk diff progress" [] {
    [ "auto" "always" "never" ]
  }

  # Show what differs between two states, tables or directories: A added, D deleted, M contents modified, m metadata only.
  export extern "brisk diff" [
    --recursive(-r)           # List what is below added, deleted and renamed directories
    --summary                 # Count entries and bytes by directory instead
    --max-depth(-d): string   # With --summary: show this many levels of directories (default: 1)
    --json                    # Print one JSON object per line
    --print0(-0)              # Print status and path, each followed by a null byte
    --color: string@"nu-complete brisk diff color" # When to colour the letters of changes
    --no-renames              # Print D and A for a renamed entry, not R
    --content                 # Compare the contents of all files, not their times
    --exit-code               # Exit with 1 if something differs
    --match(-m): string       # Only names that match this pattern (--full-path: absolute paths)
    --case-sensitive(-s)      # Distinguish upper and lower case (default: smart case)
    --ignore-case(-i)         # Ignore case (default: smart case)
    --glob(-g)                # Treat the pattern as a glob (default: a regular expression)
    --regex                   # Treat the pattern as a regular expression (the default); overrides --glob
    --fixed-strings(-F)       # Treat the pattern as literal text, anywhere in the name
    --exact                   # Treat the pattern as the literal whole name; with --full-path, the whole path
    --and: string             # Require this pattern, in the same syntax, to match too
    --full-path(-p)           # Match the absolute path (default: only the name)
    --hidden(-H)              # Include hidden entries; --no-hidden leaves them out
    --no-hidden
    --no-ignore(-I)           # Include what ignore files exclude; --ignore leaves it out
    --ignore
    --unrestricted(-u)        # Include everything: the same as --hidden --no-ignore
    --no-ignore-vcs           # Do not obey .gitignore or git's own exclude files
    --ignore-vcs
    --no-require-git          # Obey .gitignore outside git repositories too
    --require-git
    --no-ignore-parent        # Do not obey ignore files in directories above the search path
    --ignore-parent
    --no-global-ignore-file   # Do not obey the global ignore file
    --exclude(-E): string     # Leave out entries that match this glob
    --exclude-regex: string   # Leave out entries whose path matches this regular expression
    --ignore-file: path       # Obey this file too, in the format of .gitignore; every other rule overrides it
    --ignore-contain: string  # Leave out directories that contain an entry of this name
    --type(-t): string@"nu-complete brisk diff type" # Only f files, d directories, l links, x executables, e empty
    --older-than: string      # Only files, not directories, that were last modified before this time
    --extension(-e): string   # Only names with this extension
    --size(-S): string        # Only this size: +10M at least, -4k at most (k 1000, ki 1024)
    --changed-within: string  # Modified since 2weeks ago or today; --changed-before: earlier
    --changed-before: string  # Only what was last modified before this time
    --ctime-within: string    # Only what changed after this time (ctime): contents, mode, owner, name or number of links
    --ctime-before: string    # Only what last changed before this time (ctime)
    --created-within: string  # Only what was created after this time (birth time)
    --created-before: string  # Only what was created before this time (birth time)
    --owner(-o): string       # Only what belongs to this user or group: root, :staff, '!root'
    --where: string           # Only what find(1)'s tests choose: '-links +1 -o -perm /u+s'
    --threads(-j): string     # Use exactly this many workers (default: as many as pay off)
    --progress: string@"nu-complete brisk diff progress" # Show the progress: auto, always or never
    --help(-h)                # Show a summary (-h) or the full help (--help)
    --version(-V)             # Show the version
    old: path                 # The state, table or directory to compare with
    new: path                 # The later state, table or directory
  ]

  def "nu-complete brisk bench kind" [] {
    [ "attrs" "walk" "ls" "rm" "calls" "storage" ]
  }

  # Compare programs' speed, count a program's system calls, or time the storage
  export extern "brisk bench" [
    --runs: string            # How often each program runs, after a first run [default: 9]
    --json                    # Print every figure as a JSON object, not the table
    --drop-caches             # Drop the whole system's caches before each first run (root on Linux)
    --files: string           # Make what is measured: for attrs, a directory of N files for each number; for rm, a tree of N entries such as npm makes; for storage's tasks, N files [default: 10000]. Only attrs takes several numbers
    --scratch: path           # Where rm, storage and --files make directories [default: beside DIR]
    --help(-h)                # Show a summary (-h) or the full help (--help)
    --version(-V)             # Show the version
    kind?: string@"nu-complete brisk bench kind" # What is measured (default: walk)
    ...words: directory       # The directory to measure on (default: the current one); for calls, the command
  ]

  def "nu-complete brisk completions shell" [] {
    [ "bash" "elvish" "fish" "nushell" "powershell" "zsh" ]
  }

  # Print completions for a shell
  export extern "brisk completions" [
    --help(-h)                # Show a summary (-h) or the full help (--help)
    --version(-V)             # Show the version
    shell?: string@"nu-complete brisk completions shell" # The shell; by default the one that SHELL names
  ]

  # Write the man pages into a directory
  export extern "brisk man" [
    --help(-h)                # Show a summary (-h) or the full help (--help)
    --version(-V)             # Show the version
    dir: directory            # The directory, such as ~/.local/share/man/man1
  ]

  # Print this message or the help of the given subcommand(s)
  export extern "brisk help" [
  ]

  # List a file tree: all of it, or the entries that match a pattern and filters.
  export extern "brisk help find" [
  ]

  # List directories, with every option of GNU ls.
  export extern "brisk help ls" [
  ]

  # Remove files, and with -r directory trees, in parallel and safely.
  export extern "brisk help rm" [
  ]

  # Copy files, and with -R directory trees, in parallel and safely.
  export extern "brisk help cp" [
  ]

  # Show what takes up the space: GNU du's options, and a tree with bars.
  export extern "brisk help du" [
  ]

  # Change the modes of files
  export extern "brisk help chmod" [
  ]

  # Change the owners and groups of files
  export extern "brisk help chown" [
  ]

  # Change the groups of files
  export extern "brisk help chgrp" [
  ]

  # Show what changed in directories since the last run: A added, D deleted, M modified.
  export extern "brisk help changed" [
  ]

  # Write a table of a file tree: a row for each entry, as Parquet, Arrow, CSV or JSON.
  export extern "brisk help scan" [
  ]

  # Show what differs between two states, tables or directories: A added, D deleted, M contents modified, m metadata only.
  export extern "brisk help diff" [
  ]

  # Compare programs' speed, count a program's system calls, or time the storage
  export extern "brisk help bench" [
  ]

  # Print completions for a shell
  export extern "brisk help completions" [
  ]

  # Write the man pages into a directory
  export extern "brisk help man" [
  ]

  # Print this message or the help of the given subcommand(s)
  export extern "brisk help help" [
  ]

}

export use completions *
