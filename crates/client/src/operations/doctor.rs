//! The call that looks through operations memory.

use loci_api::operations::doctor::SreDoctorReport;

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// Looks for what nobody will read as it is meant.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_doctor(&self, memory: &str) -> Result<SreDoctorReport, ClientError> {
        self.get(path(&["v1", "memories", memory, "sre", "doctor"])).await
    }
}
