//! Calls of administration: forget, export, import, backup, doctor, configuration.

mod deliveries;
mod keys;

use bytes::Bytes;
use futures::{Stream, StreamExt};
use http::Method;
use loci_api::admin::{
    Backup, BackupReport, DoctorAsk, DoctorReport, ExportAsk, Forget, ForgetReceipt, ImportReport,
};

use crate::call::{Client, LineStream, path, with_query};
use crate::error::ClientError;
use crate::transport::Outgoing;

impl Client {
    /// Erases what a memory holds about a person, now, or only counts it.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn forget(&self, memory: &str, whom: &Forget) -> Result<ForgetReceipt, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "forget"]), whom).await
    }

    /// A memory as JSON lines, as they come. Complete only if the last line has the type `end`.
    ///
    /// # Errors
    /// See [`Client::forget`].
    pub async fn export(&self, memory: &str) -> Result<LineStream, ClientError> {
        self.export_part(memory, &ExportAsk::default()).await
    }

    /// A part of a memory as JSON lines.
    ///
    /// # Errors
    /// See [`Client::forget`].
    pub async fn export_part(&self, memory: &str, asked: &ExportAsk) -> Result<LineStream, ClientError> {
        let path = with_query(path(&["v1", "memories", memory, "export"]), asked)?;
        self.stream(Method::GET, path, Outgoing::Empty).await
    }

    /// Writes what an export holds.
    ///
    /// # Errors
    /// See [`Client::forget`].
    pub async fn import(
        &self,
        lines: impl Stream<Item = Result<Bytes, std::io::Error>> + Send + 'static,
    ) -> Result<ImportReport, ClientError> {
        let stream = lines.map(|piece| piece.map_err(Into::into)).boxed();
        self.plain_body(Method::POST, path(&["v1", "import"]), Outgoing::Stream(stream)).await
    }

    /// Writes a copy of the store to a file on the server.
    ///
    /// # Errors
    /// See [`Client::forget`].
    pub async fn backup(&self, to: &Backup) -> Result<BackupReport, ClientError> {
        self.send(Method::POST, path(&["v1", "backup"]), to).await
    }

    /// Looks at the store and the indexes.
    ///
    /// # Errors
    /// See [`Client::forget`].
    pub async fn doctor(&self, ask: &DoctorAsk) -> Result<DoctorReport, ClientError> {
        self.send(Method::POST, path(&["v1", "doctor"]), ask).await
    }

    /// The configuration in force, without secrets.
    ///
    /// # Errors
    /// See [`Client::forget`].
    pub async fn config(&self) -> Result<serde_json::Value, ClientError> {
        self.get(path(&["v1", "config"])).await
    }
}
