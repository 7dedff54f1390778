//! Mentions: the files, lines and symbols that a text names, and their places.

pub(in crate::verifier) mod path_refs;
mod proposals;
#[cfg(test)]
mod proposals_tests;
