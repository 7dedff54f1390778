//! Skeleton.

pub mod transcript;
