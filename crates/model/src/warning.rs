//! What an answer must say when it is less than it could be: closed lists of codes, the same on every door.

/// Why an answer is degraded: something that should have taken part did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Degradation {
    /// Events wait to be extracted.
    ExtractionPending,
    /// Records in scope wait for their vectors.
    EmbeddingPending,
    /// The embedding model did not answer: lexical signals alone.
    EmbeddingUnavailable,
    /// More passages of a great memory have the question's words than a search looks at: the newest were.
    SearchCut,
    /// More events wait to be extracted than a search reads along, or may wait behind those that it looks at: the newest were read.
    ProvisionalCut,
}

impl Degradation {
    /// The code on the doors.
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

/// What a caller should know about how the request was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Warning {
    /// The question was longer than the model reads.
    QueryShortened,
    /// A namespace path was narrowed to what the caller may read.
    ScopeNarrowed,
    /// Event content over a limit was stored as it came.
    EventOverLimit,
    /// A token was used before with other content; the first event was returned.
    TokenReplayed,
    /// Results were left out to keep the answer within its budget.
    BudgetReached,
    /// The memory's own weights are those of another version: the shipped ones ranked.
    WeightsNotUsed,
    /// A template changed, and for some records the new namespace cannot be told: they stay where they are.
    RecordsUnmoved,
    /// The request held half of a letter (a lone surrogate): it became U+FFFD.
    LoneSurrogateReplaced,
}

impl Warning {
    /// The code on the doors.
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

/// The codes that go with an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notices {
    /// Why it is degraded; sorted, each once.
    pub degraded: Vec<Degradation>,
    /// What else to know; sorted, each once.
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
