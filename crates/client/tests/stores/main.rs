//! The stores that need only this machine: in the conformance suite, in the cases that all clients
//! share, and with several concurrent processes.

#[cfg(test)]
mod local;
#[cfg(test)]
mod shared_cases;
#[cfg(test)]
mod two_processes;
