//! The output of the command: the difference of each file, the written files, and notes about them.

use std::path::Path;

use serde::Serialize;

use super::apply::InstalledFile;
use super::client::{Client, FilePurpose, InstallScope};
use super::line_diff::unified;
use super::plan::FileEdit;
use super::request::{ClientConnection, InstallRequest};
use crate::output;

/// The result of `loci install`, for output as JSON.
#[derive(Debug, Serialize)]
pub(super) struct InstallReport {
    client: &'static str,
    scope: &'static str,
    form: &'static str,
    /// The path of the program that the client starts.
    program: String,
    /// True if the installation changes files.
    pub(super) changes: bool,
    /// True if the changes were written, and not only shown.
    pub(super) written: bool,
    files: Vec<File>,
    /// Notes for the user.
    notes: Vec<String>,
    /// The next step that the user must take in the client.
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

impl InstallReport {
    pub(super) fn of(request: &InstallRequest, edits: &[FileEdit], notes: Vec<String>) -> Self {
        Self {
            client: request.client.name(),
            scope: scope(request.scope),
            form: match request.form {
                ClientConnection::Stdio { .. } => "stdio",
                ClientConnection::Http { .. } => "http",
            },
            program: request.program.clone(),
            changes: edits.iter().any(FileEdit::is_change),
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
    pub(super) fn wrote(&mut self, written: &[InstalledFile]) {
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
    fn of(edit: &FileEdit) -> Self {
        let path = edit.target.path.display().to_string();
        let action = match (&edit.before, &edit.after) {
            _ if !edit.is_change() => "none",
            (None, _) => "create",
            (_, None) => "remove",
            (Some(_), Some(_)) => "change",
        };
        let part = match edit.target.part {
            FilePurpose::Servers(_) => "servers",
            FilePurpose::Hook(_) => "hook",
            FilePurpose::Instructions { .. } => "instructions",
        };
        let diff = unified(edit.before.as_deref(), edit.after.as_deref(), &path);
        Self { path, part, action, diff, backup: None }
    }
}

fn scope(scope: InstallScope) -> &'static str {
    match scope {
        InstallScope::Project => "project",
        InstallScope::User => "user",
    }
}

/// Returns the notes about an installation.
pub(super) fn notes(request: &InstallRequest, project: &Path) -> Vec<String> {
    let mut notes = Vec::new();
    if request.remove {
        return notes;
    }
    if request.scope == InstallScope::Project {
        notes.push(format!("for everybody who works in {}", project.display()));
        if request.program != "loci" {
            notes.push(
                "the path of loci is that of this machine: put loci on PATH to share the files".to_owned(),
            );
        }
    }
    if request.needs_token() {
        let token = match request.client {
            Client::Vscode if matches!(request.form, ClientConnection::Http { .. }) => {
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
