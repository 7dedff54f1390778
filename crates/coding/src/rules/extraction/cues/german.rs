//! Cues of German.

use super::CueKind::{General, Local, Orders, Requests, Stops};
use super::{Cue, CueWords, LanguageMark, cue};
use crate::rules::extraction::Reason::{Disagreement, OneOff, Opinion, Praise, Status};

pub(super) static WORDS: CueWords = CueWords {
    code: "de",
    verbs: "",
    told_by: LanguageMark::Words(
        "der die das und nicht ist wir bitte ein eine einen einem einer für mit auf im bei zu den dem von vom zum sollte sollten immer keine keinen kein werden wird ich noch auch oder wenn muss müssen diese dieser dieses statt nie neue neuen jede jeder jedes laut generell hier was warum sind haben hat bevorzuge vermeide verwende nutzt vermeidet gegenüber",
    ),
    leaders: r"^(?:(?:nit|kleinigkeit|kleiner hinweis|hinweis|anmerkung|allgemeine anmerkung|allgemeiner hinweis|tipp|wichtig|achtung|zur info|info|fürs nächste mal|für das nächste mal|ps|kurze anmerkung|noch was|grundsätzlich|allgemein)\s*[:,]+\s*|(?:btw|fyi|übrigens|außerdem|und|aber|ja|nein|ok|danke|auch|bitte|also)[,:]?\s+)",
    clauses: r"[,(:]\s*(?:da|weil|denn|und|aber)?\s*((?:wir|bei uns|in diesem projekt|bitte (?:immer|nie|keine)|keine|immer|nie)\b)|\s(?:weil|da|denn)\s+((?:wir|bei uns)\b)",
    takes_back: r"^(?:vergiss es|vergesst es|schon gut|hat sich erledigt|nehme ich zurück|mein fehler|doch nicht)\b",
    cues: CUES,
};

static CUES: &[Cue] = &[
    cue("disagrees", Stops(Disagreement), r"\b(?:sehe ich (?:anders|nicht)|finde (?:ich )?nicht|nicht einverstanden|anderer meinung|nicht überzeugt|glaube nicht|denke nicht|übertrieben|halte ich (?:nicht|für)|stimme (?:da |dem )?nicht zu|müssen wir (?:doch )?nicht|brauchen wir (?:doch )?nicht|widerspreche|seit wann|nicht nötig)\b"),
    cue("prefers for oneself", Stops(Opinion), r"\b(?:persönlich|ich (?:bevorzuge|würde|finde|mag|nutze|verwende|benutze|schreibe|mache)|würde ich|geschmackssache|meiner meinung nach|vielleicht|eventuell|wäre (?:schön|gut|nett|besser|schöner|toll)|könnte man|könnten wir|wir könnten|optional|wie du (?:willst|magst)|nicht blockierend)\b"),
    cue("praises", Stops(Praise), r"^(?:sehr |wirklich |echt |richtig )*(?:schön|super|toll|gut|klasse|danke|vielen dank|top|perfekt|sieht (?:gut|super|toll|sehr)|gefällt|prima|lgtm|gute (?:arbeit|idee)|saubere?)\b"),
    cue("tells what was done", Stops(Status), r"^(?:erledigt|gemacht|behoben|gefixt|angepasst|geändert|habe?|ist (?:jetzt|gefixt|angepasst|erledigt)|korrigiert|mache? ich|stimmt|einverstanden|umbenannt|entfernt|hinzugefügt)\b"),
    cue("misses something", Stops(OneOff), r"\b(?:nicht mehr (?:gebraucht|benötigt|nötig|verwendet)|fehlt|fehlen|tippfehler|überflüssig)\b|^(?:kein problem|keine (?:ahnung|änderung\w*|sorge|einwände|fragen))\b"),
    cue("requests", Requests, r"^(?:kann|können|könnten|könntet|könntest|kannst|könnt|würdest|würdet)\b"),
    cue("always, never", Orders(2), r"\b(?:immer|nie|niemals|grundsätzlich|stets|prinzipiell|keinesfalls|auf keinen fall|ausschließlich|zwingend)\b").unless(r"\b(?:wird|ist|war|gibt|liefert|hat|bleibt) (?:\S+ ){0,2}(?:nie|immer)\b|\bimmer (?:noch|wieder|fehl|null|leer|gleich)\b"),
    cue("we do", Orders(1), r"\b(?:wir (?:verwenden|nutzen|benutzen|schreiben|setzen|halten|committen|loggen|testen|nennen|legen|wollen|machen|mocken|werfen|importieren|packen|arbeiten|haben uns)|(?:verwenden|nutzen|schreiben|setzen|halten|machen|nennen|legen) wir)\b"),
    cue("we do not", Orders(2), r"\bwir\b.{0,50}\b(?:keine?n?|nie|niemals|nur|vermeiden|bevorzugen|verzichten)\b|\bwir (?:vermeiden|bevorzugen|verzichten)\b|\bwir\b.{0,40}\bnicht\b").unless(r"\bwir (?:haben|brauchen|wissen|können|sind)\b"),
    cue("avoid, prefer", Orders(2), r"^(?:vermeide\w*|bevorzug\w*|verzichte\w*|meide\w*)\b|\b(?:bitte|sollte[nt]?|zu|,) (?:\S+ ){0,4}(?:vermeiden|bevorzugen|verzichten|vermieden werden)\b"),
    cue("use one instead of the other", Orders(2), r"\b(?:verwende\w*|nutz\w*|benutz\w*|nimm|nehmt|nehmen|schreib\w*|nehmen sie)\b.{2,80}\b(?:statt|anstatt|anstelle)\b|\b(?:statt|anstatt|anstelle)\b.{2,60}\b(?:verwenden|nutzen|benutzen|nehmen)\b"),
    cue("no such things", Orders(2), r"^(?:keine?n?|niemals|nie) \S+|\bbitte keine?n? \S+|\b(?:zukunft|künftig) keine?n?\b|: keine?n? "),
    cue("things should", Orders(2), r"^(?:\S+ ){1,4}(?:sollten|müssen|dürfen|brauchen|gehören|sollen|beginnen|enden|heißen|benötigen)\b").unless(r"^(?:wir|sie|die|diese|ihr|hier|dann|das|es|beide|beiden|da|jetzt|so|in|der|den|dem|dort|tests (?:sollten|müssen) (?:jetzt|wieder|erst|noch))\b"),
    cue("things do", Orders(1), r"^(?:\S+ ){1,3}(?:werden|haben|kommen|liegen|stehen|bekommen|tragen|sind|nutzen|verwenden|folgen)\b").unless(r"^(?:wir|sie|die|diese|ihr|hier|dann|das|es|beide|da|jetzt|der|den)\b"),
    cue("should", Orders(0), r"\b(?:muss|müssen|soll|sollen|sollte|sollten|braucht|darf|dürfen|bekommt|gehört|gilt|ist (?:verboten|pflicht|tabu)|sind (?:verboten|pflicht|tabu)|bitte)\b"),
    cue("is not allowed", Orders(2), r"\b(?:ist|sind) (?:\S+ ){0,3}(?:verboten|pflicht|tabu|nicht erlaubt|unerwünscht|untersagt)\b"),
    cue("please do", Orders(1), r"\b(?:bitte|nur|immer)\b.*\b\S+(?:en|eln|ern)[.!]?$|\b\S+(?:en|eln)[.!]?$"),
    cue("is said by convention", Orders(0), r"\b(?:konvention\w*|styleguide|style guide|richtlinie\w*|regel|vorgabe\w*|in der regel|normalerweise|üblicherweise)\b"),
    cue("every", General(2), r"\bjede[rsnm]?\b|\balle (?:neuen |öffentlichen |unsere )?[a-zäöüß]+\b|\bsämtliche\b").unless(r"\balle (?:aufrufe\w*|stellen|drei|tests (?:sind|laufen)|verwendungen)\b|\bjede[rsnm]? (?:aufruf|iteration)\b"),
    cue("general", General(2), r"\b(?:in zukunft|zukünftig|künftig|ab (?:jetzt|sofort)|von nun an|nächstes mal|nächste mal|nächsten mal|generell|grundsätzlich|in der regel|normalerweise|üblicherweise|im allgemeinen|konvention\w*|styleguide|style guide|richtlinie\w*|code-?style|im (?:ganzen |gesamten )?(?:projekt|repo|repository|code|team)|in diese[mr] (?:projekt|repo|repository|codebase|code ?base)|bei uns|projektweit|überall|einheitlich|faustregel|best practice|immer wenn|sobald (?:man|ihr|du)|wenn (?:ihr|man|du)|nur noch)\b"),
    cue("new things", General(1), r"\bneue[nr]? (?:komponenten|endpunkte|features|tests|funktionen|dateien|klassen|module|tabellen|services|migrationen|abhängigkeiten|seiten|routen|\S+en)\b").unless(r"\b(?:die|den|der|dem|diese) neue"),
    cue("here", Local(3), r"\b(?:hier|oben|unten|dort|zeilen? \d+|an der stelle|diese[rsnm]? [a-zäöüß\u{e000}]+|obige\w*|folgende\w*)\b").unless(r"\b(?:hier|bei uns) (?:im|in der) (?:projekt|repo|code|team|codebase)|\bin diese[mr] (?:projekt|repo|repository|team|codebase|modul|paket)\b"),
    cue("it", Local(3), r"^(?:das|dies|es|er|sie|dieser?|dieses)\b").unless(r"^(?:es (?:gilt|ist besser)|das ist (?:bei uns|unsere|so üblich))\b"),
    cue("the one", Local(2), r"^(?:der|den|dem|die|das) [a-zäöü\u{e000}]+\b|\b(?:der|den|die|das|dem) (?:zweite|erste|letzte|alte|neue|andere)[nrsm]?\b").unless(r"^die regel\b"),
    cue("changes one place", Local(2), r"\b(?:umbenennen|entfernen|löschen|verschieben|rückgängig|ersetzen|auslagern)\b").unless(r"\b(?:immer|jede\w*|grundsätzlich|künftig|generell)\b"),
    cue("speaks of a possible future", Local(4), r"\b(?:zukunft|später|irgendwann|mal)\b.*\b(?:könnte\w*|vielleicht|möglicherweise|wollen|will)\b"),
    cue("for now", Local(2), r"\b(?:noch|erstmal|vorerst|momentan|aktuell|in einem (?:separaten|eigenen) pr|nochmal)\b").unless(r"\bnur noch\b"),
];
