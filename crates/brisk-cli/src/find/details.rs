//! `--list-details`: results as `ls -l` shows them.
