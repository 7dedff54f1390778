//! The cart of a customer.

use crate::limits::MAX_ITEMS;

/// Items that a customer has chosen.
#[derive(Default)]
pub struct Cart {
    items: Vec<u64>,
}

impl Cart {
    /// Adds an item; returns false if the cart is full.
    pub fn add(&mut self, item: u64) -> bool {
        if self.items.len() >= MAX_ITEMS {
            return false;
        }
        self.items.push(item);
        true
    }
}
