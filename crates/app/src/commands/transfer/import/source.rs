//! The files of a format. Links are not followed, hidden folders are skipped, and each unreadable
//! file is reported.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use loci_client::formats::{
    FOLDER_FILES_MAX, FormatInput, FormatProblem, JSON_BYTES_MAX, SourceFile, agents_md,
};
use loci_model::limits;

use crate::exit::Usage;

/// The maximum number of bytes of a file that becomes a document.
const DOCUMENT_BYTES_MAX: u64 = limits::FILE_BYTES_MAX as u64;
/// A folder of fetched dependencies, whose files are not the user's.
const FETCHED: &str = "node_modules";
/// Folders of fetched or generated files within projects. Elsewhere these are ordinary names.
const FETCHED_OF_PROJECTS: [&str; 2] = ["target", "vendor"];
/// The maximum depth of nested folders.
const DEPTH_MAX: usize = 20;

/// The files of a source.
#[derive(Debug, Default)]
pub(super) struct SourceFiles {
    /// Files by path.
    pub(super) files: Vec<SourceFile>,
    /// Files that are not read.
    pub(super) problems: Vec<FormatProblem>,
    /// Number of links, which are not followed.
    pub(super) links: usize,
    /// Number of pipes, sockets and devices, which are not read.
    pub(super) special: usize,
    /// Number of files of other kinds, which the format does not use.
    pub(super) others: usize,
    /// Number of hidden folders, which are skipped.
    pub(super) hidden: usize,
    /// Number of folders of generated or fetched files, which are skipped.
    pub(super) fetched: usize,
    /// Number of lone surrogates in the files, replaced with U+FFFD.
    pub(super) replaced: usize,
}

/// Reads a source: a file, or all files of a folder that the format uses.
pub(super) fn read(source: &Path, takes: FormatInput) -> Result<SourceFiles> {
    let about = fs::metadata(source).with_context(|| format!("opening {}", source.display()))?;
    let mut found = SourceFiles::default();
    match takes {
        FormatInput::File if about.is_dir() => {
            let rule = format!("{} is a folder; this format is one file: name it", source.display());
            return Err(Usage(rule).into());
        }
        FormatInput::File => {
            let name = name(source);
            found.take(source, &name, JSON_BYTES_MAX);
        }
        FormatInput::Folder(endings) if about.is_dir() => found.folder(source, "", endings, 0)?,
        FormatInput::Folder(_) => {
            let name = name(source);
            found.take(source, &name, DOCUMENT_BYTES_MAX);
        }
    }
    Ok(found)
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn is_fetched(name: &str, endings: &[&str]) -> bool {
    name == FETCHED || (endings == agents_md::NAMES && FETCHED_OF_PROJECTS.contains(&name))
}

impl SourceFiles {
    fn folder(&mut self, folder: &Path, below: &str, endings: &[&str], depth: usize) -> Result<()> {
        if depth > DEPTH_MAX {
            self.refuse(below, "folders lie too deep in one another", "import the inner folder separately");
            return Ok(());
        }
        let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
        let mut entries = entries.collect::<std::io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let raw = entry.file_name();
            let Some(name) = raw.to_str() else {
                self.refuse(&raw.to_string_lossy(), "its name must be UTF-8", "give it another name");
                continue;
            };
            let path = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
            let kind = entry.file_type()?;
            if kind.is_symlink() {
                self.links += 1;
            } else if kind.is_dir() {
                if name.starts_with('.') {
                    self.hidden += 1;
                } else if is_fetched(name, endings) {
                    self.fetched += 1;
                } else {
                    self.folder(&entry.path(), &path, endings, depth + 1)?;
                }
            } else if kind.is_file() && !endings.iter().any(|ending| name.ends_with(ending)) {
                self.others += 1;
            } else if kind.is_file() {
                if self.files.len() >= FOLDER_FILES_MAX {
                    let rule =
                        format!("a folder may have at most {FOLDER_FILES_MAX} files: import parts of it");
                    return Err(Usage(rule).into());
                }
                self.take(&entry.path(), &path, DOCUMENT_BYTES_MAX);
            } else {
                self.special += 1;
            }
        }
        Ok(())
    }

    fn take(&mut self, file: &Path, path: &str, bytes_max: u64) {
        let bytes = match fs::metadata(file) {
            Ok(about) if about.len() > bytes_max => {
                let rule = format!("it must have at most {bytes_max} bytes");
                return self.refuse(path, &rule, "part it");
            }
            Ok(about) if !about.is_file() => {
                let (rule, remedy) =
                    ("it must be a regular file", "copy its content to a regular file, and name that file");
                return self.refuse(path, rule, remedy);
            }
            Ok(_) => fs::read(file),
            Err(error) => Err(error),
        };
        match bytes.map(loci_json::text_of) {
            Ok(Ok(read)) => {
                self.replaced += read.replaced;
                self.files.push(SourceFile { path: path.to_owned(), text: read.text });
            }
            Ok(Err(_)) => self.refuse(path, "it must be UTF-8", "save it in UTF-8"),
            Err(error) => {
                self.refuse(
                    path,
                    &format!("it cannot be read ({})", error.kind()),
                    "look at its permissions",
                );
            }
        }
    }

    fn refuse(&mut self, path: &str, rule: &str, remedy: &str) {
        let (place, field) = (path.to_owned(), String::new());
        self.problems.push(FormatProblem { place, field, rule: rule.to_owned(), remedy: remedy.to_owned() });
    }
}
