//! The program is loaded at a random address: root runs it on trees of other users.

use testkit::brisk;

#[test]
fn the_program_is_position_independent() {
    // ET_DYN in e_type: ET_EXEC is a program of a fixed address.
    const POSITION_INDEPENDENT: u16 = 3;
    let program = std::fs::read(brisk()).unwrap();
    assert_eq!(&program[..4], b"\x7fELF");
    assert_eq!(u16::from_ne_bytes([program[16], program[17]]), POSITION_INDEPENDENT);
}
