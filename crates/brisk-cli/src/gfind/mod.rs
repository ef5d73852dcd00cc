//! `find` as GNU's users know it: find(1)'s whole command line, through a link of that name.

#![cfg_attr(not(test), expect(dead_code, reason = "the command that uses these parts is to come"))]

mod conversion;
mod long;
mod mounted;
mod printf;
mod times;
