//! `[memory_tool]`: the behaviour of the memory tool, and the names of its trees.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use loci_documents::memory_tool::MemoryToolSettings;
use loci_documents::{MemoryToolMounts, Mount, MountEntry, MountMode};
use loci_model::Namespace;
use serde::{Deserialize, Serialize};

/// `[memory_tool]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryToolSection {
    /// True if texts of errors begin with `Error: `.
    pub error_prefix: bool,
    /// True if creating an existing file replaces it, as a new version.
    pub create_overwrites: bool,
    /// True if listings contain descriptions by users.
    pub annotate: bool,
    /// The maximum share of a tree that one deletion may remove, in percent.
    pub max_recursive_delete: usize,
    /// True if the tool may write `/memories/system/`, for callers with an admin grant.
    pub write_system: bool,
    /// Mounts, by name.
    pub mounts: BTreeMap<String, MountSection>,
}

/// `[memory_tool.mounts.<name>]`: one tree, or `entries` with several.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MountSection {
    /// The memory, by name or by id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// The namespace. Absent means `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// `read_write` or `read_only`.
    pub mode: ModeWord,
    /// Several trees, each in a directory of its name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub entries: BTreeMap<String, EntrySection>,
}

/// `[memory_tool.mounts.<name>.entries.<directory>]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntrySection {
    /// The memory, by name or by id.
    pub memory: String,
    /// The namespace. Absent means `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// `read_write` or `read_only`.
    #[serde(default)]
    pub mode: ModeWord,
}

/// The write access of the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModeWord {
    /// Writes within the caller's grants.
    #[default]
    ReadWrite,
    /// No writes.
    ReadOnly,
}

impl Default for MemoryToolSection {
    fn default() -> Self {
        let defaults = MemoryToolSettings::default();
        Self {
            error_prefix: defaults.error_prefix,
            create_overwrites: defaults.create_overwrites,
            annotate: defaults.annotate,
            max_recursive_delete: defaults.max_recursive_delete,
            write_system: defaults.write_system,
            mounts: BTreeMap::new(),
        }
    }
}

impl MemoryToolSection {
    /// Checks the section.
    pub(in crate::config) fn check(&self) -> Result<()> {
        self.settings().map(drop)
    }

    /// Returns the mounts of the memory tool.
    ///
    /// # Errors
    /// A mount has no tree, or a name or a namespace is invalid.
    pub fn settings(&self) -> Result<MemoryToolMounts> {
        if !(1..=100).contains(&self.max_recursive_delete) {
            bail!("memory_tool.max_recursive_delete must be 1 to 100");
        }
        let mut mounts = BTreeMap::new();
        for (name, section) in &self.mounts {
            let mount = section.mount().with_context(|| format!("memory_tool.mounts.{name}"))?;
            mounts.insert(name.clone(), mount);
        }
        Ok(MemoryToolMounts {
            tool: MemoryToolSettings {
                error_prefix: self.error_prefix,
                create_overwrites: self.create_overwrites,
                annotate: self.annotate,
                max_recursive_delete: self.max_recursive_delete,
                write_system: self.write_system,
                ..MemoryToolSettings::default()
            },
            mounts,
        })
    }
}

impl MountSection {
    fn mount(&self) -> Result<Mount> {
        let mount = match &self.memory {
            Some(_) if !self.entries.is_empty() => bail!("give either memory or entries"),
            Some(memory) => Mount::One(entry(memory, self.namespace.as_deref(), self.mode)?),
            None if self.namespace.is_some() => bail!("namespace needs a memory"),
            None if self.mode != ModeWord::default() => bail!("mode needs a memory: give one in each entry"),
            None => {
                let read = |(name, one): (&String, &EntrySection)| {
                    Ok((name.clone(), entry(&one.memory, one.namespace.as_deref(), one.mode)?))
                };
                Mount::Several(self.entries.iter().map(read).collect::<Result<_>>()?)
            }
        };
        mount.check().map_err(|error| anyhow::anyhow!(error.message))?;
        Ok(mount)
    }
}

fn entry(memory: &str, namespace: Option<&str>, mode: ModeWord) -> Result<MountEntry> {
    let namespace = Namespace::parse(namespace.unwrap_or("/"));
    Ok(MountEntry {
        memory: memory.to_owned(),
        namespace: namespace.map_err(|error| anyhow::anyhow!("namespace: {}", error.message))?,
        mode: match mode {
            ModeWord::ReadWrite => MountMode::ReadWrite,
            ModeWord::ReadOnly => MountMode::ReadOnly,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_must_be() {
        let check = |text: &str, expect: &str| {
            let section: MemoryToolSection = toml::from_str(text).unwrap();
            let said = section.check().map_or_else(|error| format!("{error:#}"), |()| String::new());
            assert!(
                if expect.is_empty() { said.is_empty() } else { said.contains(expect) },
                "{text}: {said}"
            );
        };
        check("", "");
        check("[mounts.a]\nmemory = \"notes\"\nnamespace = \"/team\"\nmode = \"read_only\"", "");
        check("[mounts.a.entries.mine]\nmemory = \"notes\"\n[mounts.a.entries.ours]\nmemory = \"team\"", "");
        check("[mounts.a]", "needs a memory, or entries");
        check("[mounts.a]\nmemory = \"n\"\n[mounts.a.entries.b]\nmemory = \"n\"", "either memory or entries");
        check("[mounts.a]\nnamespace = \"/x\"", "namespace needs a memory");
        check("[mounts.a.entries.\"x/y\"]\nmemory = \"n\"", "name of a directory");
        check("max_recursive_delete = 0", "must be 1 to 100");
    }
}
