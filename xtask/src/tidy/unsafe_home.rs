//! `unsafe` is allowed only in the kernels of `embed` and `index`. The compiler forbids it too,
//! crate by crate. This check covers the two crates that deny it rather than forbid it, and locates
//! the kernels in them.

use super::rust_text::{line_of, words};
use super::{Finding, Tree};

const HOMES: [&str; 2] = ["crates/embed/src/kernels", "crates/index/src/kernels"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust().filter(|f| !HOMES.iter().any(|home| f.path.starts_with(home))) {
        for at in words(&file.code, "unsafe") {
            found.push(Finding {
                file: file.path.clone(),
                line: line_of(&file.code, at),
                rule: "unsafe-home",
                what: "`unsafe` outside the kernels of embed and index.".to_owned(),
                remedy: "Write it safely, or move it into a kernel with a SAFETY comment and a scalar twin.",
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::files;
    use super::*;

    #[test]
    fn unsafe_outside_a_kernel_is_found() {
        let code = "//! unsafe in words is free.\n#![deny(unsafe_code)]\nfn a() { unsafe { b() } }\n";
        let found = check(&files(&[
            ("crates/embed/src/kernels/dot.rs", code),
            ("crates/index/src/kernels.rs", code),
            ("crates/embed/src/forward.rs", code),
        ]));
        assert_eq!(
            found.iter().map(|f| (f.file.as_str(), f.line)).collect::<Vec<_>>(),
            [("crates/embed/src/forward.rs", 3)]
        );
    }
}
