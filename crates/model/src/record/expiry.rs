//! What a request says about the expiry of records.

/// Expiry in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpirySpecification {
    /// Records vanish this many days after they are written; at least 31.
    Days(u32),
    /// They no longer expire; only on updates.
    Remove,
}
