//! Profiles. No operation yet.
