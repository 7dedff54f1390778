//! The hook scripts that git runs. Each runs the foreign hook first, from its own place and by its
//! own name, then Loci's command, and never fails because of Loci. Text only: `hook_installation`
//! writes the files.

/// The folder of the scripts, relative to the directory that all working trees share.
pub(super) const FOLDER: &str = "loci/hooks";
/// The git hooks for which Loci installs a script.
pub(super) const OURS: [&str; 4] = ["prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite"];
/// Hooks that a person may add later: a successful script is equivalent to a missing one. All other
/// hooks are passed through only if they exist, because git behaves differently if some of them
/// exist.
pub(super) const OTHERS: [&str; 13] = [
    "applypatch-msg",
    "post-applypatch",
    "post-checkout",
    "post-merge",
    "post-receive",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "sendemail-validate",
];
/// The line by which a hook script of Loci is recognised.
const MARK: &str = "# Made by `loci githook install`; `loci githook uninstall` takes it away.";
/// The maximum recursion depth through foreign hooks. A foreign hook that runs the hook configured
/// in git reaches Loci's script again.
const DEPTH_MAX: u32 = 3;

/// Returns true if the text is a hook script of Loci.
pub(super) fn is_ours(text: &str) -> bool {
    text.contains(MARK)
}

/// Returns the script of a hook of Loci. `program` is the path of this program.
pub(super) fn ours(name: &str, program: &str) -> String {
    let reads = name == "post-rewrite";
    let pipe = if reads { "printf '%s\\n' \"$input\" | " } else { "" };
    let input = if reads { "input=$(cat)\n" } else { "" };
    // A failed message hook aborts the commit, so the script exits. A failed post-commit hook
    // passes its status on.
    let failed = if name.ends_with("-msg") { "exit $?" } else { "status=$?" };
    let (before, program) = (before(name), quoted(program));
    format!(
        "{before}{input}status=0\n\
         if [ -x \"$before\" ]; then\n  {pipe}GITHOOK_OF_LOCI=\"$depth $0\" \"$before\" \"$@\" || {failed}\nfi\n\
         program={program}\n[ -x \"$program\" ] || program=$(command -v loci) || exit $status\n\
         {pipe}\"$program\" githook run {name} \"$@\" || :\nexit $status\n"
    )
}

/// Returns the script of a passed-through hook.
pub(super) fn passed_through(name: &str) -> String {
    let before = before(name);
    format!(
        "{before}[ -x \"$before\" ] || exit 0\nexport GITHOOK_OF_LOCI=\"$depth $0\"\nexec \"$before\" \"$@\"\n"
    )
}

/// Returns the lines that find the hook that git would run without Loci. The script searches at
/// each run, because the hook folder may change, and starts from its own location, because a clone
/// may be moved.
fn before(name: &str) -> String {
    format!(
        "#!/bin/sh\n{MARK}\n\
         here=${{0%/*}}\n\
         before=${{here%/{FOLDER}}}/hooks\n\
         while IFS=' ' read -r key place; do\n\
         \x20 [ \"$key\" = core.hookspath ] || continue\n\
         \x20 [ \"$place\" = \"$here\" ] || [ \"$place\" -ef \"$here\" ] || before=$place\n\
         done <<END\n\
         $(git config --type=path --get-regexp '^core\\.hookspath$')\n\
         END\n\
         before=${{before%/}}/{name}\n\
         depth=0\n\
         case $GITHOOK_OF_LOCI in *\" $0\") depth=${{GITHOOK_OF_LOCI%% *}} ;; esac\n\
         depth=$((depth + 1))\n\
         [ $depth -le {DEPTH_MAX} ] || before=\n"
    )
}

/// Quotes a word for the shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_is_known_as_ours() {
        assert!(OURS.iter().all(|name| is_ours(&ours(name, "/bin/loci"))));
        assert!(is_ours(&passed_through("pre-push")) && !is_ours("#!/bin/sh\nexit 0\n"));
    }

    #[test]
    fn a_path_is_one_word() {
        assert_eq!(quoted("/a b/it's"), r"'/a b/it'\''s'");
    }
}
