//! The stores that need nothing but this machine, over the conformance suite.

#[cfg(test)]
mod local;
