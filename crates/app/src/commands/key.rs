//! `loci key`: access keys. Secrets are printed once, by `create` and `rotate`.

use anyhow::Result;
use clap::Subcommand;
use loci_api::key::{Grant, KeyCreate, KeyIssued};

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
        /// "capabilities":["read","write","admin"]}; absent members mean any. Without a grant it allows everything
        #[arg(long = "grant", value_name = "JSON")]
        grants: Vec<String>,
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
            Self::Create { name, grants } => {
                let grants = grants.iter().map(|text| grant(text)).collect::<Result<Vec<_>>>()?;
                let new = KeyCreate { name, grants: (!grants.is_empty()).then_some(grants) };
                output::result(session.json, &session.client.key_create(&new).await?, shown)?;
            }
            Self::List => {
                let keys = session.client.key_list().await?;
                output::result(session.json, &keys, |keys| {
                    let mut rows = vec![["KEY", "NAME", "CREATED", "STATE"].map(str::to_owned).to_vec()];
                    for key in &keys.keys {
                        let state =
                            key.revoked_at.as_ref().map_or("active".to_owned(), |at| format!("revoked {at}"));
                        rows.push(vec![
                            key.access_key_id.clone(),
                            key.name.clone(),
                            key.created_at.clone(),
                            state,
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

fn shown(key: &KeyIssued) {
    output::line(format!("export AWS_ACCESS_KEY_ID={}", key.access_key_id));
    output::line(format!("export AWS_SECRET_ACCESS_KEY={}", key.secret_access_key));
    output::line(format!("export LOCI_TOKEN={}", key.token));
    output::note("the secrets are shown this once: keep them now");
}
