//! The call that checks operations memory.

use loci_api::operations::doctor::SreDoctorReport;
use loci_api::operations::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Finds the records that no read will ever match.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_doctor(&self, memory: &str) -> Result<SreDoctorReport, ClientError> {
        self.plain(at(&api::SRE_DOCTOR, &[memory])).await
    }
}
