//! `loci key`: access keys. Secrets are printed once, by `create` and `rotate`.

use std::collections::BTreeSet;

use anyhow::Result;
use clap::Subcommand;
use loci_api::key::{Capability, Grant, KeyCreate, KeyIssued};

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Usage;
use crate::output;
use crate::session::Session;

/// Access keys.
#[derive(Debug, Subcommand)]
pub(crate) enum Key {
    /// Make a key: an AWS pair and a bearer token of one principal
    Create {
        /// A name for logs
        name: String,
        /// What it allows, as JSON: {"memory":"…","actor":"…","session":"…","namespace":"…","strategy":"…",
        /// "metadata":{"tenant":["acme"]},"max_age_days":30,"capabilities":["read","write","admin"]}; absent members mean any. Without a grant it allows everything
        #[arg(long = "grant", value_name = "JSON")]
        grants: Vec<String>,
        /// A value of metadata that everything the key reads has, and everything it writes is given; may be repeated, also
        /// with the same name: then it may write any of these values, and must say which. It narrows each --grant or,
        /// without one, reading and writing of everything
        #[arg(long = "filter", value_name = "NAME=VALUE")]
        filters: Vec<String>,
        /// Days: what is older the key does not read. It narrows as --filter does
        #[arg(long, value_name = "DAYS")]
        max_age_days: Option<u32>,
    },
    /// List keys
    List,
    /// Replace the secrets of a key
    Rotate {
        /// The access key id
        key: String,
    },
    /// Revoke a key
    Revoke {
        /// The access key id
        key: String,
    },
}

impl Key {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        match self {
            Self::Create { name, grants, filters, max_age_days } => {
                let mut grants = grants.iter().map(|text| grant(text)).collect::<Result<Vec<_>>>()?;
                narrow(&mut grants, &filters, max_age_days)?;
                let new = KeyCreate { name, grants: (!grants.is_empty()).then_some(grants) };
                output::result(session.json, &session.client.key_create(&new).await?, shown)?;
            }
            Self::List => {
                let keys = session.client.key_list().await?;
                output::result(session.json, &keys, |keys| {
                    let heads = ["KEY", "NAME", "CREATED", "STATE", "ALLOWS"];
                    let mut rows = vec![heads.map(str::to_owned).to_vec()];
                    for key in &keys.keys {
                        let state =
                            key.revoked_at.as_ref().map_or("active".to_owned(), |at| format!("revoked {at}"));
                        rows.push(vec![
                            key.access_key_id.clone(),
                            key.name.clone(),
                            key.created_at.clone(),
                            state,
                            key.grants.iter().map(allowed).collect::<Vec<_>>().join("; "),
                        ]);
                    }
                    output::table(&rows);
                })?;
            }
            Self::Rotate { key } => {
                output::result(session.json, &session.client.key_rotate(&key).await?, shown)?;
            }
            Self::Revoke { key } => {
                let nothing = session.client.key_revoke(&key).await?;
                output::result(session.json, &nothing, |_| output::line(format!("revoked {key}")))?;
            }
        }
        session.end().await
    }
}

fn grant(text: &str) -> Result<Grant> {
    let bad = |error| Usage(format!("--grant must be a JSON object like {{\"memory\":\"ID\"}}: {error}"));
    Ok(serde_json::from_str(text).map_err(bad)?)
}

/// Narrows every grant or, where there is none, reading and writing of everything.
fn narrow(grants: &mut Vec<Grant>, filters: &[String], max_age_days: Option<u32>) -> Result<()> {
    if filters.is_empty() && max_age_days.is_none() {
        return Ok(());
    }
    if grants.is_empty() {
        grants.push(grant(r#"{"capabilities":["read","write"]}"#)?);
    }
    for grant in grants {
        for filter in filters {
            let bad = || Usage(format!("--filter must be NAME=VALUE, like --filter tenant=acme: {filter}"));
            let (name, value) = filter.split_once('=').ok_or_else(bad)?;
            grant.metadata.entry(name.to_owned()).or_default().insert(value.to_owned());
        }
        grant.max_age_days = max_age_days.or(grant.max_age_days);
    }
    Ok(())
}

/// A grant in a line: what may be done, and where.
fn allowed(grant: &Grant) -> String {
    let capability = |capability: &Capability| match capability {
        Capability::Read => "read",
        Capability::Write => "write",
        Capability::Admin => "admin",
        Capability::Agent => "agent",
    };
    let mut words = vec![grant.capabilities.iter().map(capability).collect::<Vec<_>>().join(",")];
    let places = [
        ("memory", &grant.memory),
        ("actor", &grant.actor),
        ("session", &grant.session),
        ("namespace", &grant.namespace),
        ("strategy", &grant.strategy),
    ];
    words.extend(places.iter().filter_map(|(name, place)| Some(format!("{name}={}", place.as_ref()?))));
    let joined = |values: &BTreeSet<String>| values.iter().map(String::as_str).collect::<Vec<_>>().join("|");
    words.extend(grant.metadata.iter().map(|(name, values)| format!("metadata.{name}={}", joined(values))));
    words.extend(grant.max_age_days.map(|days| format!("max_age_days={days}")));
    words.join(" ")
}

fn shown(key: &KeyIssued) {
    output::line(format!("export AWS_ACCESS_KEY_ID={}", key.access_key_id));
    output::line(format!("export AWS_SECRET_ACCESS_KEY={}", key.secret_access_key));
    output::line(format!("export LOCI_TOKEN={}", key.token));
    output::note("the secrets are shown this once: keep them now");
}
