//! Output templates: `{}`, `{/}`, `{size}` and their kin.
