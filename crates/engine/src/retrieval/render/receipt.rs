//! The receipt: the entries in a block, the omitted ones, and the reasons.

/// The result of filling a budget.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filled {
    /// The rendered block; empty if the budget is smaller than the frame.
    pub block: String,
    /// The entries in the block, in its order.
    pub shown: Vec<ReceiptEntry>,
    /// The omitted entries, by group and rank.
    pub dropped: Vec<Dropped>,
    /// Estimated tokens of the whole block, never above the budget.
    pub tokens: u32,
}

/// An entry in the block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiptEntry {
    /// Id of the entry.
    pub id: String,
    /// Tokens of its lines.
    pub tokens: u32,
    /// True if its text was truncated.
    pub cut: bool,
    /// The truncated text, if any.
    pub cut_text: Option<String>,
}

/// An omitted entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// Id of the entry.
    pub id: String,
    /// Tokens that its lines would need.
    pub tokens: u32,
    /// The reason.
    pub reason: DropReason,
}

/// The reason for which an entry is omitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropReason {
    /// It did not fit.
    Budget,
    /// It looks like an injection.
    Suspicious,
}

impl DropReason {
    /// Returns the name in responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::Suspicious => "suspicious",
        }
    }
}
