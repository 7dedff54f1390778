//! The output of the command: the difference of each file, the written files, and notes about them.

use std::path::Path;

use serde::Serialize;

use super::apply::Written;
use super::client::{Client, Part, Scope};
use super::line_diff::unified;
use super::plan::Edit;
use super::request::{Form, Request};
use crate::output;

/// The answer for a program.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    client: &'static str,
    scope: &'static str,
    form: &'static str,
    /// The command that the client starts.
    program: String,
    /// True if there are changes.
    pub(super) changes: bool,
    /// True if they were written.
    pub(super) written: bool,
    files: Vec<File>,
    /// Notes for the user.
    notes: Vec<String>,
    /// The next step in the client.
    next: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct File {
    path: String,
    part: &'static str,
    action: &'static str,
    /// The difference in the format of `diff -u`. Secrets of others are masked.
    diff: String,
    backup: Option<String>,
}

impl Report {
    pub(super) fn of(request: &Request, edits: &[Edit], notes: Vec<String>) -> Self {
        Self {
            client: request.client.name(),
            scope: scope(request.scope),
            form: match request.form {
                Form::Stdio { .. } => "stdio",
                Form::Http { .. } => "http",
            },
            program: request.program.clone(),
            changes: edits.iter().any(Edit::is_change),
            written: false,
            files: edits.iter().map(File::of).collect(),
            notes,
            next: (!request.remove).then(|| next(request.client)),
        }
    }

    /// Prints the differences and the notes.
    pub(super) fn show(&self, line: impl Fn(&str)) {
        for file in &self.files {
            match file.action {
                "none" => line(&format!("{}: {} as it is", file.path, file.part)),
                _ => line(file.diff.trim_end()),
            }
        }
        self.notes.iter().for_each(|note| line(&format!("note: {note}")));
    }

    /// Adds the written files.
    pub(super) fn wrote(&mut self, written: &[Written]) {
        self.written = true;
        let changed = self.files.iter_mut().filter(|file| file.action != "none");
        for (file, written) in changed.zip(written) {
            file.backup = written.backup.as_ref().map(|path| path.display().to_string());
        }
    }

    /// Prints written files and backups, one per line.
    pub(super) fn show_written(&self) {
        for file in self.files.iter().filter(|file| file.action != "none") {
            let done = match file.action {
                "create" => "written",
                "remove" => "removed",
                _ => "changed",
            };
            let copy = file.backup.as_ref().map_or(String::new(), |backup| format!(" (backup: {backup})"));
            output::line(format!("{done} {}{copy}", file.path));
        }
        if let Some(next) = self.next {
            output::note(format!("next: {next}"));
        }
    }
}

impl File {
    fn of(edit: &Edit) -> Self {
        let path = edit.target.path.display().to_string();
        let action = match (&edit.before, &edit.after) {
            _ if !edit.is_change() => "none",
            (None, _) => "create",
            (_, None) => "remove",
            (Some(_), Some(_)) => "change",
        };
        let part = match edit.target.part {
            Part::Servers(_) => "servers",
            Part::Hook(_) => "hook",
            Part::Instructions { .. } => "instructions",
        };
        let diff = unified(edit.before.as_deref(), edit.after.as_deref(), &path);
        Self { path, part, action, diff, backup: None }
    }
}

fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Project => "project",
        Scope::User => "user",
    }
}

/// Returns the notes about an installation.
pub(super) fn notes(request: &Request, project: &Path) -> Vec<String> {
    let mut notes = Vec::new();
    if request.remove {
        return notes;
    }
    if request.scope == Scope::Project {
        notes.push(format!("for everybody who works in {}", project.display()));
        if request.program != "loci" {
            notes.push(
                "the path of loci is that of this machine: put loci on PATH to share the files".to_owned(),
            );
        }
    }
    if request.needs_token() {
        let token = match request.client {
            Client::Vscode if matches!(request.form, Form::Http { .. }) => {
                "VS Code asks for the server's token; the hook and the command line read LOCI_TOKEN"
            }
            _ => "the client and its hooks read the server's token from LOCI_TOKEN",
        };
        notes.push(token.to_owned());
    }
    notes
}

fn next(client: Client) -> &'static str {
    match client {
        Client::ClaudeCode => "restart Claude Code and approve the server; /mcp shows it",
        Client::Cursor => "Cursor: Settings, Tools & MCP shows the server and switches it on",
        Client::Vscode => "VS Code: «MCP: List Servers» starts the server",
        Client::Codex => "restart Codex; /mcp shows the server, /hooks asks once to trust the hook",
        Client::Windsurf => "Windsurf: refresh the servers in the settings of Cascade",
        Client::Copilot => "restart Copilot; /mcp show lists the server",
    }
}
