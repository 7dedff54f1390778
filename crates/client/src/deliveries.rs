//! Deliveries and targets. No operation yet.
