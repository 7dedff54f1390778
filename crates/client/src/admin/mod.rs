//! Calls of administration: erasing a person's data, export, import, backup, checks and
//! configuration.

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
    /// Erases the data of a person in a memory. On a dry run it only counts the data.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn forget(&self, memory: &str, whom: &Forget) -> Result<ForgetReceipt, ClientError> {
        self.send(at(&api::ACTOR_FORGET, &[memory]), whom).await
    }

    /// Exports a memory as a stream of JSON lines. The export is complete only if its last line has
    /// the type `end`.
    ///
    /// # Errors
    /// See [`Client::forget`].
    pub async fn export(&self, memory: &str) -> Result<LineStream, ClientError> {
        self.export_part(memory, &ExportAsk::default()).await
    }

    /// Exports the selected part of a memory as a stream of JSON lines.
    ///
    /// # Errors
    /// See [`Client::forget`].
    pub async fn export_part(&self, memory: &str, asked: &ExportAsk) -> Result<LineStream, ClientError> {
        self.stream(at(&api::MEMORY_EXPORT, &[memory]).with_query(asked)?, Outgoing::Empty).await
    }

    /// Imports the JSON lines of an export into a memory.
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

    /// Checks the store and the indexes of the server.
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
