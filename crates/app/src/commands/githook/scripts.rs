//! The hooks as git runs them: small scripts that run the hook that was there before, then ours, and never fail for ours. Text
//! only; where they go is `placing`'s matter.

/// What we do something in.
pub(super) const OURS: [&str; 4] = ["prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite"];
/// Hooks of a commit and a push, which git no longer finds in its place when another one is configured.
pub(super) const OTHERS: [&str; 12] = [
    "applypatch-msg",
    "post-applypatch",
    "post-checkout",
    "post-merge",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "sendemail-validate",
    "post-update",
];
/// By this line a script of ours is known.
const MARK: &str = "# Made by `loci githook install`; `loci githook uninstall` takes it away.";

/// True for a script of ours.
pub(super) fn is_ours(text: &str) -> bool {
    text.contains(MARK)
}

/// The script of a hook of ours. `before`: a word of the shell that names the hook that was there.
pub(super) fn ours(name: &str, before: &str, program: &str) -> String {
    let reads = name == "post-rewrite";
    let pipe = if reads { "printf '%s\\n' \"$input\" | " } else { "" };
    let input = if reads { "input=$(cat)\n" } else { "" };
    // A hook of a message that fails calls the commit off: nothing is left to do. One behind a commit passes its status on.
    let failed = if name.ends_with("-msg") { "exit $?" } else { "status=$?" };
    let program = quoted(program);
    format!(
        "#!/bin/sh\n{MARK}\n{input}status=0\nbefore={before}\nif [ -x \"$before\" ]; then\n  {pipe}\"$before\" \"$@\" || {failed}\nfi\n\
         program={program}\n[ -x \"$program\" ] || program=$(command -v loci) || exit $status\n\
         {pipe}\"$program\" githook run {name} \"$@\" || :\nexit $status\n"
    )
}

/// The script of a hook that is passed through.
pub(super) fn passed_through(before: &str) -> String {
    format!("#!/bin/sh\n{MARK}\nbefore={before}\n[ -x \"$before\" ] || exit 0\nexec \"$before\" \"$@\"\n")
}

/// A word of the shell.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_is_known_as_ours() {
        assert!(OURS.iter().all(|name| is_ours(&ours(name, "'x'", "/bin/loci"))));
        assert!(is_ours(&passed_through("'x'")) && !is_ours("#!/bin/sh\nexit 0\n"));
    }

    #[test]
    fn a_path_is_one_word() {
        assert_eq!(quoted("/a b/it's"), r"'/a b/it'\''s'");
    }
}
