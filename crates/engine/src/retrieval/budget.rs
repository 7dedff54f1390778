//! Limits the hits of a search to a number of tokens: hits are taken in order, and a hit that
//! does not fit is omitted.

use loci_model::warning::{Notices, Warning};
use loci_text::tokens::estimate_tokens;

use super::Hit;

/// Returns the hits whose texts have at most `budget` tokens together, by an estimate; all hits
/// if there is no budget.
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
