//! A small shop.

pub mod cart;
pub mod orders;
