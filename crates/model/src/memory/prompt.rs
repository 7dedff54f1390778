//! The name of a prompt in one version. The engine holds the texts of prompts.

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::{Error, Result};

/// A prompt's name: `<strategy>.<step>@<version>`, such as `semantic.extract@1`. If a memory
/// replaces the instructions, `+custom:` and eight hex digits of their digest follow.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct PromptId(String);

impl TryFrom<String> for PromptId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(text)
    }
}

impl PromptId {
    /// Checks the form.
    ///
    /// # Errors
    /// `Invalid` with the form.
    pub fn parse(text: impl Into<String>) -> Result<Self> {
        let text = text.into();
        if is_prompt(&text) {
            Ok(Self(text))
        } else {
            Err(Error::invalid(
                "prompt",
                "a prompt is named like semantic.extract@1, or semantic.extract@1+custom:0a1b2c3d",
            ))
        }
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the prompt's name with replaced instructions, by the first eight hex digits of their
    /// digest.
    ///
    /// # Errors
    /// `Invalid` if the instructions are already replaced, or if these are not eight hex digits in
    /// lower case.
    pub fn with_instructions(&self, digest: &str) -> Result<Self> {
        Self::parse(format!("{}+custom:{digest}", self.0))
    }
}

impl fmt::Display for PromptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_prompt(text: &str) -> bool {
    let (plain, custom) = match text.split_once("+custom:") {
        Some((plain, digest)) => (plain, Some(digest)),
        None => (text, None),
    };
    let word = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    let version = |part: &str| {
        (1..=4).contains(&part.len()) && !part.starts_with('0') && part.bytes().all(|b| b.is_ascii_digit())
    };
    let digest = |part: &str| {
        part.len() == 8 && part.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    };
    let Some((strategy, rest)) = plain.split_once('.') else { return false };
    let Some((step, number)) = rest.split_once('@') else { return false };
    plain.len() <= 100 && word(strategy) && word(step) && version(number) && custom.is_none_or(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let check = |text: &str, expect: bool| assert_eq!(PromptId::parse(text).is_ok(), expect, "{text}");
        check("semantic.extract@1", true);
        check("user_preference.consolidate@12", true);
        check("semantic.extract@1+custom:0a1b2c3d", true);
        check("semantic.extract@1+custom:0a1b2c3", false);
        check("semantic.extract@1+custom:0A1B2C3D", false);
        check("semantic.extract@0", false);
        check("semantic.extract", false);
        check("semantic@1", false);
        check(".extract@1", false);
        check("", false);
        let plain = PromptId::parse("semantic.extract@1").unwrap();
        let custom = plain.with_instructions("0a1b2c3d").unwrap();
        assert_eq!(custom.as_str(), "semantic.extract@1+custom:0a1b2c3d");
        assert!(custom.with_instructions("0a1b2c3d").is_err());
    }
}
