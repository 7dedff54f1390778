//! V02: every reference of a plan was read and names exactly one document.

use super::{RuleCode, ValidationInput};

pub(super) fn there(judging: &mut ValidationInput<'_>) {
    let plan = judging.plan;
    for (at, action) in plan.actions.iter().enumerate() {
        let mut named = action.reads();
        named.sort_unstable();
        named.dedup();
        for reference in named {
            match judging.named(reference) {
                0 => {
                    judging.refuse(RuleCode::V02, at, format!("{reference} is not among the documents read"))
                }
                1 => {}
                _ => {
                    judging.refuse(RuleCode::V02, at, format!("{reference} is the name of several documents"))
                }
            }
        }
    }
}
