//! Where a part of a file is stored.

/// A part of a file that is stored on a device, and that other files may share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The position in the file, in bytes.
    pub logical: u64,
    /// The position on the device, in bytes.
    pub physical: u64,
    /// The length in the file, in bytes.
    pub length: u64,
    /// The data is stored in another form (compressed, for example), so that `physical` is the
    /// beginning of the whole stored piece, and `length` says nothing about the device.
    pub encoded: bool,
}
