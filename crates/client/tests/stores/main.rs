//! The stores that need nothing but this machine: over the conformance suite, over the cases that
//! all clients share, and with several processes at once.

#[cfg(test)]
mod local;
#[cfg(test)]
mod shared_cases;
#[cfg(test)]
mod two_processes;
