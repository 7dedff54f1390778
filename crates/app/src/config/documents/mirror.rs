//! The sections `[mirror]` and `[mirror.<name>]`: trees mirrored as files. `loci_documents` decides
//! which mirrors are valid. An error here names the member.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use loci_documents::mirror::layouts::Layout;
use loci_documents::mirror::{INTERVAL_MS_MIN, MirrorSettings, NewMirror};
use loci_model::trees::mirror::{Mirror, MirrorDeletes, MirrorDirection, MirrorKind, MirrorOrigin};
use loci_model::{MemoryId, Namespace};
use serde::{Deserialize, Serialize};

/// `[mirror]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MirrorSection {
    /// The permitted root folders of mirrors created through the API. A relative path is below the
    /// data folder.
    pub roots: Vec<PathBuf>,
    /// The name of this instance in the author addresses of commits.
    pub instance: String,
    /// The time without events after which a conversation counts as ended in transcripts.
    pub session_idle: String,
    /// The mirrors.
    #[serde(flatten, deserialize_with = "loci_json::strict")]
    pub named: BTreeMap<String, MirrorEntry>,
}

/// `[mirror.<name>]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MirrorEntry {
    /// The memory, by name or id.
    pub memory: String,
    /// The namespace of the tree.
    pub namespace: String,
    /// The layout of the files.
    pub layout: String,
    /// `dir`, `git` or `s3`.
    pub kind: String,
    /// The location. A relative path is below the data folder.
    pub path: String,
    /// `two-way`, `export` or `import`.
    pub direction: String,
    /// `enabled`, `log_only` or `disabled`.
    pub deletes: String,
    /// The interval of checks, at least 5 s: `15s`, `2m`.
    pub interval: String,
    /// The time within which writes of one author become one commit, at most 60 s.
    pub debounce: String,
    /// True to write the record id into each file.
    pub render_ids: bool,
    /// True to permit writes of documents that each prompt loads.
    pub system: bool,
    /// True to render conversations.
    pub sessions: bool,
    /// True to start with existing files.
    pub adopt: bool,
}

impl Default for MirrorSection {
    fn default() -> Self {
        Self {
            roots: vec![PathBuf::from("mirrors")],
            instance: MirrorSettings::default().instance,
            session_idle: "30m".to_owned(),
            named: BTreeMap::new(),
        }
    }
}

impl Default for MirrorEntry {
    fn default() -> Self {
        Self {
            memory: String::new(),
            namespace: "/".to_owned(),
            layout: "native".to_owned(),
            kind: MirrorKind::Directory.as_str().to_owned(),
            path: String::new(),
            direction: MirrorDirection::TwoWay.as_str().to_owned(),
            deletes: MirrorDeletes::Enabled.as_str().to_owned(),
            interval: "15s".to_owned(),
            debounce: "2s".to_owned(),
            render_ids: false,
            system: false,
            sessions: false,
            adopt: false,
        }
    }
}

impl MirrorSection {
    /// Checks the sections.
    pub(in crate::config) fn check(&self) -> Result<()> {
        self.session_idle_ms()?;
        let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
        if self.instance.is_empty() || !self.instance.chars().all(is_host) {
            bail!("mirror.instance must be letters, digits, dots and dashes, like a host name");
        }
        for (name, entry) in &self.named {
            entry.check(name)?;
        }
        Ok(())
    }

    /// Returns the settings of mirrors.
    ///
    /// # Errors
    /// A duration is invalid.
    pub fn settings(&self) -> Result<MirrorSettings> {
        Ok(MirrorSettings { instance: self.instance.clone(), session_idle_ms: self.session_idle_ms()? })
    }

    /// Returns the maximum pause of a conversation in milliseconds.
    fn session_idle_ms(&self) -> Result<i64> {
        let idle = millis(&self.session_idle).filter(|idle| (1_000..=86_400_000).contains(idle));
        let idle = idle.context("mirror.session_idle must be a duration of 1s to 24h, such as 30m")?;
        i64::try_from(idle).context("mirror.session_idle is too long")
    }
}

impl MirrorEntry {
    fn check(&self, name: &str) -> Result<()> {
        let at = |member: &str| format!("mirror.{name}.{member}");
        Mirror::check_name(name).map_err(|error| anyhow::anyhow!("[mirror.{name}]: {}", error.message))?;
        if self.memory.is_empty() || self.path.is_empty() {
            bail!("[mirror.{name}]: give memory and path");
        }
        Namespace::parse(&self.namespace)
            .map_err(|error| anyhow::anyhow!("{}: {}", at("namespace"), error.message))?;
        if !Layout::all().iter().any(|layout| layout.as_str() == self.layout) {
            let words: Vec<&str> = Layout::all().iter().map(|layout| layout.as_str()).collect();
            bail!("{} must be one of {}", at("layout"), words.join(", "));
        }
        if MirrorKind::parse(&self.kind).is_none() {
            bail!("{} must be dir, git or s3", at("kind"));
        }
        if MirrorDirection::parse(&self.direction).is_none() {
            bail!("{} must be two-way, export or import", at("direction"));
        }
        if MirrorDeletes::parse(&self.deletes).is_none() {
            bail!("{} must be enabled, log_only or disabled", at("deletes"));
        }
        if millis(&self.interval).is_none_or(|interval| interval < INTERVAL_MS_MIN) {
            bail!("{} must be a duration of at least 5s, such as 15s or 2m", at("interval"));
        }
        if millis(&self.debounce).is_none_or(|debounce| debounce > 60_000) {
            bail!(
                "{} must be a duration of at most 60s, such as 2s; 0s makes each write a commit",
                at("debounce")
            );
        }
        Ok(())
    }

    /// Returns the mirror of a memory from a checked entry.
    ///
    /// # Errors
    /// The entry is invalid nevertheless.
    pub fn of(&self, name: &str, memory: MemoryId) -> Result<NewMirror> {
        self.check(name)?;
        Ok(NewMirror {
            memory,
            name: name.to_owned(),
            namespace: Namespace::parse(&self.namespace)?,
            layout: self.layout.clone(),
            kind: MirrorKind::parse(&self.kind).context("kind")?,
            path: self.path.clone(),
            direction: MirrorDirection::parse(&self.direction).context("direction")?,
            deletes: MirrorDeletes::parse(&self.deletes).context("deletes")?,
            interval_ms: millis(&self.interval).context("interval")?,
            debounce_ms: millis(&self.debounce).context("debounce")?,
            render_ids: self.render_ids,
            system: self.system,
            sessions: self.sessions,
            adopt: self.adopt,
            origin: MirrorOrigin::Configured,
        })
    }
}

/// Parses a duration: a whole number followed by `ms`, `s`, `m` or `h`.
pub(crate) fn millis(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match text.get(digits.len()..)? {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let check = |text: &str, expect: Option<u64>| assert_eq!(millis(text), expect, "{text}");
        check("15s", Some(15_000));
        check("500ms", Some(500));
        check("2m", Some(120_000));
        check("1h", Some(3_600_000));
        for text in ["", "15", "s", "NaN", "NaNs", "-5s", "1.5s", "5 s", "5d", "99999999999999999999s"] {
            check(text, None);
        }
    }

    #[test]
    fn what_does_not_hold_is_named() {
        let entry =
            MirrorEntry { memory: "notes".to_owned(), path: "m".to_owned(), ..MirrorEntry::default() };
        assert!(entry.check("team").is_ok());
        let check = |entry: MirrorEntry, part: &str| {
            let error = entry.check("team").unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        check(MirrorEntry { memory: String::new(), ..entry.clone() }, "memory");
        check(MirrorEntry { layout: "flat".to_owned(), ..entry.clone() }, "mirror.team.layout");
        check(MirrorEntry { kind: "ftp".to_owned(), ..entry.clone() }, "mirror.team.kind");
        check(MirrorEntry { direction: "in".to_owned(), ..entry.clone() }, "mirror.team.direction");
        check(MirrorEntry { deletes: "yes".to_owned(), ..entry.clone() }, "mirror.team.deletes");
        check(MirrorEntry { interval: "4s".to_owned(), ..entry.clone() }, "mirror.team.interval");
        check(MirrorEntry { interval: "NaN".to_owned(), ..entry.clone() }, "mirror.team.interval");
        check(MirrorEntry { debounce: "2".to_owned(), ..entry.clone() }, "mirror.team.debounce");
        assert!(entry.check("Team").is_err());
    }
}
