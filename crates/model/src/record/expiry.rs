//! The expiry of records in a request.

/// Expiry in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpirySpecification {
    /// Records expire this number of days after they are written; at least 31.
    Days(u32),
    /// Records no longer expire; only in updates.
    Remove,
}
