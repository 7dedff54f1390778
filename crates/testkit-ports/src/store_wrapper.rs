//! Wrappers of a store that change only writes and reads: all other methods are those of the inner
//! store.

#[doc(hidden)]
pub mod names {
    pub use std::path::PathBuf;

    pub use loci_model::Result;
    pub use loci_model::ports::BoxFuture;
    pub use loci_model::ports::search::Search;
    pub use loci_model::ports::store::{BackupReport, Checkpoint, Hosts, StoreInfo};
}

/// Implements the methods of `Store` except `write_boxed` and `read_boxed`, with `self.inner`.
#[macro_export]
macro_rules! as_within {
    () => {
        fn search(&self) -> &dyn $crate::store_wrapper::names::Search {
            self.inner.search()
        }

        fn hosts(&self) -> $crate::store_wrapper::names::Hosts {
            self.inner.hosts()
        }

        fn try_host(&self) -> $crate::store_wrapper::names::Result<bool> {
            self.inner.try_host()
        }

        fn release_host(&self) {
            self.inner.release_host();
        }

        fn close(&self) {
            self.inner.close();
        }

        fn backup(
            &self,
            path: $crate::store_wrapper::names::PathBuf,
        ) -> $crate::store_wrapper::names::BoxFuture<
            '_,
            $crate::store_wrapper::names::Result<$crate::store_wrapper::names::BackupReport>,
        > {
            self.inner.backup(path)
        }

        fn checkpoint(
            &self,
            moment: $crate::store_wrapper::names::Checkpoint,
        ) -> $crate::store_wrapper::names::BoxFuture<'_, $crate::store_wrapper::names::Result<()>> {
            self.inner.checkpoint(moment)
        }

        fn info(
            &self,
            probe_write: bool,
        ) -> $crate::store_wrapper::names::BoxFuture<
            '_,
            $crate::store_wrapper::names::Result<$crate::store_wrapper::names::StoreInfo>,
        > {
            self.inner.info(probe_write)
        }
    };
}
