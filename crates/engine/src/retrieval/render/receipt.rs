//! The receipt of a rendered block: which entries it contains, which were omitted, and why.

/// A rendered block of memories with its receipt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filled {
    /// The text of the block; empty if the budget is smaller than the frame.
    pub block: String,
    /// The entries in the block, in reading order.
    pub shown: Vec<ReceiptEntry>,
    /// The entries that were omitted, by group and rank.
    pub dropped: Vec<Dropped>,
    /// The estimated number of tokens of the whole block, never above the budget.
    pub tokens: u32,
}

/// An entry that the block contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiptEntry {
    /// The id of the entry.
    pub id: String,
    /// The estimated number of tokens of the entry's lines.
    pub tokens: u32,
    /// True if the text of the entry was truncated.
    pub cut: bool,
    /// The text after truncation; `None` if it was not truncated.
    pub cut_text: Option<String>,
}

/// An entry that was omitted from the block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// The id of the entry.
    pub id: String,
    /// The estimated number of tokens that the entry's lines would need.
    pub tokens: u32,
    /// The reason why the entry was omitted.
    pub reason: DropReason,
}

/// The reason why an entry is omitted from a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropReason {
    /// The entry did not fit into the token budget.
    Budget,
    /// The text of the entry looks like an injection.
    Suspicious,
}

impl DropReason {
    /// Returns the name of the reason in API responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::Suspicious => "suspicious",
        }
    }
}
