//! Values of `LS_COLORS` and of `TERM`.

/// Values that users have, and corners of the rules.
pub const CHOSEN: &[&str] = &[
    // GNU's defaults: a value that sets nothing.
    ":",
    // The published cures: four keys, and all keys that cost anything.
    "ex=00:su=00:sg=00:ca=00",
    "ex=0:su=0:sg=0:st=0:ow=0:tw=0:or=0:mi=0:ca=0:mh=0",
    "no=0:fi=0:di=0:ln=0:pi=0:so=0:bd=0:cd=0:or=0:mi=0:su=0:sg=0:ca=0:tw=0:ow=0:st=0:ex=0:mh=0",
    "no=:fi=:di=:ln=:pi=:so=:bd=:cd=:or=:mi=:su=:sg=:ca=:tw=:ow=:st=:ex=:mh=",
    // Links.
    "ln=target",
    "ln=target:or=31;1",
    "ln=target:or=31;1:mi=41",
    "ln=target:ex=0",
    "ln=target:ex=0:or=0",
    "ln=target:ex=0:or=1",
    "ln=target:ex=0:mi=1",
    "ln=target:mh=44:*.tar=35",
    "ln=target:di=0:fi=33",
    "ln=target:fi=33:or=",
    "or=40;31;01",
    "or=40;31;01:mi=00",
    "mi=05;37;41",
    "or=0:mi=05",
    "or=31:mi=32:*.tar=33:*.gz=34",
    "ln=0:or=0",
    // Keys that are off and on.
    "mh=44;37",
    "mh=44;37:ex=0:su=0:sg=0",
    "ca=30;41",
    "ca=30;41:ex=0:su=0:sg=0",
    "ca=30;41:mh=7:ex=0",
    "su=0:sg=0",
    "su=0",
    "tw=0",
    "tw=0:ow=0",
    "st=0:tw=0",
    "do=1:bd=2:cd=3:so=4:pi=5",
    // Ordinary text, and files.
    "no=33",
    "no=33:fi=0",
    "no=33:fi=",
    "no=33:fi=35",
    "no=0:fi=35",
    "fi=",
    "fi=0:ex=0",
    "no=01;33:di=0:ln=target:ec=<end>",
    // The codes around sequences.
    "lc=<:rc=>",
    "lc=<:rc=>:ec=</>",
    "lc=\\e[:rc=m:ec=\\e[0m",
    "ec=",
    "rs=22;39",
    "rs=",
    "lc=:rc=",
    "lc=<:rc=>:no=b:rs=r",
    "cl=CLEAR",
    // Suffixes: any, of any case, the later one first.
    "*.tar=31",
    "*tar=31:*.tar=32",
    "*.tar=32:*tar=31",
    "*.tar=31:*.TAR=32",
    "*.TAR=32:*.tar=31",
    "*.tar=31:*.TAR=31",
    "*.tar=31:*.TAR=32:*.Tar=31",
    "*.tar=31:*.TAR=31:*.Tar=32",
    "*.Tar=32:*.tar=31:*.TAR=31",
    "*.tar=31:*.tar=32",
    "*.tar=31:*.TAR=32:*.tar=33",
    "*.tar=:fi=1",
    "*.tar=0:fi=1",
    "*README=4",
    "*=36",
    "*.tar=31:*=36",
    "*=36:*.tar=31",
    "*~=90:*.jpg=35",
    "*.JPG=35",
    "*\\=33=31",
    "*.gz=31:*.tar.gz=32",
    "*.tar.gz=32:*.gz=31",
    // Escapes.
    "di=\\e[1m:fi=\\033[2m:ex=\\x1b[3m:ln=^[[4m",
    "di=\\a\\b\\f\\n\\r\\t\\v\\?\\_x\\:y\\=z=",
    "di=\\0\\1\\12\\123\\1234\\777\\x\\x1\\x12\\x123\\xfff\\xg",
    "di=^a^A^@^_^~^?",
    "di=^?x",
    "di=a\\^b\\*c*d",
    "*\\x2etar=31:*^_=1",
    "::di=1::::*.a=2:::",
];

/// Well formed, though they do not look so.
pub const ODD_BUT_FINE: &[&str] = &["::", "di==", "di=1=2", "*=", "*.a==", "di=\\:"];

/// Values that GNU ls refuses.
pub const REFUSED: &[&str] = &[
    "di=\\",
    "zz=1",
    "di=1:zz=1",
    "d",
    "di",
    "dir=1",
    "di:1",
    "di=1:x",
    "*.a",
    "*.a:*.b=1",
    "di=^ ",
    "di=^",
    "*.a=^",
    "*^=1",
    "*\\",
    "=1",
    "DI=1",
    "di=1 ln=2:ex",
    " di=1",
    "\u{1}x=1",
    "di=1:'\"=2",
    "di=1:\\\t=2",
    "\r\x0b=",
    "\u{e9}=1",
];

/// With `None`, the variable is not set.
pub const TERMS: [Option<&str>; 24] = [
    None,
    Some(""),
    Some("xterm"),
    Some("xterm-256color"),
    Some("dumb"),
    Some("linux"),
    Some("linux-c"),
    Some("linux-x"),
    Some("screen.xterm"),
    Some("tmux-256color"),
    Some("vt100"),
    Some("vt220"),
    Some("st"),
    Some("st-256color"),
    Some("stx"),
    Some("con80x25"),
    Some("con8x2y"),
    Some("conax25"),
    Some("rxvt-unicode"),
    Some("ansi"),
    Some("ansi-m"),
    Some("unknown"),
    Some("foo-direct2"),
    Some("Eterm"),
];

/// Splitmix: the same values at every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (bits ^ (bits >> 31)) % sides
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

/// A value made of a few keys and suffixes, most of them with a sequence.
pub fn random(seed: u64) -> String {
    const KEYS: [&str; 24] = [
        "lc", "rc", "ec", "rs", "no", "fi", "di", "ln", "pi", "so", "bd", "cd", "mi", "or", "ex",
        "do", "su", "sg", "st", "ow", "tw", "ca", "mh", "cl",
    ];
    const SEQUENCES: [&str; 9] = ["", "0", "00", "000", "1", "01;31", "4;5", "7", "32"];
    const SUFFIXES: [&str; 10] =
        [".tar", ".TAR", ".Tar", "tar", ".gz", ".tar.gz", "~", "E", "", "f-755"];
    let mut dice = Dice(seed);
    let mut words = Vec::new();
    for _ in 0..dice.below(14) {
        let key = dice.pick(&KEYS);
        // The codes around all others are changed now and then, to visible ones.
        let sequence = match key {
            "lc" | "rc" | "ec" | "rs" if dice.below(4) > 0 => continue,
            "ln" if dice.below(2) == 0 => "target",
            _ => dice.pick(&SEQUENCES),
        };
        words.push(format!("{key}={sequence}"));
    }
    for _ in 0..dice.below(5) {
        words.push(format!("*{}={}", dice.pick(&SUFFIXES), dice.pick(&SEQUENCES)));
    }
    // A value that is empty leaves the decision to the terminal.
    words.push(String::new());
    words.join(":")
}
