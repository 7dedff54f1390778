//! Profiles: the sets of tools that are listed together. A tool outside of the profile can still be
//! called by name.

use loci_model::{Error, Result};

/// A set of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Profile {
    /// The daily tools of a coding agent.
    Core,
    /// All tools of verified facts.
    Verified,
    /// Search and store over all records.
    Recall,
    /// Tasks of coding agents: their memories, their learnings, and attribution.
    Coding,
    /// The tools that show a memory as files.
    Files,
    /// The tools of a supervisor of operations agents.
    Sre,
    /// All tools for agents that work on code.
    Full,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 7] =
        [Self::Core, Self::Verified, Self::Recall, Self::Coding, Self::Files, Self::Sre, Self::Full];

    /// Returns the profile's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Verified => "verified",
            Self::Recall => "recall",
            Self::Coding => "coding",
            Self::Files => "files",
            Self::Sre => "sre",
            Self::Full => "full",
        }
    }

    /// Parses a profile's name.
    ///
    /// # Errors
    /// `Invalid`, naming the existing ones.
    pub fn parse(word: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|profile| profile.as_str() == word).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str).join(", ");
            Error::invalid("profile", format!("there is no such profile of tools: there are {names}"))
        })
    }

    /// Parses several names, separated by `+` or `,`. The result has each once, in the order of
    /// [`Self::ALL`].
    ///
    /// # Errors
    /// `Invalid` for an unknown name.
    pub fn parse_several(text: &str) -> Result<Vec<Self>> {
        let parts = text.split(['+', ',', ' ']).map(str::trim).filter(|part| !part.is_empty());
        let asked = parts.map(Self::parse).collect::<Result<Vec<_>>>()?;
        if asked.is_empty() {
            return Self::parse("").map(|profile| vec![profile]);
        }
        Ok(Self::ALL.into_iter().filter(|profile| asked.contains(profile)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_are_read() {
        let check = |text: &str, expect: Option<&[Profile]>| {
            assert_eq!(Profile::parse_several(text).ok().as_deref(), expect, "{text}");
        };
        check("core", Some(&[Profile::Core]));
        check("recall+core", Some(&[Profile::Core, Profile::Recall]));
        check("full,coding", Some(&[Profile::Coding, Profile::Full]));
        check("recall, core,core", Some(&[Profile::Core, Profile::Recall]));
        check("", None);
        check("core+everything", None);
    }
}
