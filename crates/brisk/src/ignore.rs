//! Ignore rules: .gitignore and its kin, read once for each directory that has one.
