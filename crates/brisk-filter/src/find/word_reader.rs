//! [`WordReader`]: the words of a line, which are read one after the other.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

use super::fault::{Fault, Why};

/// Words that are read one after the other.
pub(super) struct WordReader<'c> {
    pub all: &'c [OsString],
    /// The word that is read next.
    pub at: usize,
    /// The test, option or action that was read last.
    pub of: usize,
}

impl<'c> WordReader<'c> {
    pub fn new(all: &'c [OsString]) -> WordReader<'c> {
        WordReader { all, at: 0, of: 0 }
    }

    /// The word that is read next.
    pub fn next(&self) -> Option<&'c OsString> {
        self.all.get(self.at)
    }

    /// The word that was read last.
    pub fn last(&self) -> Cow<'c, str> {
        self.all[self.at - 1].to_string_lossy()
    }

    /// The argument of what was read last.
    pub fn argument(&mut self) -> Result<&'c OsStr, Fault> {
        let word = self.all.get(self.at).ok_or_else(|| Fault::new(Why::MISSING, self.of))?;
        self.at += 1;
        Ok(word)
    }

    /// That argument, with � for each byte that belongs to no character.
    pub fn text(&mut self) -> Result<String, Fault> {
        Ok(self.argument()?.to_string_lossy().into_owned())
    }

    /// The refusal of the argument that was read last.
    pub fn refused(&self, why: Why) -> Fault {
        Fault::new(why, self.at - 1).of(self.of)
    }

    /// What a test's argument means, or its refusal.
    pub fn read<T>(&mut self, read: impl Fn(&str) -> Option<T>, why: Why) -> Result<T, Fault> {
        let text = self.text()?;
        read(&text).ok_or_else(|| self.refused(why))
    }
}
