//! A ranking signal for adjacent words of the query that are also adjacent in the turn. Each pair
//! counts by the rarity of its words. A word that no turn contains has weight 0, but the other
//! word of the pair still counts.

use super::{QuestionView, TurnView};

/// Returns the weighted share of the query's pairs of adjacent words that the turn contains, 0 to
/// 1; 0 for a query without pairs.
pub(super) fn phrase(question: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    if question.pair_total <= 0.0 || question.pairs.is_empty() {
        return 0.0;
    }
    let mut found = Vec::new();
    let mut weight = 0.0;
    let terms = &turn.candidate.terms;
    for (first, second) in terms.iter().zip(terms.iter().skip(1)) {
        let may_open = question.pair_opener_bits >> (first % u64::BITS) & 1 == 1;
        if !may_open || question.pair_openers.binary_search(first).is_err() {
            continue;
        }
        let pair = (*first, *second);
        if let Some(share) = question.pairs.get(&pair)
            && !found.contains(&pair)
        {
            found.push(pair);
            weight += share;
        }
    }
    weight / question.pair_total
}

#[cfg(test)]
mod tests {
    use super::super::test_case::SignalCase;

    /// Returns a case with four terms of the query, ids 0 to 3; the first three occur in one of 100
    /// turns each, the last in none.
    fn case() -> SignalCase {
        let mut case = SignalCase::asking("red lighthouse keeper unicorn?");
        case.set.statistics.turns = 100;
        case.set.statistics.df = vec![1, 1, 1, 0];
        case.set.term_ids = vec![Some(0), Some(1), Some(2), None];
        case
    }

    fn check(terms: &[u32], expect: f32) {
        let mut case = case();
        case.set.candidates[0].terms = terms.to_vec();
        case.expect("phrase", expect);
    }

    #[test]
    fn pairs_by_hand() {
        // Weights of the pairs in units of one idf: red lighthouse 2, lighthouse keeper 2, keeper
        // unicorn 1.
        check(&[9, 0, 1, 9], 2.0 / 5.0);
        check(&[0, 1, 2], 4.0 / 5.0);
        check(&[0, 1, 0, 1], 2.0 / 5.0);
        check(&[1, 0], 0.0);
        check(&[0, 9, 1], 0.0);
        check(&[0], 0.0);
        check(&[], 0.0);
    }

    #[test]
    fn a_single_word_and_unknown_words_have_no_pairs() {
        let mut case = SignalCase::asking("lighthouse?");
        case.set.candidates[0].terms = vec![0, 0];
        case.expect("phrase", 0.0);
        let mut case = super::tests::case();
        case.set.statistics.df = vec![0; 4];
        case.set.term_ids = vec![None; 4];
        case.set.candidates[0].terms = vec![0, 1];
        case.expect("phrase", 0.0);
    }
}
