//! The stores that a tool may use: their descriptions for the model, and the selection by name.

use super::ToolError;

/// A store that a tool may use.
pub(super) struct ToolStore {
    pub(super) name: String,
    pub(super) description: Option<String>,
}

/// Returns the description with a list of the stores that have one.
pub(super) fn described(description: &str, heading: &str, advice: &str, targets: &[ToolStore]) -> String {
    let lines: Vec<String> = targets
        .iter()
        .filter_map(|target| Some(format!("- {}: {}", target.name, target.description.as_ref()?)))
        .collect();
    if lines.is_empty() {
        return description.to_owned();
    }
    format!("{description}\n\n{heading}\n{}\n\n{advice}", lines.join("\n"))
}

/// Returns the stores that a call selects, each once; all permitted stores if it names none. Names
/// of other stores are dropped with a warning, unless no store remains.
pub(super) fn meant(
    asked: Option<Vec<String>>,
    targets: &[ToolStore],
    warnings: &mut Vec<String>,
) -> Result<Vec<String>, ToolError> {
    let all = || targets.iter().map(|target| target.name.clone()).collect::<Vec<_>>();
    let Some(asked) = asked.filter(|asked| !asked.is_empty()) else { return Ok(all()) };
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for name in asked {
        let list = if targets.iter().any(|target| target.name == name) { &mut known } else { &mut unknown };
        if !list.contains(&name) {
            list.push(name);
        }
    }
    if known.is_empty() {
        return Err(ToolError(format!(
            "no such store: {}. Available stores: {}",
            unknown.join(", "),
            all().join(", ")
        )));
    }
    if !unknown.is_empty() {
        tracing::warn!("stores=<{}> | stores out of scope were left out", unknown.join(", "));
        warnings.push(format!("no such store, left out: {}", unknown.join(", ")));
    }
    Ok(known)
}
