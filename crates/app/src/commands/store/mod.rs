//! Commands about whole stores: backup, restore, migration, the statements of the tables.

pub(crate) mod backup;
pub(crate) mod migrate;
pub(crate) mod restore;
pub(crate) mod schema;
