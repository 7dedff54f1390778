//! The receipt: what a block shows, what it leaves out and why.

/// What became of entries under a budget.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filled {
    /// The rendered block; empty where the budget does not even hold the frame.
    pub block: String,
    /// What is in it, in its order.
    pub shown: Vec<Shown>,
    /// What is not, by group and rank.
    pub dropped: Vec<Dropped>,
    /// The estimate for the whole block: never above the budget.
    pub tokens: u32,
}

/// An entry that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The entry.
    pub id: String,
    /// What its lines cost.
    pub tokens: u32,
    /// Its text was cut.
    pub cut: bool,
    /// What is left of it then.
    pub cut_text: Option<String>,
}

/// An entry that is not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// The entry.
    pub id: String,
    /// What its lines would have cost.
    pub tokens: u32,
    /// Why.
    pub reason: DropReason,
}

/// Why an entry is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropReason {
    /// It did not fit.
    Budget,
    /// It looks like instructions to the reader.
    Suspicious,
}

impl DropReason {
    /// The word of answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::Suspicious => "suspicious",
        }
    }
}
