//! Converts text to WordPiece ids, as BERT's uncased tokeniser does. It adds no special ids and
//! does not truncate; `windows.rs` creates windows.

mod characters;
mod tables;

use crate::layout;
use crate::weights;

/// The id at the start of a window.
pub(crate) const START: u16 = 101;
/// The id at the end of a window.
pub(crate) const END: u16 = 102;

const UNKNOWN: u16 = 100;
/// The maximum length of a word, in characters. A longer one is unknown as a whole.
const WORD_CHARACTERS_MAX: usize = 100;
/// The maximum length of a piece in the vocabulary, in bytes. Longer pieces are not searched.
const PIECE_BYTES_MAX: usize = 18;
/// Special ids with the spellings that produce them in a text, as in the reference.
const SPECIAL: [(&str, u16); 5] =
    [("[PAD]", 0), ("[UNK]", UNKNOWN), ("[CLS]", START), ("[SEP]", END), ("[MASK]", 103)];

/// Returns the ids of a text.
pub(crate) fn ids(text: &str) -> Vec<u16> {
    let mut ids = Vec::with_capacity(text.len() / 4);
    let mut rest = text;
    while let Some((before, id, after)) = first_special(rest) {
        plain_ids(before, &mut ids);
        ids.push(id);
        rest = after;
    }
    plain_ids(rest, &mut ids);
    ids
}

fn first_special(text: &str) -> Option<(&str, u16, &str)> {
    text.match_indices('[').find_map(|(at, _)| {
        let (before, from) = text.split_at_checked(at)?;
        SPECIAL.iter().find_map(|(spelling, id)| Some((before, *id, from.strip_prefix(spelling)?)))
    })
}

/// Appends the ids of a text that contains no special ids.
fn plain_ids(text: &str, ids: &mut Vec<u16>) {
    let mut word = String::new();
    for character in text.chars() {
        characters::normalise(character, &mut |character| {
            let alone = characters::stands_alone(character);
            if alone || character.is_whitespace() {
                word_ids(&word, ids);
                word.clear();
            }
            if alone {
                word_ids(character.encode_utf8(&mut [0; 4]), ids);
            } else if !character.is_whitespace() {
                word.push(character);
            }
        });
    }
    word_ids(&word, ids);
}

/// Appends the ids of a word, longest piece first. A word that cannot be spelled completely is
/// unknown as a whole.
fn word_ids(word: &str, ids: &mut Vec<u16>) {
    if word.len() > WORD_CHARACTERS_MAX && word.chars().count() > WORD_CHARACTERS_MAX {
        return ids.push(UNKNOWN);
    }
    let before = ids.len();
    let mut rest = word.as_bytes();
    while !rest.is_empty() {
        let continues = rest.len() < word.len();
        let longest = (1..=rest.len().min(PIECE_BYTES_MAX)).rev();
        let found = longest
            .filter_map(|bytes| rest.split_at_checked(bytes))
            .find_map(|(piece, after)| Some((id_of(continues, piece)?, after)));
        let Some((id, after)) = found else {
            ids.truncate(before);
            return ids.push(UNKNOWN);
        };
        ids.push(id);
        rest = after;
    }
}

/// Looks up a piece in the hash table of the model file.
fn id_of(continues: bool, piece: &[u8]) -> Option<u16> {
    let slots = weights::vocabulary_slots();
    let mut slot = layout::first_slot(continues, piece);
    loop {
        let id = slots.get(slot).copied().filter(|id| *id != layout::EMPTY_SLOT)?;
        let spelling = weights::spelling(id);
        let spelled = if continues { spelling.strip_prefix(b"##") } else { Some(spelling) };
        if spelled == Some(piece) {
            return Some(id);
        }
        slot = (slot + 1) % layout::SLOTS;
    }
}
