//! `cargo xtask book`: builds the site of the documentation from README and `docs/` into
//! `target/book`, with Sphinx (decision 0267). A dead link or anchor, a missing picture and a page
//! outside the table of contents are errors. The settings of the site are in `docs/conf.py`.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::acceptance::packages;
use crate::checkout::Checkout;
use crate::process;

/// Builds the site.
///
/// # Errors
/// Errors if a page has a fault. Sphinx prints each fault with its page and line.
pub(crate) fn run(checkout: &Checkout) -> Result<()> {
    let environment = packages::python(checkout, "book")?;
    let site = checkout.target.join("book");
    // Without the previous site, the new one has no page of a file that was deleted.
    if site.exists() {
        std::fs::remove_dir_all(&site).with_context(|| format!("clearing {}", site.display()))?;
    }
    let began = Instant::now();
    let mut sphinx = Command::new(&environment.python);
    // `--fail-on-warning` fails at the end, so that one run reports every fault.
    sphinx.args(["-m", "sphinx", "--builder", "html", "--quiet", "--fail-on-warning"]);
    sphinx.args(["--fresh-env", "--jobs", "auto", "--conf-dir", "docs", "--doctree-dir"]);
    sphinx.arg(checkout.target.join("book-pages")).arg(".").arg(&site).current_dir(&checkout.root);
    process::run(&mut sphinx).context("the book has faults: correct the pages that Sphinx names above")?;
    println!("book: {} in {:.0} s", site.join("index.html").display(), began.elapsed().as_secs_f64());
    Ok(())
}
