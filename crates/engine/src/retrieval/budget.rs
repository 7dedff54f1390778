//! Limits a response to a number of tokens: hits are taken in order, and one that does not fit is
//! omitted.

use loci_model::warning::{Notices, Warning};
use loci_text::tokens::estimate_tokens;

use super::Hit;

/// Returns the hits whose texts together have at most `budget` tokens (estimate); all hits without
/// a budget.
pub(super) fn within(mut hits: Vec<Hit>, budget: Option<u32>, notices: &mut Notices) -> Vec<Hit> {
    let Some(mut left) = budget else { return hits };
    let before = hits.len();
    hits.retain(|hit| match left.checked_sub(estimate_tokens(&hit.record.text)) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    });
    if hits.len() < before {
        notices.warn(Warning::BudgetReached);
    }
    hits
}
