//! Preferences of users: their type, the current set, lists, and the file that declares them.

pub(super) mod apply;
pub(super) mod categories;
pub(super) mod current_set;
pub(super) mod declared_file;
pub(super) mod preference;
pub(super) mod preference_effect;
pub(super) mod preference_lists;
mod preference_sets;
