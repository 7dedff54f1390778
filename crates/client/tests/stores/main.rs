//! The stores that need only this machine: in the conformance suite, in the cases that all clients
//! share, and with several concurrent processes.

#[cfg(test)]
mod behaviour_cases;
#[cfg(test)]
mod local_stores;
#[cfg(test)]
mod two_processes;
