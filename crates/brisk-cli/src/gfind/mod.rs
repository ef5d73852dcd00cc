//! The command `find` as GNU's.

#[cfg_attr(not(test), expect(dead_code, reason = "the command is not there yet"))]
mod exec;
