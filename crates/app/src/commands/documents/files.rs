//! `loci files`: a memory as files: listing, reading, writing. `history` contains the history and
//! restoring, `memory_tool` the memory tool.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};
use loci_api::documents::file as shape;
use loci_api::documents::memory_tool::PromptDocumentsQuery;
use loci_api::documents::tree as tree_shape;
use loci_client::{Client, ClientError};

use super::history::History;
use super::memory_tool::Tool;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::confirmation::{self, DryRun};
use crate::exit::{NotFound, Usage};
use crate::input::written_text_of;
use crate::memory_argument::{self, MemoryArgument};
use crate::output;
use crate::session::Session;

/// The tree.
#[derive(Debug, Clone, Args)]
pub(crate) struct TreeSelector {
    #[command(flatten)]
    pub(super) memory: MemoryArgument,
    /// The namespace whose documents they are; `/` without it
    #[arg(long)]
    pub(super) namespace: Option<String>,
}

/// The preconditions of a change.
#[derive(Debug, Clone, Args)]
pub(crate) struct ChangePreconditions {
    /// Only the version with this entity tag
    #[arg(long, conflicts_with_all = ["new", "force"])]
    if_match: Option<String>,
    /// Only if the document does not exist yet
    #[arg(long, conflicts_with = "force")]
    new: bool,
    /// Overwrite any version
    #[arg(long)]
    force: bool,
    /// The reason, stored with the version
    #[arg(long)]
    reason: Option<String>,
}

/// A memory as files
#[derive(Debug, Subcommand)]
pub(crate) enum Files {
    /// List the documents
    Ls {
        #[command(flatten)]
        of: TreeSelector,
        /// The maximum depth in levels
        #[arg(long)]
        depth: Option<u32>,
        /// Only below this directory
        prefix: Option<String>,
    },
    /// Show a document
    Cat {
        #[command(flatten)]
        of: TreeSelector,
        /// The whole file, including its front matter
        #[arg(long)]
        raw: bool,
        /// The document
        path: String,
    },
    /// Search lines that match a regular expression
    Grep {
        #[command(flatten)]
        of: TreeSelector,
        /// Ignore case
        #[arg(long, short)]
        ignore_case: bool,
        /// The number of context lines around each match
        #[arg(long, short = 'C', default_value_t = 0)]
        context: u32,
        /// The maximum number of matches
        #[arg(long)]
        max_matches: Option<u32>,
        /// The expression
        pattern: String,
        /// Only in this document, or below this directory
        path: Option<String>,
    },
    /// Write a document from a file, or from standard input
    Put {
        #[command(flatten)]
        of: TreeSelector,
        #[command(flatten)]
        change: ChangePreconditions,
        /// Store the text unchanged, even if it begins with front matter
        #[arg(long)]
        raw: bool,
        /// The document
        path: String,
        /// The file; `-`, or no file, is standard input
        file: Option<PathBuf>,
    },
    /// Add lines to a document, each once
    Append {
        #[command(flatten)]
        of: TreeSelector,
        /// The document with this title, instead of a path
        #[arg(long)]
        title: Option<String>,
        /// The reason, stored with the version
        #[arg(long)]
        reason: Option<String>,
        /// The document, unless a title is given; then the lines
        #[arg(required = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Replace a text that occurs once in a document
    Edit {
        #[command(flatten)]
        of: TreeSelector,
        /// The old text
        #[arg(long, allow_hyphen_values = true)]
        old: String,
        /// The new text
        #[arg(long, allow_hyphen_values = true)]
        new: String,
        /// The reason, stored with the version
        #[arg(long)]
        reason: Option<String>,
        /// The document
        path: String,
    },
    /// Move a document to another path
    Mv {
        #[command(flatten)]
        of: TreeSelector,
        /// The reason, stored with the version
        #[arg(long)]
        reason: Option<String>,
        /// The current path
        from: String,
        /// The new path
        to: String,
    },
    /// Archive a document; it can be restored
    Rm {
        #[command(flatten)]
        of: TreeSelector,
        #[command(flatten)]
        change: ChangePreconditions,
        #[command(flatten)]
        dry: DryRun,
        /// The document
        path: String,
    },
    /// Show the listing of all documents that a model receives
    Listing {
        #[command(flatten)]
        of: TreeSelector,
        /// The maximum number of tokens
        #[arg(long)]
        budget_tokens: Option<u32>,
        /// Only below this directory
        prefix: Option<String>,
    },
    /// Show the documents that a session begins with: knowledge/system/ in full, a listing of the
    /// others
    Context {
        /// The memory, by name or id [default: LOCI_MEMORY, or the mount]
        #[arg(long, conflicts_with = "mount")]
        memory: Option<String>,
        /// The namespace of the documents; `/` without it
        #[arg(long, conflicts_with = "mount")]
        namespace: Option<String>,
        /// A mount of the server's configuration [default: default]
        #[arg(long)]
        mount: Option<String>,
        /// The maximum number of tokens [default: 2500]
        #[arg(long)]
        budget_tokens: Option<u32>,
    },
    /// Run a command of the memory tool, as a model would call it
    Tool(Tool),
    #[command(flatten)]
    History(History),
}

impl Files {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let mut session = Session::begin(globals, environment)?;
        match self {
            Self::Ls { of, depth, prefix } => ls(&session, of, depth, prefix).await?,
            Self::Cat { of, raw, path } => cat(&session, of, raw, &path).await?,
            Self::Grep { of, ignore_case, context, max_matches, pattern, path } => {
                let TreeSelector { memory, namespace } = of;
                let asked =
                    tree_shape::GrepAsk { namespace, pattern, path, ignore_case, max_matches, context };
                grep(&session, &memory, &asked).await?;
            }
            Self::Put { of, change, raw, path, file } => {
                let text = written_text_of(file.unwrap_or_else(|| PathBuf::from("-")), "the document")?;
                let raw = raw.then(|| "1".to_owned());
                let memory = of.memory.id(&session).await?;
                let (client, asked) = change.of(&session.client, &memory, &of, &path, raw).await?;
                let done = client.document_put_file(&memory, &path, &asked, text).await?;
                told(&mut session, &memory, &done)?;
            }
            Self::Append { of, title, reason, words } => {
                let memory = of.memory.id(&session).await?;
                let append = append(of.namespace, title, reason, words)?;
                let done = session.client.document_append(&memory, &append).await?;
                told(&mut session, &memory, &done)?;
            }
            Self::Edit { of, old, new, reason, path } => {
                let memory = of.memory.id(&session).await?;
                let edit = shape::DocumentEdit {
                    namespace: of.namespace,
                    path,
                    op: "replace".to_owned(),
                    old: Some(old),
                    new: Some(new),
                    reason,
                    ..shape::DocumentEdit::default()
                };
                let done = session.client.document_edit(&memory, &edit).await?;
                told(&mut session, &memory, &done)?;
            }
            Self::Mv { of, reason, from, to } => {
                let memory = of.memory.id(&session).await?;
                let namespace = of.namespace;
                let moved = shape::DocumentMove { namespace, from, to, reason, ..Default::default() };
                let done = session.client.document_move(&memory, &moved).await?;
                told(&mut session, &memory, &done)?;
            }
            Self::Rm { of, dry, path, .. } if dry.dry_run => would_archive(&session, of, &path).await?,
            Self::Rm { of, change, path, .. } => {
                let memory = of.memory.id(&session).await?;
                let (client, asked) = change.of(&session.client, &memory, &of, &path, None).await?;
                let done = client.document_delete(&memory, &path, &asked).await?;
                told(&mut session, &memory, &done)?;
            }
            Self::Listing { of, budget_tokens, prefix } => {
                listing(&session, of, budget_tokens, prefix).await?;
            }
            Self::Context { memory, namespace, mount, budget_tokens } => {
                let memory = match &mount {
                    Some(_) => None,
                    None => memory_argument::given(memory, environment),
                };
                context(&session, &PromptDocumentsQuery { mount, memory, namespace, budget_tokens }).await?;
            }
            Self::Tool(tool) => tool.run(&session, environment).await?,
            Self::History(history) => history.run(&mut session).await?,
        }
        session.end().await
    }
}

impl ChangePreconditions {
    /// Returns the client and the query of a change. By default the change applies only to the
    /// version that exists now.
    async fn of(
        self,
        client: &Client,
        memory: &str,
        of: &TreeSelector,
        path: &str,
        raw: Option<String>,
    ) -> Result<(Client, shape::DocumentChange)> {
        let namespace = of.namespace.clone();
        let force = self.force.then(|| "1".to_owned());
        let asked = shape::DocumentChange { namespace: namespace.clone(), force, raw, reason: self.reason };
        let client = client.clone();
        let client = match self.if_match {
            Some(etag) => client.with_if_match(&etag)?,
            None if self.force => client,
            None if self.new => client.with_if_absent(),
            None => {
                match client.document_get(memory, path, &shape::DocumentAsk { namespace, raw: None }).await {
                    Ok(there) => client.with_if_match(&there.etag)?,
                    Err(error) if error.status() == Some(404) => client.with_if_absent(),
                    Err(error) => return Err(error.into()),
                }
            }
        };
        Ok((client, asked))
    }
}

async fn listing(
    session: &Session,
    of: TreeSelector,
    budget_tokens: Option<u32>,
    prefix: Option<String>,
) -> Result<()> {
    let memory = of.memory.id(session).await?;
    let query = tree_shape::ListingQuery { namespace: of.namespace, prefix, budget_tokens, format: None };
    let listing = session.client.tree_listing(&memory, &query).await?;
    output::result(session.json, &listing, |listing| output::line(listing.text.trim_end()))
}

async fn would_archive(session: &Session, of: TreeSelector, path: &str) -> Result<()> {
    let memory = of.memory.id(session).await?;
    let asked = shape::DocumentAsk { namespace: of.namespace, raw: None };
    session.client.document_get(&memory, path, &asked).await.map_err(missing)?;
    confirmation::would(session.json, &format!("archive the document {path}"))
}

async fn context(session: &Session, query: &PromptDocumentsQuery) -> Result<()> {
    let context = session.client.prompt_documents(query).await?;
    output::result(session.json, &context, |context| output::line(context.text.trim_end()))
}

async fn ls(session: &Session, of: TreeSelector, depth: Option<u32>, prefix: Option<String>) -> Result<()> {
    let memory = of.memory.id(session).await?;
    let namespace = of.namespace;
    let mut query = tree_shape::TreeQuery { namespace, prefix, depth, ..Default::default() };
    let mut found = session.client.tree_list(&memory, &query).await?;
    while let Some(cursor) = found.next_cursor.take() {
        query.cursor = Some(cursor);
        let page = session.client.tree_list(&memory, &query).await?;
        found.entries.extend(page.entries);
        found.next_cursor = page.next_cursor;
    }
    output::result(session.json, &found, |found| {
        let row = |item: &tree_shape::TreeItem| match item.files {
            Some(files) => {
                vec![item.bytes.to_string(), format!("{}/", item.path), format!("{files} documents")]
            }
            None => {
                let said = item.description.as_deref().unwrap_or_default();
                vec![item.bytes.to_string(), item.path.clone(), output::short(said, 80)]
            }
        };
        output::list(&[], found.entries.iter().map(row).collect(), "No documents.");
    })
}

async fn cat(session: &Session, of: TreeSelector, raw: bool, path: &str) -> Result<()> {
    let memory = of.memory.id(session).await?;
    if raw && !session.json {
        let file = session.client.document_file(&memory, path, of.namespace).await.map_err(missing)?;
        output::text(&file);
        return Ok(());
    }
    let asked = shape::DocumentAsk { namespace: of.namespace, raw: None };
    let document = session.client.document_get(&memory, path, &asked).await.map_err(missing)?;
    output::result(session.json, &document, |document| output::text(&document.body))
}

async fn grep(session: &Session, memory: &MemoryArgument, asked: &tree_shape::GrepAsk) -> Result<()> {
    let memory = memory.id(session).await?;
    let found = session.client.tree_grep(&memory, asked).await?;
    output::result(session.json, &found, |found| {
        for line in &found.lines {
            let mark = if line.is_match { ':' } else { '-' };
            let cut = if line.cut { " […]" } else { "" };
            output::line(format!("{}{mark}{}{mark} {}{cut}", line.path, line.line, line.text));
        }
        output::note_if_empty(&found.lines, "No lines match.");
        if found.more {
            output::note(format!("only the first {} matches: see --max-matches", found.matches));
        }
        if found.timed_out {
            output::note("not everything was looked at: name a path, or give a simpler pattern");
        }
    })
}

fn append(
    namespace: Option<String>,
    title: Option<String>,
    reason: Option<String>,
    words: Vec<String>,
) -> Result<shape::DocumentAppend> {
    let (path, lines) = match title {
        Some(_) => (None, words),
        None => {
            let mut words = words.into_iter();
            (words.next(), words.collect())
        }
    };
    if lines.is_empty() {
        return Err(Usage("give the lines to append".to_owned()).into());
    }
    // All words after the document are text, even options, which nobody intends to store.
    if let Some(option) = lines.iter().find(|line| is_option(line)) {
        let rule = format!("{option} stands among the lines: options stand before the document");
        return Err(Usage(format!("{rule}; a line that begins so is written by files edit or put")).into());
    }
    let if_match = None;
    Ok(shape::DocumentAppend { namespace, path, title, lines, if_absent_create: true, if_match, reason })
}

fn is_option(line: &str) -> bool {
    let name = line.strip_prefix("--").map(|rest| rest.split('=').next().unwrap_or(rest));
    name.is_some_and(|name| {
        name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.chars().all(|one| one.is_ascii_lowercase() || one == '-')
    })
}

/// Prints the result of a change of a document.
pub(super) fn told(session: &mut Session, memory: &str, done: &shape::DocumentWritten) -> Result<()> {
    session.wrote(memory)?;
    output::result(session.json, done, |done| {
        let what = done.operation.as_deref().unwrap_or("unchanged");
        let path = done.path.as_deref().unwrap_or("-");
        let added = done.added.map(|added| format!("  {added} lines added")).unwrap_or_default();
        output::line(format!("{what}  {path}  version {}{added}", done.version));
        done.warnings.iter().for_each(output::note);
    })
}

/// Converts an error for a missing document, whose message contains similar paths.
fn missing(error: ClientError) -> anyhow::Error {
    match error {
        ClientError::Refused { status: 404, problem } => NotFound(problem.message).into(),
        other => other.into(),
    }
}
