//! Flags that run commands on results.

use crate::find::options::Flag;

pub(super) fn flags() -> Vec<Flag> {
    vec![
        Flag::command("exec", "cmd", |options, words| options.exec.push(words))
            .brief("Run a command for each result; -X: once with all")
            .short("x")
            .adds_up()
            .on_the_command_line_alone()
            .conflicts("list-details max-results quiet 1")
            .doc(
                "Run a command for each result. Several commands run at once (with --threads=1, \
                 one after the other), in no particular order; the output of each is kept \
                 together. Everything up to ';' or the end of the line belongs to the command. In \
                 its words, these are replaced:\n  {}    path\n  {/}   name\n  {//}  parent \
                 directory\n  {.}   path without extension\n  {/.}  name without extension\n  {{ \
                 }} a literal brace\nIf there is no placeholder, the path is added at the end. A \
                 word that begins with a placeholder never starts with a dash: the name '-f' \
                 becomes './-f'. The exit code is 1 if a command fails.\n\nExamples:\n  brisk find \
                 -e zip -x unzip\n  brisk find -e jpg -x convert {} {.}.png",
            ),
        Flag::command("exec-batch", "cmd", |options, words| options.exec_batch.push(words))
            .rare("Run a command once with all results")
            .short("X")
            .adds_up()
            .on_the_command_line_alone()
            .conflicts("exec list-details max-results quiet 1")
            .doc(
                "Run a command once with all results as arguments, or several times if they do not \
                 fit into one command line. The placeholders are those of --exec; at most one word \
                 of the command may contain any.\n\nExamples:\n  brisk find -g 'test_*.py' -X \
                 vim\n  brisk find -e rs -X wc -l",
            ),
        Flag::number("batch-size", "size", |options, size| options.batch_size = size)
            .rare("Pass at most this many results to each command of -X (0: as many as fit)")
            .on_the_command_line_alone()
            .requires("exec-batch"),
        Flag::on("delete", |options| options.delete = true)
            .brief("Remove the results")
            .on_the_command_line_alone()
            .conflicts("exec exec-batch list-details max-results quiet 1 order format json")
            .doc(
                "Remove the results instead of printing them: exactly what the same command lists \
                 without this option, so run the search first without --delete. Needs a pattern or a \
                 filter; the pattern '.' matches every name. A directory among \
                 the results is removed if nothing is left in it after the results below it are \
                 removed; otherwise it stays, with a message and exit code 1. With --max-depth, \
                 --exact-depth and --prune, entries deeper down are not results, so a directory at \
                 that limit is removed only if it is empty. Nothing is removed through a link or \
                 on another mount: see brisk rm. Cannot be combined with --follow, nor with \
                 --unique, which lists only one name of a file that has several. Accepted only on \
                 the command line. On a terminal, and with --stats, brisk says how many entries it \
                 removed.",
            ),
        Flag::on("dry-run", |options| options.dry_run = true)
            .rare("With --delete, list what would be removed, and remove nothing")
            .on_the_command_line_alone()
            .requires("delete")
            .doc(
                "With --delete, list what would be removed, and remove nothing. A directory in \
                 which something would be left is listed too, although it would stay.",
            ),
    ]
}
