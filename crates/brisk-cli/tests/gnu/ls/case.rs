//! One call of ls: its words, its variables, and where the output goes.

use std::fmt;

/// Where the output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Pipe,
    /// A terminal with this number of columns.
    Terminal(u16),
}

/// One call of ls.
#[derive(Clone, Debug)]
pub struct Case {
    pub words: Vec<String>,
    /// Variables besides those that every case has.
    pub env: Vec<(String, String)>,
    pub unset: Vec<String>,
    pub place: Place,
}

impl Case {
    /// Words as a shell splits them.
    pub fn new(words: &str, place: Place) -> Case {
        let words = shlex::split(words).unwrap();
        Case { words, env: Vec::new(), unset: Vec::new(), place }
    }

    /// Whether the case asks for the colour of capabilities.
    pub fn paints_capabilities(&self) -> bool {
        let paints = |value: &str| value.contains("ca=") && !value.contains("ca=0");
        self.env.iter().any(|(name, value)| name == "LS_COLORS" && paints(value))
    }

    /// Whether access times are shown or sorted by.
    pub fn shows_access_times(&self) -> bool {
        self.words.iter().any(|word| match word.strip_prefix("--") {
            Some(long) => ["atime", "access", "use"].iter().any(|time| long.ends_with(time)),
            None => word.starts_with('-') && word.contains('u'),
        })
    }

    pub fn env(mut self, name: &str, value: &str) -> Case {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn unset(mut self, name: &str) -> Case {
        self.unset.push(name.to_owned());
        self
    }

    pub fn utf8(self) -> Case {
        self.env("LC_ALL", "C.UTF-8")
    }
}

/// The call as a shell would read it: its variables, its words, and the terminal's width. Without
/// the scratch directory of locales, because a name is the same in every run.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.env.iter().filter(|(name, _)| name != "LOCPATH") {
            write!(f, "{name}={} ", quoted(value))?;
        }
        for name in &self.unset {
            write!(f, "{name}- ")?;
        }
        write!(f, "ls")?;
        for word in &self.words {
            write!(f, " {}", quoted(word))?;
        }
        match self.place {
            Place::Pipe => Ok(()),
            Place::Terminal(columns) => write!(f, " > {columns} columns"),
        }
    }
}

/// A word as it is typed; on one line, because a test's name is one line.
fn quoted(word: &str) -> String {
    shlex::try_quote(word).unwrap().escape_debug().to_string().replace("\\'", "'")
}
