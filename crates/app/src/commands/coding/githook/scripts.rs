//! The hooks as git runs them: small scripts that run the hook of others, at its own place and by its own name, then ours, and never
//! fail for ours. Text only; where they go is `placing`'s matter.

/// The folder of the scripts, beneath what all working trees of a clone have together.
pub(super) const FOLDER: &str = "loci/hooks";
/// What we do something in.
pub(super) const OURS: [&str; 4] = ["prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite"];
/// Hooks that somebody may add to their own place later: where there is none, a script that ends well is like none. Others are
/// passed through where they are there; of some of them git asks whether they exist.
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
/// By this line a script of ours is known.
const MARK: &str = "# Made by `loci githook install`; `loci githook uninstall` takes it away.";
/// How often a hook of others may lead back to ours before it is left out: one that runs the hook that git names finds ours.
const DEPTH_MAX: u32 = 3;

/// True for a script of ours.
pub(super) fn is_ours(text: &str) -> bool {
    text.contains(MARK)
}

/// The script of a hook of ours. `program`: the path of this program.
pub(super) fn ours(name: &str, program: &str) -> String {
    let reads = name == "post-rewrite";
    let pipe = if reads { "printf '%s\\n' \"$input\" | " } else { "" };
    let input = if reads { "input=$(cat)\n" } else { "" };
    // A hook of a message that fails calls the commit off: nothing is left to do. One behind a commit passes its status on.
    let failed = if name.ends_with("-msg") { "exit $?" } else { "status=$?" };
    let (before, program) = (before(name), quoted(program));
    format!(
        "{before}{input}status=0\n\
         if [ -x \"$before\" ]; then\n  {pipe}GITHOOK_OF_LOCI=\"$depth $0\" \"$before\" \"$@\" || {failed}\nfi\n\
         program={program}\n[ -x \"$program\" ] || program=$(command -v loci) || exit $status\n\
         {pipe}\"$program\" githook run {name} \"$@\" || :\nexit $status\n"
    )
}

/// The script of a hook that is passed through.
pub(super) fn passed_through(name: &str) -> String {
    let before = before(name);
    format!(
        "{before}[ -x \"$before\" ] || exit 0\nexport GITHOOK_OF_LOCI=\"$depth $0\"\nexec \"$before\" \"$@\"\n"
    )
}

/// How a script finds the hook that git would run without us: asked at each run, for others may change their place, and told from
/// where the script lies, for a clone may be moved.
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

/// A word of the shell.
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
