//! Cues of Italian.

use super::CueKind::{General, Local, Orders, Requests, Stops};
use super::{Cue, CueWords, LanguageMark, cue};
use crate::rules::extraction::Reason::{Disagreement, OneOff, Opinion, Praise, Status};

pub(super) static WORDS: CueWords = CueWords {
    code: "it",
    verbs: "",
    told_by: LanguageMark::Words(
        "il lo gli una è in per con che non si questo questa progetto sempre mai del della nel nella al e di le la usa usate evitate evita qui tutti tutte ogni deve devono puoi molto sono come più quando meglio usiamo manca c'è perché dei delle i ternari",
    ),
    leaders: r"^(?:(?:nit|nota|promemoria|dettaglio|importante|commento generale|ps)\s*[:,]+\s*|(?:inoltre|anche|e|ma|sì|no|ok|grazie|ciao)[,:]\s+|(?:per favore|per cortesia)[, ]+)",
    clauses: r"[,(:]\s*(?:perché|poiché|e|ma)?\s*((?:(?:sempre|mai|non) \S+|usiamo|in questo progetto|per convenzione|evita\w*)\b)",
    takes_back: r"^(?:lascia stare|come non detto|errore mio|mi sbagliavo)\b",
    cues: CUES,
};

static CUES: &[Cue] = &[
    cue("disagrees", Stops(Disagreement), r"\b(?:non sono (?:d'accordo|convint[oa]|sicur[oa])|non credo|non penso|non serve|non è necessario|esagerato|non vedo)\b"),
    cue("prefers for oneself", Stops(Opinion), r"\b(?:personalmente|io (?:preferisco|preferirei|userei|farei)|questione di gusti|secondo me|forse|magari|sarebbe (?:bello|meglio)|potremmo|potresti|facoltativo|come preferisci|penso che)\b"),
    cue("praises", Stops(Praise), r"^(?:molto |davvero )*(?:bel|bello|bella|bene|ottimo|ottima|perfetto|grazie|bravo|mi piace|fantastico|lgtm|buon lavoro)\b"),
    cue("tells what was done", Stops(Status), r"^(?:fatto|corretto|sistemato|aggiornato|ho |d'accordo|risolto|aggiunto|rimosso|rinominato)\b"),
    cue("misses something", Stops(OneOff), r"^(?:manca|mancano|qui manca|refuso|errore di battitura)\b|\bnon (?:è|viene) (?:mai |più )?(?:chiamat[oa]|usat[oa])\b"),
    cue("requests", Requests, r"^(?:puoi|potresti|potete|potreste|possiamo|potremmo)\b"),
    cue("always, never", Orders(2), r"\b(?:sempre|mai)\b").unless(r"\b(?:è|sono|restituisce|ritorna|fallisce) (?:sempre|mai)\b"),
    cue("we do", Orders(1), r"\b(?:usiamo|utilizziamo|mettiamo|scriviamo|seguiamo|preferiamo|evitiamo|facciamo|cerchiamo di)\b"),
    cue("we do not", Orders(2), r"\bnon (?:usiamo|utilizziamo|mettiamo|scriviamo|facciamo|vogliamo)\b|\b(?:evitiamo|preferiamo)\b"),
    cue("avoid, prefer", Orders(2), r"^(?:evita\w*|evitare|preferi\w*)\b|\b(?:bisogna|meglio) evitare\b"),
    cue("do not", Orders(2), r"^(?:non (?:usare|usate|lasciare|lasciate|mettere|scrivere|fare|catturare|modificare|dimenticate|dimenticare|committare)|niente|nessun\w*)\b"),
    cue("use one instead of the other", Orders(2), r"\b(?:usa\w*|utilizza\w*)\b.{2,80}\b(?:invece di|al posto di|anziché|piuttosto che)\b"),
    cue("things should", Orders(2), r"^(?:i|gli|le|tutti i|tutte le|tutti gli|nostri) .{3,60}\b(?:devono|dovrebbero|non devono|vanno|iniziano)\b").unless(r"^(?:i|gli|le) (?:due|tre|altr[ei]|test (?:devono|dovrebbero) passare)\b"),
    cue("should", Orders(0), r"\b(?:deve|devono|dovrebbe|dovrebbero|bisogna|va|vanno|assicurati|assicuratevi|ricorda\w*|vietat[oa]|obbligatori[oa])\b"),
    cue("general", General(2), r"\b(?:ogni|tutti i|tutte le|tutti gli|in genere|in generale|di solito|normalmente|per convenzione|convenzion\w+|in futuro|d'ora in poi|da ora in poi|la prossima volta|in (?:questo|tutto il) (?:progetto|repo|repository|codice)|nel (?:nostro )?(?:progetto|repo|codice)|guida di stile|regola|buona pratica|ovunque|quando (?:aggiungete|si aggiunge))\b"),
    cue("here", Local(3), r"\b(?:qui|qua|righ?[ae] \d+|sopra|sotto|quest[oaie] [a-zàèéìòù\u{e000}]+|quel\w* [a-z]+)\b").unless(r"\bin questo (?:progetto|repo|repository|modulo)\b"),
    cue("it", Local(3), r"^(?:questo|questa|è|dovrebbe|deve)\b").unless(r"^è (?:meglio|vietato|obbligatorio)\b"),
    cue("the one", Local(2), r"^(?:il|la|l'|lo)\s?[a-zàèéìòù\u{e000}]+ (?:deve|dovrebbe|è|non)\b"),
    cue("changes one place", Local(2), r"^(?:rimuovi|togli|rinomina|sposta|cambia|correggi|elimina)\w*\b").unless(r"\b(?:sempre|ogni)\b"),
];
