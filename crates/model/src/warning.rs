//! Notices of a degraded or adjusted response: closed lists of codes, equal in every API.

/// The reason for a degraded response: a part that did not contribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Degradation {
    /// Events wait to be extracted.
    ExtractionPending,
    /// Records in scope wait for their vectors.
    EmbeddingPending,
    /// The embedding model did not respond: only lexical signals were used.
    EmbeddingUnavailable,
    /// More passages of a large memory match the query than a search examines: it examined the
    /// newest.
    SearchCut,
    /// More events wait for extraction than a search reads, or than it examines: it read the
    /// newest.
    ProvisionalCut,
}

impl Degradation {
    /// Returns the code in the APIs.
    pub fn code(self) -> &'static str {
        match self {
            Self::ExtractionPending => "extraction_pending",
            Self::EmbeddingPending => "embedding_pending",
            Self::EmbeddingUnavailable => "embedding_unavailable",
            Self::SearchCut => "search_cut",
            Self::ProvisionalCut => "provisional_cut",
        }
    }
}

/// A notice for the caller about the interpretation of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Warning {
    /// The query was longer than the model's input.
    QueryShortened,
    /// A namespace path was narrowed to the part that the caller may read.
    ScopeNarrowed,
    /// Event content over a limit was stored unchanged.
    EventOverLimit,
    /// A token was used before with other content; the first event was returned.
    TokenReplayed,
    /// Results were left out to keep the response within its budget.
    BudgetReached,
    /// The memory's own weights belong to another version: the shipped ones ranked.
    WeightsNotUsed,
    /// A template changed, and for some records the new namespace cannot be determined: they stay
    /// in place.
    RecordsUnmoved,
    /// The request held half of a letter (a lone surrogate): it became U+FFFD.
    LoneSurrogateReplaced,
}

impl Warning {
    /// Returns the code in the APIs.
    pub fn code(self) -> &'static str {
        match self {
            Self::QueryShortened => "query_shortened",
            Self::ScopeNarrowed => "scope_narrowed",
            Self::EventOverLimit => "event_over_limit",
            Self::TokenReplayed => "token_replayed",
            Self::BudgetReached => "budget_reached",
            Self::WeightsNotUsed => "weights_not_used",
            Self::RecordsUnmoved => "records_unmoved",
            Self::LoneSurrogateReplaced => "lone_surrogate_replaced",
        }
    }
}

/// The codes that accompany a response.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notices {
    /// The degradations; sorted, without duplicates.
    pub degraded: Vec<Degradation>,
    /// The warnings; sorted, without duplicates.
    pub warnings: Vec<Warning>,
}

impl Notices {
    /// Adds a degradation, once.
    pub fn degrade(&mut self, code: Degradation) {
        if let Err(at) = self.degraded.binary_search(&code) {
            self.degraded.insert(at, code);
        }
    }

    /// Adds a warning, once.
    pub fn warn(&mut self, code: Warning) {
        if let Err(at) = self.warnings.binary_search(&code) {
            self.warnings.insert(at, code);
        }
    }
}
