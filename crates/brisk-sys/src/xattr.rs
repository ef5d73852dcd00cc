//! What extended attributes tell of a file.

/// What decides about access to a file besides its mode: the mark that `ls -l` puts behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Access {
    /// Nothing.
    #[default]
    Plain,
    /// A security context: `.`.
    Context,
    /// An access control list, whatever else: `+`.
    Acl,
}

/// What the names of a file's extended attributes tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// It has an access control list or, as a directory, gives one to new files.
    pub acl: bool,
    /// It has a security context.
    pub context: bool,
    /// It has capabilities.
    pub capability: bool,
}

impl Attributes {
    /// The mark for this file.
    #[must_use]
    pub fn access(self) -> Access {
        match self {
            Attributes { acl: true, .. } => Access::Acl,
            Attributes { context: true, .. } => Access::Context,
            _ => Access::Plain,
        }
    }
}

/// A file system's answer about extended attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Xattr<T> {
    /// It keeps such attributes; this is the file's.
    Told(T),
    /// It keeps none: no other file on that device need be asked.
    Unsupported,
}
