//! Examples of the commands of the group “Start”.

use super::Example;

pub(super) const EXAMPLES: &[Example] = &[
    ("demo", &["loci demo", "loci demo --keep demo"]),
    ("sample", &["loci sample repo shop", "loci sample conversation talk"]),
    ("sample repo", &["loci sample repo shop"]),
    ("sample conversation", &["loci sample conversation talk"]),
    ("install", &["loci install claude-code --yes", "loci install cursor --dry-run"]),
    ("serve", &["loci serve", "loci serve --data-dir team --listen 127.0.0.1:0 --port-file port"]),
    ("mcp", &["loci mcp", "loci mcp --profile coding,files"]),
    ("doctor", &["loci doctor", "loci doctor --rebuild"]),
];
