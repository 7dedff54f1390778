//! Nouns of services that are run: the words of their records, and notices of alerts.

pub mod alert_notice;
pub mod knowledge;
