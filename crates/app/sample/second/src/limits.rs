//! The limits of the shop.

/// The most items of a cart.
pub const MAX_ITEMS: usize = 50;
