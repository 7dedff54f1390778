//! The supported clients, and the locations of their files. This table is the starting point for a
//! new client.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::exit::Usage;

/// A program that can use Loci over MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// Claude Code: `.mcp.json`, or the user's file
    ClaudeCode,
    /// Cursor: `.cursor/mcp.json`, of the project or the user
    Cursor,
    /// VS Code: `.vscode/mcp.json`
    Vscode,
    /// Codex: `.codex/config.toml`, of the user or of a trusted project
    Codex,
    /// Windsurf: the user's `mcp_config.json`
    Windsurf,
    /// Copilot CLI: the user's `mcp-config.json`, or `.mcp.json`
    Copilot,
}

/// The scope of an installation: the user or a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstallScope {
    /// All users of this repository.
    Project,
    /// This user, in each repository.
    User,
}

/// The folders that contain the files of clients.
#[derive(Debug, Clone)]
pub(super) struct InstallFolders {
    pub(super) project: PathBuf,
    pub(super) home: PathBuf,
    /// `CLAUDE_CONFIG_DIR`.
    pub(super) claude: Option<PathBuf>,
    /// `CODEX_HOME`, else `.codex` in the home folder.
    pub(super) codex: PathBuf,
    /// `COPILOT_HOME`, else `.copilot` in the home folder.
    pub(super) copilot: PathBuf,
}

/// A file that the installation of a client edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InstallFile {
    pub(super) path: PathBuf,
    pub(super) scope: InstallScope,
    pub(super) part: FilePurpose,
}

/// The purpose of a file in an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FilePurpose {
    /// The file lists the MCP servers of the client.
    Servers(ServerListFormat),
    /// The file contains the hook that the client runs when a session starts.
    Hook(HookFormat),
    /// The file contains instructions for the model.
    Instructions {
        /// The text at the beginning of the file if the installation creates it.
        front: &'static str,
    },
}

/// The format of a client's list of MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ServerListFormat {
    /// JSON, below this member.
    Json(&'static str),
    /// The tables `[mcp_servers.…]` of Codex.
    Toml,
}

/// The format of a client's hook, as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HookFormat {
    /// Groups of hooks below `hooks.SessionStart`. The client reads plain text from standard
    /// output.
    Groups { timeout_s: Option<u32> },
    /// A list of hooks below `hooks.sessionStart`. The client reads its own JSON format, which
    /// `--hook` selects.
    List { client: &'static str, timeout: Option<(&'static str, u32)> },
}

const CURSOR_FRONT: &str = "---\ndescription: Facts about this repository that are checked against its code\n\
                            alwaysApply: true\n---\n\n";
const WINDSURF_FRONT: &str = "---\ntrigger: always_on\n---\n\n";
/// Seconds that a client waits for its hook. The hook itself stops after two.
const HOOK_TIMEOUT_S: u32 = 10;

impl Client {
    /// Returns the name on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Codex => "codex",
            Self::Windsurf => "windsurf",
            Self::Copilot => "copilot",
        }
    }

    /// Returns the default scope, as in the client's own documentation.
    pub(super) fn usual_scope(self) -> InstallScope {
        match self {
            Self::ClaudeCode | Self::Cursor | Self::Vscode => InstallScope::Project,
            Self::Codex | Self::Windsurf | Self::Copilot => InstallScope::User,
        }
    }

    /// Returns all files of an installation, in display order.
    ///
    /// # Errors
    ///
    /// The client has no file for this scope.
    pub(super) fn targets(
        self,
        scope: InstallScope,
        places: &InstallFolders,
    ) -> Result<Vec<InstallFile>, Usage> {
        let files = Files { scope, places };
        match self {
            Self::ClaudeCode => Ok(files.claude_code()),
            Self::Cursor => Ok(files.cursor()),
            Self::Vscode => files.vscode(),
            Self::Codex => Ok(files.codex()),
            Self::Windsurf => Ok(files.windsurf()),
            Self::Copilot => Ok(files.copilot()),
        }
    }
}

/// The files of each client, for one scope.
struct Files<'p> {
    scope: InstallScope,
    places: &'p InstallFolders,
}

const JSON: FilePurpose = FilePurpose::Servers(ServerListFormat::Json("mcpServers"));
const PLAIN: FilePurpose = FilePurpose::Instructions { front: "" };

impl Files<'_> {
    fn is_project(&self) -> bool {
        self.scope == InstallScope::Project
    }

    /// Returns a file with different paths for a project and a user.
    fn file(&self, in_project: &str, of_user: PathBuf, part: FilePurpose) -> InstallFile {
        let path = if self.is_project() { self.places.project.join(in_project) } else { of_user };
        InstallFile { path, scope: self.scope, part }
    }

    fn claude_code(&self) -> Vec<InstallFile> {
        let home = &self.places.home;
        let (state, folder) = match &self.places.claude {
            Some(folder) => (folder.join(".claude.json"), folder.clone()),
            None => (home.join(".claude.json"), home.join(".claude")),
        };
        let hook = FilePurpose::Hook(HookFormat::Groups { timeout_s: None });
        vec![
            self.file(".mcp.json", state, JSON),
            self.file(".claude/settings.json", folder.join("settings.json"), hook),
            self.file("CLAUDE.md", folder.join("CLAUDE.md"), PLAIN),
        ]
    }

    fn cursor(&self) -> Vec<InstallFile> {
        let home = &self.places.home;
        let mut files = vec![self.file(".cursor/mcp.json", home.join(".cursor/mcp.json"), JSON)];
        // A user's hook runs in no repository, and a user's rules are in no file.
        if self.is_project() {
            let hook = FilePurpose::Hook(HookFormat::List { client: "cursor", timeout: None });
            let rules = FilePurpose::Instructions { front: CURSOR_FRONT };
            files.push(self.file(".cursor/hooks.json", PathBuf::new(), hook));
            files.push(self.file(".cursor/rules/loci.mdc", PathBuf::new(), rules));
        }
        files
    }

    fn vscode(&self) -> Result<Vec<InstallFile>, Usage> {
        if !self.is_project() {
            let why = "the servers of a user of VS Code are in a profile: use its command «MCP: Open User \
                       Configuration», or leave --user out and write .vscode/mcp.json";
            return Err(Usage(why.to_owned()));
        }
        let servers = FilePurpose::Servers(ServerListFormat::Json("servers"));
        Ok(vec![
            self.file(".vscode/mcp.json", PathBuf::new(), servers),
            self.file(".github/copilot-instructions.md", PathBuf::new(), PLAIN),
        ])
    }

    fn codex(&self) -> Vec<InstallFile> {
        let folder = &self.places.codex;
        let hook = FilePurpose::Hook(HookFormat::Groups { timeout_s: Some(HOOK_TIMEOUT_S) });
        vec![
            self.file(
                ".codex/config.toml",
                folder.join("config.toml"),
                FilePurpose::Servers(ServerListFormat::Toml),
            ),
            self.file(".codex/hooks.json", folder.join("hooks.json"), hook),
            self.file("AGENTS.md", folder.join("AGENTS.md"), PLAIN),
        ]
    }

    fn windsurf(&self) -> Vec<InstallFile> {
        let folder = self.places.home.join(".codeium/windsurf");
        let servers =
            InstallFile { path: folder.join("mcp_config.json"), scope: InstallScope::User, part: JSON };
        let front = if self.is_project() { WINDSURF_FRONT } else { "" };
        let rules = folder.join("memories/global_rules.md");
        vec![servers, self.file(".windsurf/rules/loci.md", rules, FilePurpose::Instructions { front })]
    }

    fn copilot(&self) -> Vec<InstallFile> {
        let folder = &self.places.copilot;
        let hook = HookFormat::List { client: "copilot", timeout: Some(("timeoutSec", HOOK_TIMEOUT_S)) };
        let told = folder.join("copilot-instructions.md");
        vec![
            self.file(".mcp.json", folder.join("mcp-config.json"), JSON),
            self.file(".github/hooks/loci.json", folder.join("hooks/loci.json"), FilePurpose::Hook(hook)),
            self.file(".github/copilot-instructions.md", told, PLAIN),
        ]
    }
}
