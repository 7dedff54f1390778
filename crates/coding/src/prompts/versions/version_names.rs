//! The name of a prompt version: a digest of its parts, so that equal prompts have equal versions
//! in every store, and different ones differ. Pure. Data that differs between tasks is not
//! included: the task's text, the shown memory, the model.

use loci_model::{Document, Error, Result};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::canonical_json::canonical;

/// The number of digits of a name.
pub(super) const DIGITS: usize = 12;
/// The number of digits if another version already has that name.
pub(super) const MORE_DIGITS: usize = 16;

/// The parts of a prompt.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PromptParts {
    /// The template's text.
    pub text: String,
    /// The overrides; absent, null and `{}` are equal.
    pub overrides: Option<Value>,
    /// Names of the tools that it offers.
    pub tools: Vec<String>,
    /// Names of the prompts that extract from its results.
    pub extraction_prompts: Vec<String>,
}

/// Digests of the parts, and of the whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptDigests {
    /// The digest of the whole, from which the name is derived.
    pub whole: String,
    /// The digest of the template's text.
    pub template: String,
    /// The digest of the overrides.
    pub overrides: String,
    /// The digest of the tools.
    pub tools: String,
}

/// The parts in their canonical order, and their digests.
pub(super) struct CanonicalParts {
    pub(super) digests: PromptDigests,
    pub(super) overrides: Document,
    pub(super) tools: Vec<String>,
    pub(super) extraction_prompts: Vec<String>,
}

/// Names a prompt.
///
/// # Errors
/// `Invalid` if the overrides are not an object.
pub(super) fn named(parts: &PromptParts) -> Result<CanonicalParts> {
    let overrides = match &parts.overrides {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(object @ Value::Object(_)) => object.clone(),
        Some(_) => return Err(Error::invalid("overrides", "overrides must be an object")),
    };
    let (tools, extraction_prompts) = (ordered(&parts.tools), ordered(&parts.extraction_prompts));
    let template = digest(&parts.text);
    let overrides_text = canonical(&overrides)?;
    let whole = json!({
        "extraction_prompts": extraction_prompts,
        "overrides": overrides,
        "template_sha256": template,
        "tools": tools,
    });
    let digests = PromptDigests {
        whole: digest(&canonical(&whole)?),
        template,
        overrides: digest(&overrides_text),
        tools: digest(&canonical(&json!(tools))?),
    };
    Ok(CanonicalParts { digests, overrides: Document::parse(&overrides_text)?, tools, extraction_prompts })
}

/// Returns names in the order of their UTF-16 code units, like object members, each once.
fn ordered(names: &[String]) -> Vec<String> {
    let mut names = names.to_vec();
    names.sort_by(|one, other| one.encode_utf16().cmp(other.encode_utf16()));
    names.dedup();
    names
}

pub(super) fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(parts: &PromptParts) -> String {
        named(parts).unwrap().digests.whole.chars().take(DIGITS).collect()
    }

    #[test]
    fn a42_the_vectors_of_the_specification() {
        let bare = PromptParts {
            text: "You work on {repo}.\n{memory_context}\n".to_owned(),
            ..PromptParts::default()
        };
        assert_eq!(version(&bare), "df5f9bd70264");
        let overrides: Value = serde_json::from_str(r#"{"max_turns":40,"append":"Be brief."}"#).unwrap();
        let full = PromptParts {
            overrides: Some(overrides),
            tools: vec!["edit".into(), "bash".into()],
            extraction_prompts: vec!["learnings@1".into()],
            ..bare.clone()
        };
        assert_eq!(version(&full), "083a2b8f0475");
        let other_order: Value = serde_json::from_str(r#"{"append":"Be brief.","max_turns":40}"#).unwrap();
        let tools = vec!["bash".into(), "edit".into()];
        let same = PromptParts { overrides: Some(other_order), tools, ..full };
        assert_eq!(version(&same), "083a2b8f0475");
        for empty in [Value::Null, Value::Object(Map::new())] {
            assert_eq!(version(&PromptParts { overrides: Some(empty), ..bare.clone() }), "df5f9bd70264");
        }
        assert!(named(&PromptParts { overrides: Some(Value::Bool(true)), ..bare }).is_err());
    }

    #[test]
    fn a43_another_text_is_another_version() {
        let of = |text: &str| version(&PromptParts { text: text.to_owned(), ..PromptParts::default() });
        assert_ne!(of("a"), of("a\n"));
        assert_eq!(of("a"), of("a"));
    }
}
