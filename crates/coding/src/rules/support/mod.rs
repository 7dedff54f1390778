//! The support of a rule: the reviewers who count, the weight of their words, and their dissent.

pub(super) mod dissent;
pub(super) mod maintainers;
pub(super) mod reviewers;
pub(super) mod reweigh;
pub(super) mod weights;
