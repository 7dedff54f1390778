//! Secrets in short texts of a call, such as reasons, in values of metadata, and in names that
//! serve as search keys. Values are masked. A name that holds a secret is rejected, because nothing
//! could be found again under a masked name.

use std::collections::BTreeMap;

use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::{Error, ErrorText, Result};

use super::{RedactionMode, SecretKind, redact, secrets_in};

/// Returns a text that Loci stores for people, such as a reason, with its secrets masked whatever
/// the settings are.
pub fn kept(text: String) -> String {
    redact(text, RedactionMode::Mask).0
}

/// Checks that a name contains no secret, if secrets are masked. Such a name is a search key, so it
/// cannot be masked.
///
/// # Errors
/// `Invalid`, naming the field.
pub fn check_name(field: impl Into<ErrorText>, name: &str, mode: RedactionMode) -> Result<()> {
    let mut kinds = match mode {
        RedactionMode::Off => return Ok(()),
        RedactionMode::Mask => secrets_in(name),
    };
    if kinds.is_empty() {
        return Ok(());
    }
    kinds.sort();
    kinds.dedup();
    let field = field.into();
    let rule = field.clone()
        + " holds what looks like a secret: it is a name that is kept and shown, and cannot be masked; choose another";
    let kinds = kinds.iter().map(|kind| kind.as_str().to_owned()).collect();
    Err(Error::invalid(field, rule).listing(kinds))
}

/// Masks secrets in the values of an event's metadata, except under keys that grants filter by.
/// Returns the kinds of secrets that were masked.
pub fn mask_event_metadata(
    metadata: &mut BTreeMap<String, String>,
    mode: RedactionMode,
    is_bound: impl Fn(&str) -> bool,
) -> Vec<SecretKind> {
    let mut kinds = Vec::new();
    if mode == RedactionMode::Off {
        return kinds;
    }
    for (_, value) in metadata.iter_mut().filter(|(key, _)| !is_bound(key)) {
        let (clean, found) = redact(std::mem::take(value), mode);
        *value = clean;
        kinds.extend(found);
    }
    kinds
}

/// Returns the metadata that a caller sends for a record, with secrets in its values masked.
///
/// # Errors
/// `Invalid` for a key that holds a secret.
pub fn masked_metadata(metadata: &Metadata, mode: RedactionMode) -> Result<Metadata> {
    metadata.keys().try_for_each(|key| check_name("metadata", key, mode))?;
    Ok(masked_values(metadata, mode))
}

/// Returns metadata with secrets in its values masked. The keys stay, because they were stored
/// before and not sent in this request.
pub fn masked_values(metadata: &Metadata, mode: RedactionMode) -> Metadata {
    if mode == RedactionMode::Off {
        return metadata.clone();
    }
    let masked = |text: &String| redact(text.clone(), mode).0;
    let value = |value: &MetadataValue| match value {
        MetadataValue::String(text) => MetadataValue::String(masked(text)),
        MetadataValue::StringList(texts) => MetadataValue::StringList(texts.iter().map(masked).collect()),
        MetadataValue::Number(_) | MetadataValue::DateTime(_) => value.clone(),
    };
    metadata.iter().map(|(key, said)| (key.clone(), value(said))).collect()
}
