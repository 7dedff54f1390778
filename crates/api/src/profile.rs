//! Profiles. No shape yet.
