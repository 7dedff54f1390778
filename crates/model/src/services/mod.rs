//! Nouns of operated services: the words of their records, and notices of alerts.

pub mod alert_notice;
pub mod knowledge;
