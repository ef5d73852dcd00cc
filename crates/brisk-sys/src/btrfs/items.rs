//! What btrfs's answers say: pure functions of bytes, and a subvolume.

/// A mounted subvolume, and how far its changes have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subvolume {
    /// The UUID of the file system.
    pub filesystem: [u8; 16],
    /// The id of the subvolume: 5 for the top level.
    pub id: u64,
    /// The UUID of the subvolume; zeros for the top level of an old file system.
    pub uuid: [u8; 16],
    /// This start of the machine: the kernel's boot id.
    pub boot: [u8; 16],
    /// The mount's id, which since Linux 6.8 is used once between two starts of the machine.
    pub mount: u64,
    /// The generation that the next change belongs to, at the earliest: the transaction that is
    /// running, or the next one if the last one is known to be committed.
    pub next: u64,
}

impl Subvolume {
    /// Whether this is the same subvolume, mounted without a break, at a time that is not earlier.
    /// Makes no system call.
    #[must_use]
    pub fn continues(&self, earlier: &Subvolume) -> bool {
        *self == Subvolume { next: self.next, ..*earlier } && self.next >= earlier.next
    }
}

/// An item that a search of a tree returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeItem<'a> {
    /// The first part of the key: the inode, for items that belong to one.
    pub object: u64,
    /// The second part of the key: [`INODE`] and others.
    pub kind: u32,
    /// The third part of the key: of an extent, its position in the file.
    pub offset: u64,
    /// The content, as on the device.
    pub content: &'a [u8],
}

/// The kind of item that holds the metadata of an inode.
pub const INODE: u32 = 1;
/// The kind of item that says where a part of a file is stored.
pub const EXTENT: u32 = 108;

/// An extent that a part of a file is in. The file system frees an extent as a whole, once no file
/// uses any part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredExtent {
    /// The address of the extent: which one it is.
    pub address: u64,
    /// The bytes that the whole extent takes: those of its compressed form, if it has one.
    pub bytes: u64,
    /// The bytes of the file that are in it.
    pub length: u64,
}

impl TreeItem<'_> {
    /// The generation that wrote an inode last; `None` for any other kind of item. Makes no system
    /// call.
    #[must_use]
    pub fn written_by(&self) -> Option<u64> {
        let number = self.content.get(8..)?.first_chunk()?;
        (self.kind == INODE).then(|| u64::from_le_bytes(*number))
    }

    /// The extent of a part of a file; `None` for a hole, for content that is in the item itself,
    /// and for any other kind of item. Makes no system call.
    #[must_use]
    pub fn stored(&self) -> Option<StoredExtent> {
        let number = |at| Some(u64::from_le_bytes(*self.content.get(at..)?.first_chunk()?));
        let is_apart = self.kind == EXTENT && *self.content.get(20)? != 0;
        let [address, bytes, length] = [number(21)?, number(29)?, number(45)?];
        (is_apart && address != 0).then_some(StoredExtent { address, bytes, length })
    }
}

/// The items in the answer of a search. No method makes a system call.
///
/// ```text
///   0         8        16       24     28       32
///   | transid | object | offset | kind | length | content … | transid | …
/// ```
///
/// The numbers of this header are the processor's; those of the content are little-endian. An item
/// that does not fit the bytes ends the iteration.
#[derive(Clone, Debug)]
pub struct Items<'a>(&'a [u8]);

impl<'a> Items<'a> {
    /// The items in these bytes, with nothing behind the last one.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Items<'a> {
        Items(bytes)
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = TreeItem<'a>;

    fn next(&mut self) -> Option<TreeItem<'a>> {
        let (header, rest) = self.0.split_first_chunk::<32>()?;
        let object = u64::from_ne_bytes(*header[8..].first_chunk()?);
        let offset = u64::from_ne_bytes(*header[16..].first_chunk()?);
        let kind = u32::from_ne_bytes(*header[24..].first_chunk()?);
        let length = u32::from_ne_bytes(*header[28..].first_chunk()?);
        let (content, rest) = rest.split_at_checked(length as usize)?;
        self.0 = rest;
        Some(TreeItem { object, kind, offset, content })
    }
}
