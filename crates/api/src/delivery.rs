//! Deliveries and targets. No shape yet.
