//! Administration: forget an actor, back up, read the server's health and configuration.

use loci_api::table as api;
use std::path::PathBuf;

use loci_api::admin as shape;
use loci_engine::access;
use loci_engine::admin::{ForgetAsk, actor_of_person};
use loci_engine::jobs::Servers;
use loci_model::ports::store::SnapshotFiles;
use loci_model::{Error, Result};

use super::protocol::call::Call;
use super::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table
        .json(api::ACTOR_FORGET, forget)
        .json(api::BACKUP, backup)
        .json(api::DOCTOR, doctor)
        .formerly_get(api::DOCTOR.place)
        .plain(api::CONFIG, config)
}

async fn forget(call: Call, asked: shape::Forget) -> Result<shape::ForgetReceipt> {
    let shape::Forget { actor: whom, dry_run, confirm } = asked;
    let ask = ForgetAsk { memory: call.memory().await?, actor: actor_of_person(&whom)?, dry_run, confirm };
    let receipt = call.doors.engine.forget(&call.caller, &ask).await?;
    Ok(shape::ForgetReceipt { actor: whom, ..receipt })
}

async fn backup(call: Call, asked: shape::Backup) -> Result<shape::BackupReport> {
    let path = PathBuf::from(asked.path);
    if !path.is_absolute() {
        return Err(Error::invalid(
            "path",
            "path must be absolute: it is a file on the machine of the server",
        ));
    }
    let report = call.doors.engine.backup(&call.caller, path).await?;
    Ok(shape::BackupReport { path: report.path.display().to_string(), bytes: report.bytes })
}

async fn doctor(call: Call, asked: shape::DoctorAsk) -> Result<shape::DoctorReport> {
    let engine = &call.doors.engine;
    if asked.telemetry {
        return telemetry(&call).await.map(report);
    }
    let mut findings = Vec::new();
    match engine.info(&call.caller, true).await {
        Ok(info) => {
            let detail = format!(
                "{} at {}, schema {}, {} bytes, read and written",
                info.kind, info.location, info.schema_version, info.bytes
            );
            findings.push(finding("store", true, detail));
            findings.push(match engine.servers().await? {
                Some(servers) => servers_of_many(&servers),
                None if info.is_host => finding("host", true, "this process runs jobs".to_owned()),
                None => finding("host", true, "another process runs jobs, or none does".to_owned()),
            });
            findings.push(snapshots(&info.snapshots));
            findings.extend(info.checks.into_iter().map(|check| finding(check.name, check.ok, check.detail)));
        }
        Err(error) if error.kind == loci_model::ErrorKind::Denied => return Err(error),
        Err(error) => findings.push(finding("store", false, error.message)),
    }
    findings.push(match engine.master_key_check().await {
        Ok(warning) => {
            let detail = warning.unwrap_or("it opens what the store has sealed, where anything is");
            finding("master key", true, detail.to_owned())
        }
        Err(error) => finding("master key", false, error.message),
    });
    let keys = call.doors.gate.any_keys().await?;
    let mode = if keys {
        "access keys are configured: TCP requests need credentials"
    } else {
        "development mode: everyone who reaches this machine's loopback may do anything; make a key with `loci key create NAME`"
    };
    findings.push(finding("identity", true, mode.to_owned()));
    if !asked.offline {
        let probes = engine.providers_probe(&call.caller).await?;
        findings.extend(probes.into_iter().map(|probe| finding(&probe.name, probe.ok, probe.detail)));
    }
    findings.push(super::deliveries::finding(&call).await?);
    #[cfg(feature = "verified")]
    findings.push(super::verified::telemetry::default_branches(&call).await?);
    indexes(&call, asked.rebuild, &mut findings).await?;
    Ok(report(findings))
}

/// Returns the findings about the events of facts.
#[cfg(feature = "verified")]
async fn telemetry(call: &Call) -> Result<Vec<shape::Finding>> {
    super::verified::telemetry::report(call).await
}

/// Rejects the request, because this program has no facts.
#[cfg(not(feature = "verified"))]
async fn telemetry(_: &Call) -> Result<Vec<shape::Finding>> {
    let rule =
        "telemetry looks at facts, and this program was built without verified memory: leave telemetry out";
    Err(Error::invalid("telemetry", rule))
}

fn report(findings: Vec<shape::Finding>) -> shape::DoctorReport {
    let ok = findings.iter().all(|finding| finding.ok);
    shape::DoctorReport { version: env!("CARGO_PKG_VERSION").to_owned(), ok, findings }
}

/// The age from which a due job counts as overdue, in milliseconds. No server has taken such a job;
/// one whose server died is taken sooner.
const OVERDUE_MS: u64 = 120_000;

/// Returns a finding on the servers that share a store, as far as the store knows them.
fn servers_of_many(servers: &Servers) -> shape::Finding {
    match *servers {
        Servers { heard_of: true, .. } => {
            finding("host", true, "servers run jobs: one has swept in the last three minutes".to_owned())
        }
        Servers { heard_of: false, overdue_ms } if overdue_ms > OVERDUE_MS => {
            let seconds = overdue_ms / 1_000;
            let detail = format!(
                "no server seems to run: none has swept in the last three minutes, and a job has been due for {seconds} \
                 seconds; start one (loci serve)"
            );
            finding("host", false, detail)
        }
        Servers { heard_of: false, .. } => finding(
            "host",
            true,
            "no server has swept in the last three minutes: none runs, or those that do have just begun; jobs wait for one"
                .to_owned(),
        ),
    }
}

/// The maximum number of memories whose indexes are checked. Each index is loaded for it.
const INDEXES_MAX: usize = 1_000;

/// Checks the index of every memory, up to the limit, and compares it with a fresh build if
/// requested.
async fn indexes(call: &Call, rebuild: bool, findings: &mut Vec<shape::Finding>) -> Result<()> {
    let engine = &call.doors.engine;
    let (mut after, mut seen) = (None, 0);
    loop {
        let page = engine.memory_list(&call.caller, after, loci_model::limits::PAGE_ITEMS_MAX).await?;
        for memory in &page.items {
            let name = format!("index of {}", memory.id);
            let now = match engine.index_info(&call.caller, &memory.id, false).await {
                Ok(info) => info,
                Err(error) => {
                    findings.push(finding(&name, false, error.message));
                    continue;
                }
            };
            let size = format!("{} passages, {} vectors, {} bytes", now.passages, now.vectors, now.bytes);
            if !rebuild {
                findings.push(finding(&name, true, size));
                continue;
            }
            let fresh = engine.index_info(&call.caller, &memory.id, true).await?;
            let same = fresh.digest == now.digest || fresh.sequence != now.sequence;
            let word = if same {
                "equals a fresh build"
            } else {
                "differs from a fresh build: restart to rebuild it"
            };
            findings.push(finding(&name, same, format!("{size}, {word}")));
        }
        after = page.next;
        seen += page.items.len();
        if after.is_none() {
            return Ok(());
        }
        if seen >= INDEXES_MAX {
            let detail = format!("only those of the {seen} newest memories were looked at");
            findings.push(finding("indexes", true, detail));
            return Ok(());
        }
    }
}

/// Returns a finding on snapshots. They can be deleted at any time; an unusable one only takes
/// space.
fn snapshots(files: &SnapshotFiles) -> shape::Finding {
    let mut detail = format!("{} files, {} bytes", files.count, files.bytes);
    if !files.unusable.is_empty() {
        let names = files.unusable.join(", ");
        detail +=
            &format!("; cannot be used: {names}: delete them from the folder index, they are made again");
    }
    finding("index snapshots", files.unusable.is_empty(), detail)
}

fn finding(name: &str, ok: bool, detail: String) -> shape::Finding {
    shape::Finding { name: name.to_owned(), ok, detail, ids: Vec::new() }
}

async fn config(call: Call) -> Result<serde_json::Value> {
    access::require_server_admin(&call.caller)?;
    Ok(call.doors.options.configuration.clone())
}
