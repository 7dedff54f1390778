//! Entries of the ledger that an import holds: each must be the noun of its shelf, under that noun's own key.
//!
//! A store keeps an entry as text and finds it by its columns. An entry that its shelf cannot read would
//! fail every list of the shelf, so an import refuses it.

use loci_model::facts::branch_fact::BranchFact;
use loci_model::ledger::{LedgerEntry, Shelf, Shelved};
use loci_model::record::agreement::Agreement;
use loci_model::record::conflict::Conflict;
use loci_model::record::erased_source::ErasedSource;
use loci_model::tasks::evaluation::Evaluation;
use loci_model::tasks::file_change::{HistoryPart, TaskFiles};
use loci_model::tasks::outcome::Outcome;
use loci_model::tasks::preference::PreferenceUser;
use loci_model::tasks::prompt_evaluation::PromptEvaluation;
use loci_model::tasks::review::Review;
use loci_model::tasks::rollback::{Purge, Rollback};
use loci_model::tasks::rule::{ReviewYield, RuleRelevance, RuleSupport};
use loci_model::trees::document_reads::DocumentReads;
use loci_model::{Error, Result};

/// Checks an entry against the noun of its shelf.
///
/// # Errors
/// `Invalid`, naming the shelf and the key.
pub(super) fn check(entry: &LedgerEntry) -> Result<()> {
    let is_whole = match entry.shelf {
        Shelf::Review => is::<Review>(entry),
        Shelf::RuleSupport => is::<RuleSupport>(entry),
        Shelf::ReviewYield => is::<ReviewYield>(entry),
        Shelf::RuleRelevance => is::<RuleRelevance>(entry),
        Shelf::Outcome => is::<Outcome>(entry),
        Shelf::PreferenceUser => is::<PreferenceUser>(entry),
        Shelf::FileChange => is::<HistoryPart>(entry) || is::<TaskFiles>(entry),
        Shelf::Conflict => is::<Conflict>(entry),
        Shelf::Agreement => is::<Agreement>(entry),
        Shelf::BranchFact => is::<BranchFact>(entry),
        Shelf::Evaluation => is::<Evaluation>(entry),
        Shelf::PromptEvaluation => is::<PromptEvaluation>(entry),
        Shelf::Snapshot => is::<Rollback>(entry),
        Shelf::Purge => is::<Purge>(entry),
        Shelf::DocumentReads => is::<DocumentReads>(entry),
        Shelf::ErasedSource => is::<ErasedSource>(entry),
        // Of several nouns that their own verbs read one by one, by key; or not imported at all.
        Shelf::Unmatched
        | Shelf::RepositoryRole
        | Shelf::Person
        | Shelf::Progress
        | Shelf::TreeEntry
        | Shelf::TreePlace
        | Shelf::TreeChange
        | Shelf::TreeSnapshot
        | Shelf::Mirror
        | Shelf::MirrorFiles
        | Shelf::MirrorState
        | Shelf::RedactedContent
        | Shelf::ConsolidationRun => true,
    };
    if is_whole {
        return Ok(());
    }
    let rule = format!(
        "the entry of the shelf {} is not what that shelf holds, or lies under another key: import the file \
         as it was \
         exported",
        entry.shelf.as_str()
    );
    Err(Error::invalid("entry", rule))
}

/// True where the entry is one of these nouns, of the entry's memory and under the noun's own key.
fn is<T: Shelved>(entry: &LedgerEntry) -> bool {
    entry.read::<T>().is_ok_and(|noun| *noun.memory() == entry.memory && noun.key() == entry.key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::{ActorId, MemoryId, Timestamp};

    #[test]
    fn an_entry_is_the_noun_of_its_shelf() {
        let reads = DocumentReads {
            memory: MemoryId::parse("notes-0123456789").unwrap(),
            record: loci_testkit_ports::samples::record_id(1).unwrap(),
            count: 1,
            first_at: Timestamp::EPOCH,
            last_at: Timestamp::EPOCH,
            actor: ActorId::parse("acme/shop").unwrap(),
        };
        let good = LedgerEntry::of(&reads).unwrap();
        check(&good).unwrap();
        let other = LedgerEntry { key: format!("{}x", good.key), ..good.clone() };
        let emptied = LedgerEntry { body: loci_model::Document::parse("{}").unwrap(), ..good };
        for bad in [other, emptied] {
            assert!(check(&bad).unwrap_err().message.contains("import the file as it was exported"));
        }
    }
}
