//! A small shop.

pub mod cart;
pub mod limits;
pub mod orders;
