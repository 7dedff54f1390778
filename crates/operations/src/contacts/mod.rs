//! Contacts and other values that only a person may set: detection, known contacts, and
//! confirmation.

pub(super) mod addresses;
mod confirmation;
pub(super) mod contact_words;
mod harmless_values;
pub(super) mod known_contacts;
pub(super) mod protected_preferences;
