//! What stores have in common: who may write.

pub mod topology;
