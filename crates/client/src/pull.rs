//! Pull mode. No operation yet.
