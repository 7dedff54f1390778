//! Sentences for the codes of an answer (`degraded`, `warnings`): pending or missing parts, and the
//! remedy. JSON output keeps the codes.

use loci_api::Notices;

use crate::output;

/// Prints a sentence for each code of an answer, for the waiting person.
pub(crate) fn print(notices: &Notices) {
    for code in notices.degraded.iter().chain(&notices.warnings) {
        match sentence(code) {
            Some(sentence) => output::note(format!("note: {sentence} ({code})")),
            None => output::note(format!("note: {code}")),
        }
    }
}

/// Returns the sentence for a code. `None` for a code that this program does not know.
fn sentence(code: &str) -> Option<&'static str> {
    Some(match code {
        "extraction_pending" => {
            "events wait for extraction: turns that become facts are shown as provisional hits, other records follow; \
             `loci job list` shows the jobs"
        }
        "embedding_pending" => {
            "records wait for their vectors: they are found by their words alone; search again in a moment"
        }
        "embedding_unavailable" => {
            "the embedding model does not answer: hits rest on words alone; `loci doctor` says why"
        }
        "search_cut" => "too many passages have these words: only the newest were ranked; name a namespace",
        "provisional_cut" => {
            "more events wait for extraction than a search reads: only the newest are shown; search again later"
        }
        "query_shortened" => {
            "the question is longer than the embedding model reads: its end counts by words alone"
        }
        "scope_narrowed" => "the search covers only what this key may read",
        "budget_reached" => "hits beyond the token budget are left out; raise --budget to see them",
        "weights_not_used" => {
            "the memory's own ranking weights belong to another version: the shipped weights ranked"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::warning::{Degradation, Warning};

    #[test]
    fn every_code_of_a_search_has_a_sentence() {
        for code in [
            Degradation::ExtractionPending,
            Degradation::EmbeddingPending,
            Degradation::EmbeddingUnavailable,
            Degradation::SearchCut,
            Degradation::ProvisionalCut,
        ] {
            assert!(sentence(code.code()).is_some(), "{code:?}");
        }
        for code in
            [Warning::QueryShortened, Warning::ScopeNarrowed, Warning::BudgetReached, Warning::WeightsNotUsed]
        {
            assert!(sentence(code.code()).is_some(), "{code:?}");
        }
        assert_eq!(sentence("of a later version"), None);
    }
}
