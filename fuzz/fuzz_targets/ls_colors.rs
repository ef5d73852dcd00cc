//! Any bytes as the value of LS_COLORS, and any name painted by it.

#![no_main]

use brisk::FileType;
use brisk_colors::{Colors, Painter};
use libfuzzer_sys::fuzz_target;

const TYPES: [FileType; 4] =
    [FileType::File, FileType::Directory, FileType::Symlink, FileType::Unknown];

// The part before a NUL is the value, the part after it the name: neither holds a NUL.
fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(2, |&byte| byte == 0);
    let value = parts.next().unwrap_or_default();
    let name = parts.next().unwrap_or_default();
    let (colors, warning) = Colors::from_env_value(Some(value));
    let spelled = colors.clone().normalized();
    for colors in [&colors, &spelled] {
        for file_type in TYPES {
            let style = colors.style_of(name, file_type, None);
            // A refused value paints nothing.
            assert!(warning.is_none() || style.is_none());
            let mut painted = Vec::new();
            colors.paint(name, style, &mut painted);
            assert!(name.is_empty() || painted.windows(name.len()).any(|part| part == name));
            assert!(style.is_some() || painted == name);
            let mut listed = Vec::new();
            let mut painter = Painter::new(colors);
            let style = colors.indicator_of(name, file_type, None);
            painter.begin(style, &mut listed);
            listed.extend_from_slice(name);
            painter.end(style, false, &mut listed);
            painter.finish(&mut listed);
            assert!(warning.is_none() || listed == name);
        }
    }
});
