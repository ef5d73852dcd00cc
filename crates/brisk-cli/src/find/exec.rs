//! Running commands on results: `-x` and `-X`.
