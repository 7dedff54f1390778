//! The shelves of coding memory in the ledger.
//!
//! To add a noun: its `impl LedgerNoun`, and a line in [`shelves`].

use std::collections::BTreeSet;

use loci_engine::hooks::{ShelfRules, is_noun};
use loci_model::facts::branch_fact::BranchFact;
use loci_model::ledger::{LedgerEntry, LedgerNoun, Shelf};
use loci_model::record::agreement::Agreement;
use loci_model::tasks::evaluation::Evaluation;
use loci_model::tasks::file_change::{HistoryPart, TaskFiles};
use loci_model::tasks::outcome::Outcome;
use loci_model::tasks::preference::PreferenceUser;
use loci_model::tasks::prompt_evaluation::PromptEvaluation;
use loci_model::tasks::review::Review;
use loci_model::tasks::rollback::{Purge, Rollback};
use loci_model::tasks::rule::{ReviewYield, RuleRelevance, RuleSupport};
use loci_model::{RecordId, Result};

use crate::outcomes::StoredWaitingReport;
use crate::reviews::KnownRole;

/// The shelf of people, as forges report them.
pub(crate) const PEOPLE: Shelf = Shelf::named("person");

/// Returns the shelves of coding memory, one line each.
pub(crate) fn shelves() -> Vec<ShelfRules> {
    vec![
        ShelfRules::of::<Review>(),
        ShelfRules::of::<RuleSupport>(),
        ShelfRules::of::<ReviewYield>(),
        ShelfRules::of::<RuleRelevance>(),
        ShelfRules::of::<Outcome>(),
        ShelfRules::unchecked(StoredWaitingReport::SHELF),
        ShelfRules::unchecked(KnownRole::SHELF),
        ShelfRules::unchecked(PEOPLE),
        ShelfRules::of::<PreferenceUser>(),
        ShelfRules::unchecked(TaskFiles::SHELF)
            .holding(|entry| is_noun::<HistoryPart>(entry) || is_noun::<TaskFiles>(entry)),
        ShelfRules::of::<Agreement>().about(has_record_as_key),
        ShelfRules::of::<BranchFact>().about(has_record_as_key),
        ShelfRules::of::<Evaluation>(),
        ShelfRules::of::<PromptEvaluation>(),
        ShelfRules::of::<Rollback>(),
        ShelfRules::of::<Purge>(),
    ]
}

fn has_record_as_key(entry: &LedgerEntry, records: &BTreeSet<RecordId>) -> Result<bool> {
    Ok(RecordId::parse(entry.key.as_str()).is_ok_and(|id| records.contains(&id)))
}
