//! Answers read from a file's extended attributes.

/// What decides about access to a file besides its mode: `ls -l` prints it as a mark behind the
/// mode. Only Linux has anything but `Plain`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Access {
    /// Nothing.
    #[default]
    Plain,
    /// A security context: `.`.
    Context,
    /// An access control list, with or without a security context: `+`.
    Acl,
}

/// Which extended attributes a file has, as far as their names show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// The file has an access control list or, as a directory, gives one to new files.
    pub acl: bool,
    /// The file has a security context.
    pub context: bool,
    /// The file has capabilities.
    pub capability: bool,
}

impl Attributes {
    /// The mark for this file. Makes no system call.
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
    /// The file system stores such attributes; this is the file's answer.
    Known(T),
    /// The file system stores none. The caller need not ask about other files on that device.
    Unsupported,
}
