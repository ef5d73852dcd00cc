//! Bytes as backslash escapes, as C writes them.

/// The letter that C writes after a backslash.
pub(super) fn c_escape(byte: u8) -> Option<u8> {
    Some(match byte {
        7 => b'a',
        8 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        11 => b'v',
        12 => b'f',
        b'\r' => b'r',
        b'\\' => b'\\',
        _ => return None,
    })
}

/// Appends the byte as C writes it in octal: `\303`.
pub(super) fn octal(byte: u8, out: &mut Vec<u8>) {
    let digit = |shift: u8| b'0' + (byte >> shift & 7);
    out.extend_from_slice(&[b'\\', digit(6), digit(3), digit(0)]);
}
