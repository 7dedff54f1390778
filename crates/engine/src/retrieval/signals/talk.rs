//! Ranking signals that do not depend on the query: names, numbers and statements about oneself
//! make a turn more useful, and a question makes it less useful. They are computed from flags
//! that the index stores; files have no flags.

use loci_text::flags::ENTITIES_MAX;

use super::{QuestionView, TurnView};

/// Returns 1 for a short turn that ends in a question mark.
pub(super) fn question(_: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    f32::from(turn.talk().question())
}

/// Returns the number of distinct capitalised words inside sentences, scaled to 1 for five or more.
pub(super) fn entities(_: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    f32::from(turn.talk().entities()) / f32::from(ENTITIES_MAX)
}

/// Returns 1 for a turn with a digit.
pub(super) fn number(_: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    f32::from(turn.talk().number())
}

/// Returns 1 for a turn in which the speaker speaks about themselves.
pub(super) fn first_person(_: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    f32::from(turn.talk().first_person())
}

#[cfg(test)]
mod tests {
    use super::super::test_case::SignalCase;
    use loci_model::record::RecordKind;
    use loci_text::turn_flags;

    #[test]
    fn flags_to_values() {
        let check = |text: &str, expect: [f32; 4]| {
            let mut case = SignalCase::asking("lighthouse?");
            case.set.candidates[0].flags = turn_flags(text).0;
            for (name, expect) in ["question", "entities", "number", "first_person"].into_iter().zip(expect) {
                case.expect(name, expect);
            }
            case.set.candidates[0].kind = RecordKind::Document;
            for name in ["question", "entities", "number", "first_person"] {
                case.expect(name, 0.0);
            }
        };
        check("", [0.0; 4]);
        check("Did my 3 cats meet Bob and Zed?", [1.0, 0.4, 1.0, 1.0]);
        check("with Ann, Bob, Cid, Dee, Eve and Fay", [0.0, 1.0, 0.0, 0.0]);
        check("room 12", [0.0, 0.0, 1.0, 0.0]);
    }
}
