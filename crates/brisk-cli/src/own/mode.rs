//! The MODE of chmod: octal, or symbolic as `u=rwX,g-w,o=`. The rules are gnulib's: which bits a
//! directory keeps, what the umask forbids, which forms are invalid.

/// Read, write and execute, each for all.
const READ: u32 = 0o444;
const WRITE: u32 = 0o222;
const EXECUTE: u32 = 0o111;
/// setuid and setgid, which a directory keeps unless they are mentioned.
const SET_IDS: u32 = 0o6000;
const STICKY: u32 = 0o1000;
/// Everything that chmod can change.
const ALL: u32 = 0o7777;

/// A change of modes, step by step.
#[derive(Clone, Debug)]
pub(super) struct ModeChange {
    steps: Vec<Step>,
    /// What steps that name no users leave out.
    umask: u32,
}

#[derive(Clone, Debug)]
struct Step {
    /// `=`, `+` or `-`.
    operator: u8,
    /// The bits that the step may change; 0 for those that the umask permits.
    whose: u32,
    what: What,
    /// The bits that are named, as far as they matter to directories.
    mentioned: u32,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Bits(u32),
    /// These, and execution if the file is a directory or any of its users may execute it.
    BitsAndX(u32),
    /// What the user, the group or the others may do, for all.
    CopyOf(u32),
}

impl ModeChange {
    /// Sets exactly this mode.
    pub(super) fn exactly(mode: u32) -> ModeChange {
        ModeChange::set(mode & ALL, ALL)
    }

    fn set(mode: u32, mentioned: u32) -> ModeChange {
        let step = Step { operator: b'=', whose: ALL, what: What::Bits(mode), mentioned };
        ModeChange { steps: vec![step], umask: 0 }
    }

    /// Reads a MODE; `None` if it is invalid.
    pub(super) fn parse(text: &[u8], umask: u32) -> Option<ModeChange> {
        if let Some((mode, rest)) = octal(text) {
            // Without a fifth digit, directories keep setuid and setgid.
            let short = (mode & SET_IDS) | STICKY | 0o777;
            let mentioned = if text.len() < 5 { short } else { ALL };
            return rest.is_empty().then(|| ModeChange::set(mode, mentioned));
        }
        let mut steps = Vec::new();
        text.split(|byte| *byte == b',').try_for_each(|clause| read_clause(clause, &mut steps))?;
        Some(ModeChange { steps, umask })
    }

    /// The mode that a file with this mode is to have.
    pub(super) fn of(&self, mode: u32, is_dir: bool) -> u32 {
        self.steps.iter().fold(mode & ALL, |mode, step| step.of(mode, is_dir, self.umask))
    }

    /// The same, as if there were no umask.
    pub(super) fn without_umask(&self) -> ModeChange {
        ModeChange { umask: 0, ..self.clone() }
    }
}

impl Step {
    fn of(&self, mode: u32, is_dir: bool, umask: u32) -> u32 {
        let kept = if is_dir { SET_IDS & !self.mentioned } else { 0 };
        let bits = match self.what {
            What::Bits(bits) => bits,
            What::BitsAndX(bits) if is_dir || mode & EXECUTE != 0 => bits | EXECUTE,
            What::BitsAndX(bits) => bits,
            What::CopyOf(class) => {
                let may = mode & class;
                [READ, WRITE, EXECUTE].into_iter().filter(|all| may & all != 0).sum()
            }
        };
        let permitted = if self.whose == 0 { !umask } else { self.whose };
        let bits = bits & permitted & !kept;
        match self.operator {
            b'+' => mode | bits,
            b'-' => mode & !bits,
            _ => {
                let others = if self.whose == 0 { 0 } else { !self.whose };
                (mode & (others | kept)) | bits
            }
        }
    }
}

/// An octal number at the beginning, no larger than a mode, and what follows.
fn octal(text: &[u8]) -> Option<(u32, &[u8])> {
    let count = text.iter().take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    let (digits, rest) = text.split_at_checked(count).filter(|_| count > 0)?;
    let add =
        |mode, digit: &u8| Some(8 * mode + u32::from(digit - b'0')).filter(|mode| *mode <= ALL);
    Some((digits.iter().try_fold(0, add)?, rest))
}

/// Reads `[ugoa]*([-+=]([rwxXst]*|[ugo]))+` or `[-+=][0-7]+`.
fn read_clause(text: &[u8], steps: &mut Vec<Step>) -> Option<()> {
    let is_class = |byte: &&u8| b"ugoa".contains(byte);
    let (classes, mut rest) = text.split_at(text.iter().take_while(is_class).count());
    let whose = classes.iter().fold(0, |whose, letter| whose | bits_of(*letter));
    loop {
        let (operator, after) = rest.split_first().filter(|(byte, _)| b"=+-".contains(byte))?;
        if let Some((mode, [])) = octal(after).filter(|_| whose == 0) {
            let what = What::Bits(mode);
            steps.push(Step { operator: *operator, whose: ALL, what, mentioned: ALL });
            return Some(());
        }
        let (what, named, after) = read_what(after);
        let mentioned = if whose == 0 { named } else { whose & named };
        steps.push(Step { operator: *operator, whose, what, mentioned });
        rest = after;
        if rest.is_empty() {
            return Some(());
        }
    }
}

/// What stands behind an operator, the bits that it names, and the rest.
fn read_what(text: &[u8]) -> (What, u32, &[u8]) {
    if let [class @ (b'u' | b'g' | b'o'), rest @ ..] = text {
        let bits = bits_of(*class) & 0o777;
        return (What::CopyOf(bits), bits, rest);
    }
    let is_bit = |byte: &&u8| b"rwxXst".contains(byte);
    let (letters, rest) = text.split_at(text.iter().take_while(is_bit).count());
    let bits = letters.iter().fold(0, |bits, letter| bits | bits_of(*letter));
    let what = if letters.contains(&b'X') { What::BitsAndX(bits) } else { What::Bits(bits) };
    (what, bits, rest)
}

fn bits_of(letter: u8) -> u32 {
    match letter {
        b'u' => 0o4700,
        b'g' => 0o2070,
        b'o' => 0o1007,
        b'a' => ALL,
        b'r' => READ,
        b'w' => WRITE,
        b'x' => EXECUTE,
        b's' => SET_IDS,
        b't' => STICKY,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: bool = false;
    const DIR: bool = true;

    #[test]
    fn modes_are_those_of_gnu_chmod() {
        let table = [
            ("644", 0o4755, FILE, 0o644),
            ("755", 0o6700, DIR, 0o6755),
            ("00755", 0o6700, DIR, 0o755),
            ("=755", 0o6700, DIR, 0o755),
            ("0", 0o6777, FILE, 0),
            ("7777", 0, FILE, 0o7777),
            ("+4000", 0o644, FILE, 0o4644),
            ("-4000", 0o4755, DIR, 0o755),
            ("u+x,g=u,o-r", 0o644, FILE, 0o770),
            ("a+X", 0o644, FILE, 0o644),
            ("a+X", 0o744, FILE, 0o755),
            ("a+X", 0o600, DIR, 0o711),
            ("u=rwX,go=rX", 0o600, DIR, 0o755),
            ("+w", 0o444, FILE, 0o644),
            ("-w", 0o666, FILE, 0o466),
            ("=", 0o4777, FILE, 0),
            ("=", 0o6777, DIR, 0o6000),
            ("a=", 0o6777, DIR, 0o6000),
            ("ug=s", 0o777, FILE, 0o6007),
            ("u=s", 0o2777, DIR, 0o6077),
            ("o+t,u+s", 0o755, FILE, 0o5755),
            ("g+t", 0o755, FILE, 0o755),
            ("g=o-w+x", 0o606, FILE, 0o656),
            ("+u", 0o700, FILE, 0o755),
        ];
        for (text, before, is_dir, after) in table {
            let change = ModeChange::parse(text.as_bytes(), 0o022).expect(text);
            assert_eq!(change.of(before, is_dir), after, "{text} {before:o}");
        }
    }

    #[test]
    fn other_words_are_no_modes() {
        for text in
            ["", "8", "17777", "64 ", "u", "u+x,", ",u+x", "u+7", "+7x", "+8", "u+ux", "a+z"]
        {
            assert!(ModeChange::parse(text.as_bytes(), 0).is_none(), "{text}");
        }
    }
}
