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
pub struct ModeChange {
    steps: Vec<ModeStep>,
    /// What steps that name no users leave out.
    umask: u32,
}

#[derive(Clone, Debug, Default)]
struct ModeStep {
    /// `=`, `+` or `-`.
    operator: u8,
    /// The bits that the step may change; 0 for those that the umask permits.
    whose: u32,
    bits: u32,
    /// Execution too, if the file is a directory or any of its users may execute it.
    x_if_any: bool,
    /// Also what the user, the group or the others may do, for all.
    copies: u32,
    /// The bits that are named, as far as they matter to directories.
    mentioned: u32,
}

impl ModeChange {
    /// Sets exactly this mode.
    #[must_use]
    pub fn exactly(mode: u32) -> ModeChange {
        ModeChange { steps: vec![ModeStep::numeric(b'=', mode & ALL, ALL)], umask: 0 }
    }

    /// Reads a MODE; `None` if it is invalid.
    #[must_use]
    pub fn parse(text: &[u8], umask: u32) -> Option<ModeChange> {
        let mut steps = Vec::new();
        if let Some((mode, rest)) = octal(text) {
            // Without a fifth digit, directories keep setuid and setgid.
            let short = (mode & SET_IDS) | STICKY | 0o777;
            let mentioned = if text.len() < 5 { short } else { ALL };
            steps.push(ModeStep::numeric(b'=', mode, mentioned));
            return rest.is_empty().then_some(ModeChange { steps, umask });
        }
        text.split(|byte| *byte == b',').try_for_each(|clause| read_clause(clause, &mut steps))?;
        Some(ModeChange { steps, umask })
    }

    /// The mode that a file with this mode is to have.
    #[must_use]
    pub fn of(&self, mode: u32, is_dir: bool) -> u32 {
        self.steps.iter().fold(mode & ALL, |mode, step| step.of(mode, is_dir, self.umask))
    }

    /// The same, as if there were no umask.
    #[must_use]
    pub fn without_umask(&self) -> ModeChange {
        ModeChange { umask: 0, ..self.clone() }
    }
}

impl ModeStep {
    /// A number for all users.
    fn numeric(operator: u8, bits: u32, mentioned: u32) -> ModeStep {
        ModeStep { operator, whose: ALL, bits, mentioned, ..ModeStep::default() }
    }

    fn of(&self, mode: u32, is_dir: bool, umask: u32) -> u32 {
        let kept = if is_dir { SET_IDS & !self.mentioned } else { 0 };
        let mut bits = self.bits;
        if self.x_if_any && (is_dir || mode & EXECUTE != 0) {
            bits |= EXECUTE;
        }
        let copied = mode & self.copies;
        bits |= [READ, WRITE, EXECUTE].into_iter().filter(|all| copied & all != 0).sum::<u32>();
        bits &= !kept & if self.whose == 0 { !umask } else { self.whose };
        match self.operator {
            b'+' => mode | bits,
            b'-' => mode & !bits,
            _ if self.whose == 0 => mode & kept | bits,
            _ => mode & (!self.whose | kept) | bits,
        }
    }
}

/// An octal number at the beginning, no larger than a mode, and what follows.
fn octal(text: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, rest) = text.split_at(count(text, b"01234567"));
    digits.first()?;
    let add =
        |mode, digit: &u8| Some(8 * mode + u32::from(digit - b'0')).filter(|mode| *mode <= ALL);
    Some((digits.iter().try_fold(0, add)?, rest))
}

/// Reads `[ugoa]*([-+=]([rwxXst]*|[ugo]))+` or `[-+=][0-7]+`.
fn read_clause(text: &[u8], steps: &mut Vec<ModeStep>) -> Option<()> {
    let (classes, mut rest) = text.split_at(count(text, b"ugoa"));
    let whose = bits_of(classes);
    loop {
        let (operator, after) = rest.split_first().filter(|(byte, _)| b"=+-".contains(byte))?;
        if let Some((mode, [])) = octal(after).filter(|_| whose == 0) {
            steps.push(ModeStep::numeric(*operator, mode, ALL));
            return Some(());
        }
        let mut step = ModeStep { operator: *operator, whose, ..ModeStep::default() };
        if let [b'u' | b'g' | b'o', ..] = after {
            step.copies = bits_of(&after[..1]) & 0o777;
            rest = &after[1..];
        } else {
            let letters;
            (letters, rest) = after.split_at(count(after, b"rwxXst"));
            step.bits = bits_of(letters);
            step.x_if_any = letters.contains(&b'X');
        }
        let named = step.bits | step.copies;
        step.mentioned = if whose == 0 { named } else { whose & named };
        steps.push(step);
        if rest.is_empty() {
            return Some(());
        }
    }
}

/// How many letters of a kind a text begins with.
fn count(text: &[u8], kind: &[u8]) -> usize {
    text.iter().take_while(|byte| kind.contains(byte)).count()
}

/// The bits that letters stand for.
fn bits_of(letters: &[u8]) -> u32 {
    let of = |letter: &u8| match letter {
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
    };
    letters.iter().fold(0, |bits, letter| bits | of(letter))
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
