//! The stores that need nothing but this machine: over the conformance suite, and with several processes at once.

#[cfg(test)]
mod local;
#[cfg(test)]
mod two_processes;
