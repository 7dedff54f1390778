//! Calls of administration: forget, export, import, backup, doctor, configuration.

mod deliveries;
mod keys;

use bytes::Bytes;
use futures::{Stream, StreamExt};
use loci_api::admin::{
    Backup, BackupReport, DoctorAsk, DoctorReport, ExportAsk, Forget, ForgetReceipt, ImportReport,
};
use loci_api::table as api;

use crate::call::{Client, LineStream};
use crate::call_target::at;
use crate::error::ClientError;
use crate::transport::Outgoing;

impl Client {
    /// Erases the data of a person in a memory, or only counts it.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn forget(&self, memory: &str, whom: &Forget) -> Result<ForgetReceipt, ClientError> {
        self.send(at(&api::ACTOR_FORGET, &[memory]), whom).await
    }

    /// Exports a memory as JSON lines, as a stream. It is complete only if the last line has the
    /// type `end`.
    ///
    /// # Errors
    /// See [`Client::forget`].
    pub async fn export(&self, memory: &str) -> Result<LineStream, ClientError> {
        self.export_part(memory, &ExportAsk::default()).await
    }

    /// Exports a part of a memory as JSON lines.
    ///
    /// # Errors
    /// See [`Client::forget`].
    pub async fn export_part(&self, memory: &str, asked: &ExportAsk) -> Result<LineStream, ClientError> {
        self.stream(at(&api::MEMORY_EXPORT, &[memory]).with_query(asked)?, Outgoing::Empty).await
    }

    /// Imports the contents of an export.
    ///
    /// # Errors
    /// See [`Client::forget`].
    pub async fn import(
        &self,
        lines: impl Stream<Item = Result<Bytes, std::io::Error>> + Send + 'static,
    ) -> Result<ImportReport, ClientError> {
        let stream = lines.map(|piece| piece.map_err(Into::into)).boxed();
        self.plain_body(at(&api::MEMORY_IMPORT, &[]), Outgoing::Stream(stream)).await
    }

    /// Writes a backup of the store to a file on the server.
    ///
    /// # Errors
    /// See [`Client::forget`].
    pub async fn backup(&self, to: &Backup) -> Result<BackupReport, ClientError> {
        self.send(at(&api::BACKUP, &[]), to).await
    }

    /// Checks the store and the indexes.
    ///
    /// # Errors
    /// See [`Client::forget`].
    pub async fn doctor(&self, ask: &DoctorAsk) -> Result<DoctorReport, ClientError> {
        self.send(at(&api::DOCTOR, &[]), ask).await
    }

    /// Returns the active configuration, without secrets.
    ///
    /// # Errors
    /// See [`Client::forget`].
    pub async fn config(&self) -> Result<serde_json::Value, ClientError> {
        self.plain(at(&api::CONFIG, &[])).await
    }
}
