//! Handles secrets in the texts that describe a memory. In a description a secret is masked; a
//! name or a tag with a secret is rejected.

use std::collections::BTreeMap;

use loci_model::memory::Memory;
use loci_model::memory::strategy::Strategy;
use loci_model::{FieldName, Result};

use crate::safety::{RedactionMode, check_name, redact};

/// Checks the names and tags of a new memory.
///
/// # Errors
/// `Invalid`, naming the member.
pub(super) fn check_new(memory: &Memory, mode: RedactionMode) -> Result<()> {
    check_name("name", &memory.name, mode)?;
    check_tags(&memory.tags, mode)?;
    check_strategies(&memory.strategies, mode)
}

/// Checks the names of new strategies.
///
/// # Errors
/// `Invalid`, naming the member.
pub(super) fn check_strategies(strategies: &[Strategy], mode: RedactionMode) -> Result<()> {
    strategies
        .iter()
        .try_for_each(|strategy| check_name(FieldName::Strategies + ".name", &strategy.name, mode))
}

/// Checks new tags.
///
/// # Errors
/// `Invalid`, naming the member.
pub(super) fn check_tags(tags: &BTreeMap<String, String>, mode: RedactionMode) -> Result<()> {
    tags.iter().flat_map(|(key, value)| [key, value]).try_for_each(|text| check_name("tags", text, mode))
}

/// Masks the descriptions of a memory and of its strategies.
pub(super) fn mask(memory: &mut Memory, mode: RedactionMode) {
    let own = std::iter::once(&mut memory.description);
    let of_strategies = memory.strategies.iter_mut().map(|strategy| &mut strategy.description);
    for description in own.chain(of_strategies) {
        *description = description.take().map(|text| redact(text, mode).0);
    }
}
