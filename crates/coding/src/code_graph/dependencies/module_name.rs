//! A module in the notation of a caller: a name, a directory, or segments as a language writes them
//! (`auth`, `src/auth`, `crate::auth::session`, `acme.auth`). A file belongs to the module if its
//! path contains these segments in a row.

use super::scan::Language;

/// A named module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModuleName {
    segments: Vec<String>,
}

impl ModuleName {
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.trim().trim_start_matches("./").trim_matches('/');
        let text = text.strip_prefix("crate::").unwrap_or(text);
        let is_path = text.contains('/') || Language::of(text).is_some();
        let parts: Vec<&str> = match (text.contains("::"), is_path) {
            (true, _) => text.split("::").collect(),
            (false, true) => text.split('/').collect(),
            (false, false) => text.split('.').collect(),
        };
        let segments = parts.into_iter().filter(|part| !part.is_empty()).map(plain).collect();
        Self { segments }
    }

    /// Returns the module without its first segment, which may name a package that has no
    /// directory.
    pub(crate) fn without_first(&self) -> Option<Self> {
        let rest = self.segments.get(1..).filter(|rest| !rest.is_empty())?;
        Some(Self { segments: rest.to_vec() })
    }

    /// True for the path of a file of the module.
    pub(crate) fn has(&self, path: &str) -> bool {
        if self.segments.is_empty() {
            return false;
        }
        let mut segments: Vec<String> = path.split('/').map(plain).collect();
        let is_in =
            |segments: &[String]| segments.windows(self.segments.len()).any(|run| run == self.segments);
        if is_in(&segments) {
            return true;
        }
        // The file itself matches by its name without the ending.
        let stem = segments.pop().and_then(|name| name.split('.').next().map(str::to_owned));
        segments.extend(stem);
        is_in(&segments)
    }
}

/// Returns a segment in lower case, with `-` in place of `_`.
fn plain(segment: &str) -> String {
    segment.to_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_segments_in_a_row() {
        for (module, path, expect) in [
            ("auth", "src/auth/session.rs", true),
            ("auth", "src/auth.rs", true),
            ("Auth", "web/auth/index.ts", true),
            ("auth", "src/author.rs", false),
            ("src/auth", "src/auth/session.rs", true),
            ("src/auth/", "x/src/auth/session.rs", true),
            ("src/auth", "src/x/auth.rs", false),
            ("crate::auth::session", "src/auth/session.rs", true),
            ("acme.auth", "acme/auth/__init__.py", true),
            ("session-store", "src/session_store.py", true),
            ("session.rs", "src/session.rs", true),
            ("src/session.rs", "src/session.rs", true),
            ("", "src/session.rs", false),
        ] {
            assert_eq!(ModuleName::parse(module).has(path), expect, "{module} {path}");
        }
        let engine = ModuleName::parse("loci_engine::coding");
        assert!(!engine.has("crates/engine/src/coding/mod.rs"));
        assert!(engine.without_first().unwrap().has("crates/engine/src/coding/mod.rs"));
        assert_eq!(ModuleName::parse("auth").without_first(), None);
    }
}
