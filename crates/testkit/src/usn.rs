//! What a reading of a volume's journal answers, as NTFS lays it out.

/// A record of version 2 or 3: of a file, in a directory, for a set of reasons. It is padded to a
/// multiple of eight bytes.
#[must_use]
pub fn record(version: u16, [file, parent]: [u128; 2], reason: u32, name: &str) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    bytes.extend(version.to_le_bytes());
    bytes.extend([0; 2]);
    for number in [file, parent] {
        let width = if version == 2 { 8 } else { 16 };
        bytes.extend(&number.to_le_bytes()[..width]);
    }
    for number in [1000, 132_000_000_000_000_000_u64] {
        bytes.extend(number.to_le_bytes());
    }
    for number in [reason, 0, 0, 0x20] {
        bytes.extend(number.to_le_bytes());
    }
    let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend((bytes.len() as u16 + 2).to_le_bytes());
    bytes.extend(name);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let length = bytes.len() as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// The answer of a reading: where the next goes on, and the records.
#[must_use]
pub fn answer(next: i64, records: &[Vec<u8>]) -> Vec<u8> {
    [next.to_le_bytes().to_vec(), records.concat()].concat()
}
